import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";

type Details = NonNullable<components["schemas"]["TaxDetails"]["details"]>;

const FORMS = ["w9", "w8ben", "w8bene"] as const;
const CLASSES = [
  "individual",
  "c_corporation",
  "s_corporation",
  "partnership",
  "trust",
  "llc",
  "other",
] as const;

/** The promoter's form for the tax office of the United States. */
export function TaxForm() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/affiliate/tax_details", { signal })));
  return (
    <section class="card narrow" aria-label={t("tax.title")}>
      <Await loaded={loaded}>
        {({ details }) => <Fields details={details} onSaved={(saved) => (loaded.data.value = saved)} />}
      </Await>
    </section>
  );
}

function Fields({
  details,
  onSaved,
}: {
  details: Details | null;
  onSaved: (saved: components["schemas"]["TaxDetails"]) => void;
}) {
  const form = useForm({
    form: details?.form ?? "",
    name: details?.name ?? "",
    classification: details?.classification ?? "individual",
    tax_number: "",
    signature: "",
  });
  return (
    <Form
      form={form}
      action={t("tax.save")}
      onSubmit={async (given) => {
        const body = given as typeof given & Pick<Details, "form" | "classification">;
        onSaved(await answer(api.PUT("/api/v2/affiliate/tax_details", { body })));
        form.values.tax_number.value = "";
        form.values.signature.value = "";
        toast(t("tax.saved"));
      }}
    >
      <h2>{t("tax.title")}</h2>
      <p class="soft">
        {details === null
          ? t("tax.none")
          : t("tax.signed", { name: details.signature, date: date(details.signed_at) })}
      </p>
      <Select
        form={form}
        name="form"
        label={t("tax.form")}
        required
        options={[["", t("tax.form.choose")], ...FORMS.map((name) => [name, t(`tax.form.${name}`)] as const)]}
      />
      <TextField form={form} name="name" label={t("tax.name")} autocomplete="name" required />
      <Select
        form={form}
        name="classification"
        label={t("tax.class")}
        options={CLASSES.map((name) => [name, t(`tax.class.${name}`)] as const)}
      />
      <Signature form={form} details={details} />
    </Form>
  );
}

/** The tax number, and the promoter's name below it. */
function Signature({
  form,
  details,
}: {
  form: FormState<{ tax_number: string; signature: string }>;
  details: Details | null;
}) {
  return (
    <>
      <TextField
        form={form}
        name="tax_number"
        label={t("tax.number")}
        autocomplete="off"
        required={details === null}
        hint={details === null ? t("tax.number.hint") : t("tax.number.kept", { end: details.tax_number_end })}
      />
      <TextField
        form={form}
        name="signature"
        label={t("tax.signature")}
        hint={t("tax.signature.hint")}
        autocomplete="off"
        required
      />
    </>
  );
}
