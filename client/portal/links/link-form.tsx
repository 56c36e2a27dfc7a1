import { api, made } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { t } from "../../languages/messages.ts";

/** Makes a link to another page, or for a channel. */
export function LinkForm({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const joined = useLoad(loadJoined);
  return (
    <Dialog title={t("links.make")} onClose={onClose}>
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
      action={t("links.make.action")}
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
      <TextField
        form={form}
        name="name"
        label={t("name")}
        hint={t("links.name.hint")}
        maxLength={100}
        required
      />
      {campaigns.length > 1 && (
        <Select form={form} name="promoter_campaign_id" label={t("campaign")} options={campaigns} />
      )}
      <TextField
        form={form}
        name="url"
        type="url"
        label={t("links.page")}
        placeholder={page}
        hint={t("links.page.hint")}
      />
      <TextField
        form={form}
        name="sub_id"
        label={t("channel")}
        placeholder={t("links.channel.example")}
        hint={t("links.channel.hint")}
        maxLength={100}
      />
    </Form>
  );
}
