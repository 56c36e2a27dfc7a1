import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { Joined } from "../campaigns/joined.ts";
import { t, type TextKey } from "../../languages/messages.ts";

const optional = (key: TextKey) => t("optional", { label: t(key) });

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
    <Dialog title={t("leads.add")} onClose={onClose}>
      <Form
        form={form}
        action={t("leads.add.action")}
        onSubmit={async ({ promoter_campaign_id: id, email, ...said }) => {
          const given = Object.entries(said).filter(([, value]) => value !== "");
          const body = { promoter_campaign_id: Number(id), email, ...Object.fromEntries(given) };
          await answer(api.POST("/api/v2/affiliate/referrals", { body }));
          onAdded();
        }}
      >
        <p class="soft">{t("leads.add.text")}</p>
        <TextField form={form} name="email" type="email" label={t("email")} autocomplete="off" required />
        {campaigns.length > 1 && (
          <Select
            form={form}
            name="promoter_campaign_id"
            label={t("campaign")}
            options={campaigns.map(({ id, campaign }) => [String(id), campaign.name] as const)}
          />
        )}
        <TextField form={form} name="first_name" label={optional("first_name")} autocomplete="off" />
        <TextField form={form} name="last_name" label={optional("last_name")} autocomplete="off" />
        <TextField form={form} name="website" label={optional("leads.website")} autocomplete="off" />
        <TextArea
          form={form}
          name="comment"
          label={optional("leads.comment")}
          hint={t("leads.comment.hint")}
          maxLength={1000}
        />
      </Form>
    </Dialog>
  );
}
