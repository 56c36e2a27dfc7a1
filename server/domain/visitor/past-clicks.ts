import type { Origin } from "../origin/record.ts";
import type { PastClicks } from "./record.ts";
import { collection } from "../../storage/collection.ts";
import { fingerprint } from "../../storage/keys.ts";
import type { Transaction } from "../../storage/store.ts";
import { factCounts } from "../report/counters.ts";

/** The clicks of expired visitors. Visitors are deleted, but their clicks keep counting here. */
export const pastClicks = collection<PastClicks>()({
  name: "past-clicks",
  id: ({ day, promoterCampaignId, campaignId, origin }) => [
    day,
    promoterCampaignId,
    campaignId,
    // Clicks that an earlier release counted have no origin.
    ...(origin ? [fingerprint([origin.sourceKey, origin.pageKey, ...channelOf(origin)])] : []),
  ],
  claims: {},
  indexes: {},
  counts: (past) => factCounts(past, [{ metric: "clicks", at: past.day, amount: past.count }]),
});

/** Clicks without a channel keep the key that they had before there were channels. */
function channelOf({ subKey }: Origin): string[] {
  return subKey === undefined ? [] : [subKey];
}

/** Adds clicks to those of their day. */
export async function addPastClicks(tx: Transaction, added: PastClicks): Promise<void> {
  const known = await tx.get(pastClicks, added.accountId, ...pastClicks.id(added));
  await tx.put(pastClicks, { ...added, count: added.count + (known?.count ?? 0) });
}
