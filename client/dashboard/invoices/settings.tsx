import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { requiredCents, typedAmount } from "../../ui/form/amount.ts";
import { CountryField } from "../../ui/form/country.tsx";
import { Checkbox, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";

type Invoicing = components["schemas"]["Invoicing"];

/** A first text. The company publishes it, or its own. */
const SUGGESTED = `You agree that we write the invoices for the commissions that we pay you, in your name, and that you write none for them yourself.
You tell us when your name, address, tax status or VAT number changes. You may object to an invoice within 30 days.
Either of us may end this agreement at any time.`;

/** What invoices say about the company, and the agreement of promoters. */
export function InvoiceSettings() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/company/invoicing", { signal })));
  return (
    <section class="card narrow">
      <Await loaded={loaded}>
        {(invoicing) => <Fields invoicing={invoicing} onSaved={(saved) => (loaded.data.value = saved)} />}
      </Await>
    </section>
  );
}

function Fields({ invoicing, onSaved }: { invoicing: Invoicing; onSaved: (saved: Invoicing) => void }) {
  const form = useForm({
    is_on: invoicing.is_on,
    finalizes_drafts: invoicing.finalizes_drafts,
    legal_name: invoicing.legal_name,
    address: invoicing.address,
    country: invoicing.country,
    vat_id: invoicing.vat_id ?? "",
    tax_number: invoicing.tax_number ?? "",
    prefix: invoicing.prefix,
    form_1099_threshold: typedAmount(invoicing.form_1099_threshold),
    agreement: invoicing.agreement ?? SUGGESTED,
  });
  const { agreement_version: version } = invoicing;
  return (
    <Form
      form={form}
      action="Save the settings"
      isDisabled={!may("owner")}
      onSubmit={async ({ form_1099_threshold: dollars, ...given }) => {
        const body = { ...given, form_1099_threshold: requiredCents("form_1099_threshold", dollars) };
        onSaved(await answer(api.PUT("/api/v2/company/invoicing", { body })));
        toast("The settings are saved. They count for later invoices.");
      }}
    >
      <Checkbox
        form={form}
        name="is_on"
        label="Write an invoice for each payment"
        hint="In the promoter's name, ten minutes after the payment. An invoice that lacks a detail stays a draft."
      />
      <Checkbox
        form={form}
        name="finalizes_drafts"
        label="Finalize drafts once nothing is missing"
        hint="Within an hour. Otherwise you finalize them in the list."
      />
      <Company form={form} />
      <TextField
        form={form}
        name="prefix"
        label="Prefix of numbers"
        hint="AFF makes AFF-2026-000001. Each year begins a series of its own."
      />
      <TextField
        form={form}
        name="form_1099_threshold"
        label="Threshold of form 1099-NEC"
        hint="For a year. 2,000 dollars for payments since 2026."
        inputMode="decimal"
      />
      <TextArea
        form={form}
        name="agreement"
        label="Agreement of promoters"
        rows={8}
        hint={
          version === null
            ? "A suggestion. Ask your tax adviser."
            : `Version ${version}. A changed text is a new version, which promoters must agree to.`
        }
      />
    </Form>
  );
}

type CompanyFields = Record<"legal_name" | "address" | "country" | "vat_id" | "tax_number", string>;

/** The company as the customer. */
function Company({ form }: { form: FormState<CompanyFields> }) {
  return (
    <>
      <TextField form={form} name="legal_name" label="Legal name" autocomplete="organization" />
      <TextArea form={form} name="address" label="Address" rows={3} autocomplete="street-address" />
      <CountryField form={form} name="country" label="Country" autocomplete="country" />
      <TextField form={form} name="vat_id" label="VAT number" autocomplete="off" />
      <TextField form={form} name="tax_number" label="Tax number" autocomplete="off" />
    </>
  );
}
