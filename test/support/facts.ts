import type { PromoterCampaign } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { integer, table, text, type Table } from "../../server/storage/table.ts";
import { dailySums, type Count, type Metric } from "../../server/domain/people/daily.ts";
import type { Store } from "../../server/storage/store.ts";

const fields = {
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  metric: text<Metric>(),
  /** The instant that determines the day, or the day itself. */
  at: text(),
  /** Absent: 1. */
  amount: integer().optional(),
  id: integer(),
};

/** Stands for records that do not exist yet, such as refunds, by their counts. */
const countedFacts = table("counted-fact", fields, {
  sums: dailySums((fact) => [fact]),
});

/** The tables that stores of tests have besides those of the server. */
export const TEST_TABLES = [countedFacts] as unknown as Table<never>[];

/** Writes a record that counts for a promoter campaign. */
export async function putFact(
  store: Store,
  { account_id, id: promoterCampaignId, promoter_id, campaign_id }: PromoterCampaign,
  fact: Count,
): Promise<void> {
  const id = await store.nextId("counted-fact");
  const owner = { account_id, promoter_campaign_id: promoterCampaignId, promoter_id, campaign_id };
  await store.transact((tx) => tx.insert(countedFacts, { ...owner, ...fact, id }));
}
