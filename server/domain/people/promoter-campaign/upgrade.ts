import { Failure } from "../../../failure.ts";
import { among } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import type { Chance, LeasedContext } from "../../context.ts";
import { PROCESS } from "../../access/audit/audit.ts";
import { servedAccounts } from "../../program/account/account.ts";
import { campaigns, type Campaign } from "../../program/campaign/campaign.ts";
import { counted, countedDays, type DailySchema } from "../daily.ts";
import { moveToCampaign } from "./changes.ts";
import { promoterCampaigns, type PromoterCampaign } from "./promoter-campaign.ts";

/**
 * Moves accepted promoters who have reached the goal of their campaign to its next one, with their leads if the campaign
 * says so. Those who are in the next campaign already stay in both.
 *
 * @see docs/spec/states.md "Promoters and promoter campaigns"
 */
export async function* movePromotersUp(run: LeasedContext & { chance: Chance }): AsyncGenerator<void> {
  const { store } = run;
  for await (const { id: accountId } of servedAccounts(store)) {
    for await (const found of store.scan(campaigns, "upgrade", accountId, [])) {
      for (const campaign of found) {
        const key = [campaign.id, "accepted"];
        for await (const some of store.scan(promoterCampaigns, "campaign_state", accountId, key)) {
          for (const { promoter_id } of await reached(store, campaign, some)) {
            await moveUp(run, campaign, promoter_id);
          }
          yield;
        }
      }
    }
  }
}

/** Those of a campaign's promoter campaigns that have reached its goal. */
async function reached(
  view: View,
  { account_id, upgrade }: Campaign,
  found: PromoterCampaign[],
): Promise<PromoterCampaign[]> {
  if (upgrade === null || found.length === 0) return [];
  const rows = await view.rows(
    countedDays(view.query<DailySchema>(), account_id)
      .where(
        among(
          "daily.subject_id",
          found.map(({ promoter_id }) => promoter_id),
        ),
      )
      .where(
        among(
          "daily.promoter_campaign_id",
          found.map(({ id }) => id),
        ),
      )
      .groupBy("daily.promoter_campaign_id")
      .having(counted(upgrade.metric), ">=", upgrade.amount)
      .select("daily.promoter_campaign_id as id"),
  );
  const ids = new Set(rows.map(({ id }) => Number(id)));
  return found.filter(({ id }) => ids.has(id));
}

async function moveUp(
  { store, clock, chance }: LeasedContext & { chance: Chance },
  { account_id, id: fromCampaignId, upgrade }: Campaign,
  promoterId: number,
): Promise<void> {
  if (upgrade === null) return;
  try {
    await moveToCampaign({ store, chance, now: clock(), actor: PROCESS }, account_id, {
      selection: { by: "id", value: String(promoterId) },
      fromCampaignId,
      toCampaignId: upgrade.campaign_id,
      moves_leads: upgrade.moves_leads,
    });
  } catch (error) {
    // The promoter is in the next campaign already, is archived, or was moved meanwhile.
    const isExpected = error instanceof Failure && (error.kind === "refused" || error.kind === "not_found");
    if (!isExpected) throw error;
  }
}
