import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import type { CampaignViewProps } from "./campaign.tsx";
import type { Campaign } from "./choices.ts";

type Changes = components["schemas"]["UpdateCampaignBody"];

/** Saves changes to a campaign, and shows the saved state. @throws Refusal */
export async function saveCampaign(
  { campaign, reload }: CampaignViewProps,
  body: Changes,
): Promise<Campaign> {
  const params = { path: { id: campaign.id } };
  const saved = await answer(api.PUT("/api/v2/company/campaigns/{id}", { params, body }));
  toast("The campaign was saved");
  await reload();
  return saved;
}
