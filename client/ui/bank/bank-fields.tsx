import type { components } from "../api/types.ts";
import { Select, TextField } from "../form/field.tsx";
import type { FormState } from "../form/form.tsx";

type BankForm = components["schemas"]["BankForm"];
/** What a bank account needs, by country. */
export interface BankForms {
  countries: Record<string, BankForm>;
  elsewhere: BankForm;
}
type Name = BankForm["required"][number];

interface Words {
  label: string;
  hint?: string;
  /** Absent: it is typed. */
  choices?: [string, string][];
}

const FIELDS: Record<Name, Words> = {
  iban: { label: "IBAN" },
  account_number: { label: "Account number" },
  routing_aba_number: { label: "Routing number", hint: "The nine digits for ACH." },
  account_type: {
    label: "Kind of account",
    choices: [
      ["checking", "Checking"],
      ["savings", "Savings"],
    ],
  },
  account_holder_type: {
    label: "The account belongs to",
    choices: [
      ["person", "A person"],
      ["company", "A company"],
    ],
  },
  sort_code: { label: "Sort code", hint: "Six digits." },
  bsb_code: { label: "BSB code", hint: "Six digits." },
  institution_number: { label: "Institution number", hint: "Three digits." },
  transit_number: { label: "Transit number", hint: "Five digits." },
  ifsc_code: { label: "IFSC code", hint: "Such as HDFC0001234." },
  bank_code: { label: "Bank code" },
  branch_code: { label: "Branch code" },
  clabe: { label: "CLABE", hint: "Eighteen digits." },
  swift_bic_code: { label: "SWIFT or BIC code" },
  bank_name: { label: "Name of the bank" },
};
const NAMES = Object.keys(FIELDS) as Name[];

/** The initial values of a form with these fields. */
export function blankBank(): Record<string, string> {
  const country = new Intl.Locale(navigator.language).region ?? "";
  const blank = NAMES.map((name) => [name, FIELDS[name].choices?.[0]?.[0] ?? ""]);
  return { account_holder_name: "", bank_country: country, ...Object.fromEntries(blank) };
}

/** The details of a bank account from a form's values, without those of other countries. */
export function bankDetails(values: Record<string, string>, forms: BankForms): Record<string, string> {
  const shown = namesOf(forms, values["bank_country"] ?? "");
  const names = ["account_holder_name", "bank_country", ...shown.required, ...shown.optional];
  return Object.fromEntries(
    names.map((name) => [name, values[name] ?? ""]).filter(([, value]) => value !== ""),
  );
}

/** The fields of a bank account in the chosen country. The server checks them. */
export function BankFields({ form, forms }: { form: FormState<Record<string, string>>; forms: BankForms }) {
  const { required, optional } = namesOf(forms, form.values["bank_country"]!.value);
  return (
    <>
      <TextField form={form} name="account_holder_name" label="Account holder" autocomplete="off" required />
      <Select
        form={form}
        name="bank_country"
        label="Country of the bank"
        options={[["", "Choose a country"], ...COUNTRIES]}
        required
      />
      {required.map((name) => (
        <BankField key={name} form={form} name={name} isRequired />
      ))}
      {optional.map((name) => (
        <BankField key={name} form={form} name={name} />
      ))}
    </>
  );
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
  if (choices !== undefined) return <Select form={form} name={name} label={label} options={choices} />;
  return (
    <TextField
      form={form}
      name={name}
      label={isRequired ? label : `${label} (optional)`}
      hint={hint}
      autocomplete="off"
      required={isRequired}
    />
  );
}

/** Before a country is chosen, no fields are shown. */
function namesOf({ countries, elsewhere }: BankForms, country: string): BankForm {
  return country === "" ? { required: [], optional: [] } : (countries[country] ?? elsewhere);
}

/** Groups of countries, and codes for what is unknown. */
const NO_COUNTRIES = new Set(["EU", "EZ", "UN", "QO", "ZZ", "XA", "XB"]);
const COUNTRIES = countries();

/** All countries in the reader's language, sorted by name. */
function countries(): [code: string, name: string][] {
  const names = new Intl.DisplayNames(undefined, { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .map((code): [string, string | undefined] => [code, NO_COUNTRIES.has(code) ? undefined : names.of(code)])
    .filter((row): row is [string, string] => row[1] !== undefined)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}
