import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { Joined } from "../campaigns/joined.ts";
import { t } from "../../languages/messages.ts";

/** Makes a code that customers type at the checkout. */
export function CodeForm({
  campaigns,
  onClose,
  onMade,
}: {
  /** The campaigns that let promoters make codes. */
  campaigns: Joined[];
  onClose: () => void;
  onMade: () => void;
}) {
  const offers = offersOf(campaigns);
  const form = useForm({ offer: offers[0]?.[0] ?? "", code: "", description: "" });
  return (
    <Dialog title={t("codes.make")} onClose={onClose}>
      <Form
        form={form}
        action={t("codes.make.action")}
        onSubmit={async ({ offer, code, description }) => {
          const [promoterCampaignId, rewardId] = offer.split(" ").map(Number);
          const body = {
            promoter_campaign_id: promoterCampaignId ?? 0,
            reward_id: rewardId ?? 0,
            code,
            ...(description !== "" && { description }),
          };
          await answer(api.POST("/api/v2/affiliate/promo_codes", { body }));
          onMade();
        }}
      >
        <TextField
          form={form}
          name="code"
          label={t("codes.code")}
          hint={t("codes.code.hint")}
          placeholder="JANE10"
          autocomplete="off"
          maxLength={40}
          required
        />
        {offers.length > 1 && <Select form={form} name="offer" label={t("codes.offer")} options={offers} />}
        <TextField
          form={form}
          name="description"
          label={t("optional", { label: t("codes.description") })}
          hint={t("codes.description.hint")}
          maxLength={1000}
        />
      </Form>
    </Dialog>
  );
}

/** Campaign and reward are one choice, because each reward belongs to a campaign. */
function offersOf(campaigns: Joined[]): [value: string, words: string][] {
  return campaigns.flatMap(({ id, campaign, promo_code_rewards: rewards }) =>
    rewards.map((reward): [value: string, words: string] => [
      `${id} ${reward.id}`,
      campaigns.length > 1 ? `${reward.name} (${campaign.name})` : reward.name,
    ]),
  );
}
