import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { Joined } from "../campaigns/joined.ts";

/** Adds a lead by hand, for the company's review. */
export function LeadForm({
  campaigns,
  onClose,
  onAdded,
}: {
  /** The campaigns that accept leads by hand. */
  campaigns: Joined[];
  onClose: () => void;
  onAdded: () => void;
}) {
  const form = useForm({
    promoter_campaign_id: String(campaigns[0]?.id ?? ""),
    email: "",
    first_name: "",
    last_name: "",
    website: "",
    comment: "",
  });
  return (
    <Dialog title="Add a lead" onClose={onClose}>
      <Form
        form={form}
        action="Add the lead"
        onSubmit={async ({ promoter_campaign_id: id, email, ...said }) => {
          const given = Object.entries(said).filter(([, value]) => value !== "");
          const body = { promoter_campaign_id: Number(id), email, ...Object.fromEntries(given) };
          await answer(api.POST("/api/v2/affiliate/referrals", { body }));
          onAdded();
        }}
      >
        <p class="soft">Add only people who know about it. The company reviews each lead.</p>
        <TextField form={form} name="email" type="email" label="E-mail" autocomplete="off" required />
        {campaigns.length > 1 && (
          <Select
            form={form}
            name="promoter_campaign_id"
            label="Campaign"
            options={campaigns.map(({ id, campaign }) => [String(id), campaign.name] as const)}
          />
        )}
        <TextField form={form} name="first_name" label="First name (optional)" autocomplete="off" />
        <TextField form={form} name="last_name" label="Last name (optional)" autocomplete="off" />
        <TextField form={form} name="website" label="Website (optional)" autocomplete="off" />
        <TextArea
          form={form}
          name="comment"
          label="Comment (optional)"
          hint="How you know each other, and what they need."
          maxLength={1000}
        />
      </Form>
    </Dialog>
  );
}
