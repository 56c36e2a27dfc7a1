import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox, Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { campaignOptions, type Campaign } from "../campaigns/choices.ts";
import { MailNotice } from "../mail-notice.tsx";
import { at } from "../../ui/base.ts";

const EMPTY = {
  email: "",
  first_name: "",
  last_name: "",
  initial_campaign_id: "",
  cust_id: "",
  drip_emails: true,
};

/** Adds a promoter, and opens their page. */
export function NewPromoter({ campaigns, onClose }: { campaigns: Campaign[]; onClose: () => void }) {
  const { route } = useLocation();
  const usual = campaigns.find(({ is_default: isDefault }) => isDefault) ?? campaigns[0];
  const form = useForm({ ...EMPTY, initial_campaign_id: String(usual?.id ?? "") });
  return (
    <Dialog title="Add a promoter" onClose={onClose}>
      <Form
        form={form}
        action="Add the promoter"
        onSubmit={async (given) => {
          const { id, name } = await addPromoter(given);
          toast(`${name} is a promoter now`);
          onClose();
          route(at(`/admin/promoters/${id}`));
        }}
      >
        <TextField form={form} name="email" label="E-mail" type="email" required />
        <div class="grid" style={{ "--column": "12rem" }}>
          <TextField form={form} name="first_name" label="First name" />
          <TextField form={form} name="last_name" label="Last name" />
        </div>
        {campaigns.length > 1 && (
          <Select
            form={form}
            name="initial_campaign_id"
            label="Campaign"
            options={campaignOptions(campaigns)}
          />
        )}
        <TextField
          form={form}
          name="cust_id"
          label="Your own id of them"
          hint="If they are also your customer."
        />
        <Checkbox
          form={form}
          name="drip_emails"
          label="Send them the campaign's e-mails"
          hint="First the welcome with their link, if it is switched on in the campaign."
        />
        <MailNotice instead="On their page, “Let them in” makes a sign-in link to give to them." />
      </Form>
    </Dialog>
  );
}

function addPromoter({ first_name, last_name, initial_campaign_id: campaignId, ...given }: typeof EMPTY) {
  const body = {
    ...given,
    profile: { first_name, last_name },
    ...(campaignId && { initial_campaign_id: Number(campaignId) }),
  };
  return answer(api.POST("/api/v2/company/promoters", { body }));
}
