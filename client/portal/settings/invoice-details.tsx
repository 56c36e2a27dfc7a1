import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { CountryField } from "../../ui/form/country.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { date } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";

type Details = components["schemas"]["InvoiceDetails"];

const STATUSES: Record<Details["status"], Tone> = {
  not_submitted: "quiet",
  pending: "warn",
  approved: "good",
  denied: "bad",
};

const FIELDS = [
  ["company_name", "organization"],
  ["company_number", "off"],
  ["vat_id", "off"],
  ["address", "street-address"],
] as const;

/** The promoter's details on invoices and receipts. */
export function InvoiceDetails() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/invoice_details")));
  return (
    <section class="card narrow" aria-label={t("settings.invoice")}>
      <Await loaded={loaded}>
        {(details) => <DetailsForm details={details} onSaved={(saved) => (loaded.data.value = saved)} />}
      </Await>
    </section>
  );
}

/** What VIES has said about the VAT number, or null. */
function vatHint({ vat_id_status: status, vat_id_checked_at: checkedAt }: Details): string | null {
  if (status === null) return null;
  return status === "valid" ? t("invoice.vat.valid", { date: date(checkedAt) }) : t(`invoice.vat.${status}`);
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
      action={t("invoice.save")}
      onSubmit={async (body) => {
        onSaved(await answer(api.PUT("/api/v2/affiliate/invoice_details", { body })));
        toast(t("invoice.saved"));
      }}
    >
      <p class="row">
        <Badge tone={STATUSES[details.status]}>{t(`invoice.${details.status}`)}</Badge>
        {details.status === "denied" ? (
          <span class="soft">{t("invoice.denied.text")}</span>
        ) : (
          details.is_required && <span class="soft">{t("invoice.required")}</span>
        )}
      </p>
      {FIELDS.map(([name, autocomplete]) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={t(`invoice.${name}`)}
          autocomplete={autocomplete}
          hint={name === "vat_id" && vatHint(details)}
        />
      ))}
      <CountryField form={form} name="country" label={t("invoice.country")} autocomplete="country" />
    </Form>
  );
}
