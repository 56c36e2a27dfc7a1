import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { CountryField } from "../../ui/form/country.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import { termsOf, TermsFields, typedTerms } from "./terms.tsx";
import type { Promoter } from "./words.ts";

const PROFILE = [
  ["first_name", "First name"],
  ["last_name", "Last name"],
  ["website", "Website"],
  ["company_name", "Company"],
  ["vat_id", "VAT id"],
  ["address", "Address"],
  ["phone_number", "Phone"],
] as const;
type ProfileName = (typeof PROFILE)[number][0];

/** Edits a promoter's details. */
export function ProfileDialog({
  promoter,
  reload,
  onClose,
}: {
  promoter: Promoter;
  reload: () => Promise<void>;
  onClose: () => void;
}) {
  const { id, email, cust_id: custId, profile } = promoter;
  const known = Object.fromEntries(PROFILE.map(([name]) => [name, profile[name] ?? ""]));
  const form = useForm({
    email,
    cust_id: custId ?? "",
    ...typedTerms(promoter),
    ...(known as Record<ProfileName, string>),
    country: profile.country ?? "",
  });
  return (
    <Dialog title={`Edit ${promoter.name}`} onClose={onClose}>
      <Form
        form={form}
        action="Save"
        onSubmit={async ({ email, cust_id, tax_rate, net_payout_days, ...profile }) => {
          const params = { path: { id: String(id) } };
          const terms = may("owner") ? termsOf({ tax_rate, net_payout_days }) : {};
          const body = { email, cust_id, profile, ...terms };
          await answer(api.PUT("/api/v2/company/promoters/{id}", { params, body }));
          toast("The changes were saved");
          onClose();
          await reload();
        }}
      >
        <TextField form={form} name="email" label="E-mail" type="email" required />
        <TextField form={form} name="cust_id" label="Your own id of them" />
        <p class="small soft">
          Referral id and rewards are separate in each campaign: “Link and rewards” on their page changes
          them.
        </p>
        {may("owner") && <TermsFields form={form} />}
        <div class="grid" style={{ "--column": "12rem" }}>
          {PROFILE.map(([name, label]) => (
            <TextField key={name} form={form} name={name} label={label} />
          ))}
          <CountryField form={form} name="country" label="Country" />
        </div>
      </Form>
    </Dialog>
  );
}
