import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { INVOICE_WORDS } from "../words.ts";

type Details = components["schemas"]["InvoiceDetails"];

const STATUSES: Record<Details["status"], { tone: Tone; children: string }> = {
  not_submitted: { tone: "quiet", children: "Not given yet" },
  pending: { tone: "warn", children: "Waiting for approval" },
  approved: { tone: "good", children: "Approved" },
  denied: { tone: "bad", children: "Denied" },
};

const FIELDS = [
  ["company_name", "organization"],
  ["company_number", "off"],
  ["vat_id", "off"],
  ["address", "street-address"],
  ["country", "country"],
] as const;

/** The promoter's details on invoices and receipts. */
export function InvoiceDetails() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/invoice_details")));
  return (
    <section class="card narrow" aria-label="Invoice details">
      <Await loaded={loaded}>
        {(details) => <DetailsForm details={details} onSaved={(saved) => (loaded.data.value = saved)} />}
      </Await>
    </section>
  );
}

function DetailsForm({ details, onSaved }: { details: Details; onSaved: (saved: Details) => void }) {
  const form = useForm({
    company_name: details.company_name ?? "",
    company_number: details.company_number ?? "",
    vat_id: details.vat_id ?? "",
    address: details.address ?? "",
    country: details.country ?? "",
  });
  return (
    <Form
      form={form}
      action="Save the invoice details"
      onSubmit={async (body) => {
        onSaved(await answer(api.PUT("/api/v2/affiliate/invoice_details", { body })));
        toast("Your invoice details are saved.");
      }}
    >
      <p class="row">
        <Badge {...STATUSES[details.status]} />
        {details.status === "denied" ? (
          <span class="soft">Correct them and save. The company then reviews them again.</span>
        ) : (
          details.is_required && <span class="soft">You are paid once they are approved.</span>
        )}
      </p>
      {FIELDS.map(([name, autocomplete]) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={INVOICE_WORDS[name]}
          autocomplete={autocomplete}
        />
      ))}
    </Form>
  );
}
