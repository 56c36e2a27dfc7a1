import { api, made } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { loadJoined } from "../campaigns/joined.ts";

/** Makes a link to another page, or for a channel. */
export function LinkForm({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const joined = useLoad(loadJoined);
  return (
    <Dialog title="Make a link" onClose={onClose}>
      <Await loaded={joined}>
        {(rows) => (
          <Fields
            campaigns={rows.map(({ id, campaign }) => [String(id), campaign.name] as const)}
            page={rows[0]?.campaign.landing_url ?? ""}
            onMade={onMade}
          />
        )}
      </Await>
    </Dialog>
  );
}

function Fields({
  campaigns,
  page,
  onMade,
}: {
  campaigns: (readonly [value: string, words: string])[];
  page: string;
  onMade: () => void;
}) {
  const form = useForm({ promoter_campaign_id: campaigns[0]?.[0] ?? "", name: "", url: "", sub_id: "" });
  return (
    <Form
      form={form}
      action="Make the link"
      onSubmit={async ({ promoter_campaign_id: id, name, url, sub_id: subId }) => {
        const body = {
          promoter_campaign_id: Number(id),
          name,
          ...(url !== "" && { url }),
          ...(subId !== "" && { sub_id: subId }),
        };
        await made(api.POST("/api/v2/affiliate/referral_links", { body }));
        onMade();
      }}
    >
      <TextField form={form} name="name" label="Name" hint="Only you see it." maxLength={100} required />
      {campaigns.length > 1 && (
        <Select form={form} name="promoter_campaign_id" label="Campaign" options={campaigns} />
      )}
      <TextField
        form={form}
        name="url"
        type="url"
        label="Page"
        placeholder={page}
        hint="A page of the company's site. Leave it empty for the usual one."
      />
      <TextField
        form={form}
        name="sub_id"
        label="Channel"
        placeholder="newsletter"
        hint="Your leads show it, so that you see where they came from."
        maxLength={100}
      />
    </Form>
  );
}
