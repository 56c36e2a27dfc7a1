import type { Belonging, PromoterCampaign } from "../../server/domain/promoter-campaign/record.ts";
import { collection } from "../../server/storage/collection.ts";
import { factCounts, type Fact } from "../../server/domain/report/counters.ts";
import type { Store } from "../../server/storage/store.ts";

type CountedFact = Belonging & Fact & { id: number };

/** Stands for records that do not exist yet, such as refunds, by their counts. */
const countedFacts = collection<CountedFact>()({
  name: "counted-fact",
  id: ({ id }) => [id],
  claims: {},
  indexes: {},
  counts: (fact) => factCounts(fact, [fact]),
});

/** Writes a record that counts for a promoter campaign. */
export async function putFact(
  store: Store,
  { accountId, id: promoterCampaignId, promoterId, campaignId }: PromoterCampaign,
  fact: Fact,
): Promise<void> {
  const id = await store.nextId("counted-fact");
  const owner = { accountId, promoterCampaignId, promoterId, campaignId };
  await store.transact((tx) => tx.insert(countedFacts, { ...owner, ...fact, id }));
}
