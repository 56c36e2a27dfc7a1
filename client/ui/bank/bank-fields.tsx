import type { components } from "../api/types.ts";
import { t, type TextKey } from "../../languages/messages.ts";
import { Select, TextField } from "../form/field.tsx";
import type { FormState } from "../form/form.tsx";
import { CountryField } from "../form/country.tsx";

type BankForm = components["schemas"]["BankForm"];
/** What a bank account needs, by country. */
export interface BankForms {
  countries: Record<string, BankForm>;
  elsewhere: BankForm;
}
type Name = BankForm["required"][number];

/** The keys of a field's texts. */
interface Words {
  label: TextKey;
  hint?: TextKey;
  /** Absent: it is typed. */
  choices?: [value: string, words: TextKey][];
}

const FIELDS: Record<Name, Words> = {
  iban: { label: "bank.iban" },
  account_number: { label: "bank.account_number" },
  routing_aba_number: { label: "bank.routing", hint: "bank.routing.hint" },
  account_type: {
    label: "bank.account_type",
    choices: [
      ["checking", "bank.checking"],
      ["savings", "bank.savings"],
    ],
  },
  account_holder_type: {
    label: "bank.owner",
    choices: [
      ["person", "bank.person"],
      ["company", "bank.company"],
    ],
  },
  sort_code: { label: "bank.sort_code", hint: "bank.six_digits" },
  bsb_code: { label: "bank.bsb", hint: "bank.six_digits" },
  institution_number: { label: "bank.institution", hint: "bank.three_digits" },
  transit_number: { label: "bank.transit", hint: "bank.five_digits" },
  ifsc_code: { label: "bank.ifsc", hint: "bank.ifsc.hint" },
  bank_code: { label: "bank.code" },
  branch_code: { label: "bank.branch" },
  clabe: { label: "bank.clabe", hint: "bank.clabe.hint" },
  swift_bic_code: { label: "bank.swift" },
  bank_name: { label: "bank.name" },
};
const NAMES = Object.keys(FIELDS) as Name[];

/** The initial values of a form with these fields. */
export function blankBank(): Record<string, string> {
  const country = new Intl.Locale(navigator.language).region ?? "";
  const blank = NAMES.map((name) => [name, FIELDS[name].choices?.[0]?.[0] ?? ""]);
  return {
    account_holder_name: "",
    account_holder_name_latin: "",
    bank_country: country,
    ...Object.fromEntries(blank),
  };
}

/** The details of a bank account from a form's values, without those of other countries. */
export function bankDetails(values: Record<string, string>, forms: BankForms): Record<string, string> {
  const shown = namesOf(forms, values["bank_country"] ?? "");
  const latin = needsLatin(values["account_holder_name"] ?? "") ? ["account_holder_name_latin"] : [];
  const names = ["account_holder_name", ...latin, "bank_country", ...shown.required, ...shown.optional];
  return Object.fromEntries(
    names.map((name) => [name, values[name] ?? ""]).filter(([, value]) => value !== ""),
  );
}

/** The fields of a bank account in the chosen country. The server checks them. */
export function BankFields({ form, forms }: { form: FormState<Record<string, string>>; forms: BankForms }) {
  const { required, optional } = namesOf(forms, form.values["bank_country"]!.value);
  return (
    <>
      <TextField
        form={form}
        name="account_holder_name"
        label={t("bank.holder")}
        autocomplete="off"
        required
      />
      {needsLatin(form.values["account_holder_name"]!.value) && (
        <TextField
          form={form}
          name="account_holder_name_latin"
          label={t("bank.holder_latin")}
          hint={t("bank.holder_latin.hint")}
          autocomplete="off"
          required
        />
      )}
      <CountryField form={form} name="bank_country" label={t("bank.country")} required />
      {required.map((name) => (
        <BankField key={name} form={form} name={name} isRequired />
      ))}
      {optional.map((name) => (
        <BankField key={name} form={form} name={name} />
      ))}
    </>
  );
}

const READABLE =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Inherited}\u{30fc}]$/u;

/** Whether a name has letters that only its owner can write in Latin ones, or none at all. The server decides. */
function needsLatin(name: string): boolean {
  const letters = [...name].filter((letter) => /[\p{L}\p{M}]/u.test(letter));
  return name !== "" && (letters.length === 0 || !letters.every((letter) => READABLE.test(letter)));
}

function BankField({
  form,
  name,
  isRequired = false,
}: {
  form: FormState<Record<string, string>>;
  name: Name;
  isRequired?: boolean;
}) {
  const { label, hint, choices } = FIELDS[name];
  if (choices !== undefined) {
    const options = choices.map(([value, words]): [string, string] => [value, t(words)]);
    return <Select form={form} name={name} label={t(label)} options={options} />;
  }
  return (
    <TextField
      form={form}
      name={name}
      label={isRequired ? t(label) : t("optional", { label: t(label) })}
      hint={hint && t(hint)}
      autocomplete="off"
      required={isRequired}
    />
  );
}

/** Before a country is chosen, no fields are shown. */
function namesOf({ countries, elsewhere }: BankForms, country: string): BankForm {
  return country === "" ? { required: [], optional: [] } : (countries[country] ?? elsewhere);
}
