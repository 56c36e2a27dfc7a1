import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";

type Details = NonNullable<components["schemas"]["TaxDetails"]["details"]>;

const FORMS: Record<Details["form"], string> = {
  w9: "W-9: I am taxed in the United States",
  w8ben: "W-8BEN: I am a person taxed elsewhere",
  w8bene: "W-8BEN-E: I am a company taxed elsewhere",
};

const CLASSES: Record<Details["classification"], string> = {
  individual: "Individual or sole proprietor",
  c_corporation: "C corporation",
  s_corporation: "S corporation",
  partnership: "Partnership",
  trust: "Trust or estate",
  llc: "Limited liability company",
  other: "Other",
};

/** The promoter's form for the tax office of the United States. */
export function TaxForm() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/affiliate/tax_details", { signal })));
  return (
    <section class="card narrow" aria-label="Tax form">
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
      action="Sign and save"
      onSubmit={async (given) => {
        const body = given as typeof given & Pick<Details, "form" | "classification">;
        onSaved(await answer(api.PUT("/api/v2/affiliate/tax_details", { body })));
        form.values.tax_number.value = "";
        form.values.signature.value = "";
        toast("Your tax form is saved.");
      }}
    >
      <h2>Tax form</h2>
      <p class="soft">
        {details === null
          ? "Companies in the United States need it to pay you."
          : `Signed by ${details.signature} on ${date(details.signed_at)}.`}
      </p>
      <Select
        form={form}
        name="form"
        label="Form"
        required
        options={[["", "Choose a form…"], ...Object.entries(FORMS)]}
      />
      <TextField form={form} name="name" label="Name on your tax return" autocomplete="name" required />
      <Select
        form={form}
        name="classification"
        label="What you are for taxes"
        options={Object.entries(CLASSES)}
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
        label="Tax number"
        autocomplete="off"
        required={details === null}
        hint={
          details === null
            ? "It is stored encrypted, and never shown."
            : `The one that ends with ${details.tax_number_end} stays if you leave this empty.`
        }
      />
      <TextField
        form={form}
        name="signature"
        label="Signature"
        hint="Type your full name. You declare that the form is true."
        autocomplete="off"
        required
      />
    </>
  );
}
