import { Failure } from "../failure.ts";
import type { Payout } from "../records.ts";
import { collection } from "../storage/collection.ts";
import { digest } from "../storage/keys.ts";
import type { Reader } from "../storage/store.ts";

/**
 * Each index of equal values has a counter of the same name, which gives its listing's length. The
 * `grouped` counters add up what is owed to each promoter, so that groups need no walk over payouts.
 */
export const payouts = collection<Payout>()({
  name: "payout",
  id: (payout) => [payout.id],
  claims: {},
  indexes: {
    status: ({ status }) => [status],
    campaign: ({ campaignId }) => [campaignId],
    promoter: ({ promoterId }) => [promoterId],
    batch: ({ paymentsBatchId }) => (paymentsBatchId === null ? null : [paymentsBatchId]),
    group: ({ groupRef }) => (groupRef === null ? null : groupKey(groupRef)),
    statusCampaign: ({ status, campaignId }) => [status, campaignId],
    statusPromoter: ({ status, promoterId }) => [status, promoterId],
    promoterAndCampaign: ({ promoterId, campaignId }) => [promoterId, campaignId],
    statusPromoterAndCampaign: ({ status, promoterId, campaignId }) => [status, promoterId, campaignId],
    amount: ({ amount }) => [amount],
    periodStart: ({ periodStart }) => [Date.parse(periodStart)],
    periodEnd: ({ periodEnd }) => [Date.parse(periodEnd)],
  },
  tallies: (payout) => {
    const { status, campaignId, promoterId, paymentsBatchId, groupRef } = payout;
    const grouped = ["grouped", status, promoterId, campaignId] as const;
    const isCash = payout.unit === "cash";
    return [
      [["all"], 1],
      [["status", status], 1],
      [["campaign", campaignId], 1],
      [["promoter", promoterId], 1],
      [["batch", paymentsBatchId ?? 0], 1],
      [["group", ...groupKey(groupRef ?? "")], 1],
      [["method", payout.payoutMethodId ?? 0], 1],
      [["statusCampaign", status, campaignId], 1],
      [["statusPromoter", status, promoterId], 1],
      [["promoterAndCampaign", promoterId, campaignId], 1],
      [["statusPromoterAndCampaign", status, promoterId, campaignId], 1],
      [[...grouped, "count"], 1],
      [[...grouped, "cents"], isCash ? payout.amount : 0],
      [[...grouped, "centsInclTax"], isCash ? payout.totalInclTax : 0],
      [
        ["due", status, campaignId, payout.dueDate, payout.periodEnd.slice(0, 10)],
        payout.hasOwnTerms ? 0 : 1,
      ],
    ];
  },
});

/** Any text may be asked for, and keys are short. */
export function groupKey(groupRef: string): [string] {
  return [digest(groupRef)];
}

/** @throws Failure `not_found` */
export async function loadPayout(reader: Reader, accountId: number, id: number): Promise<Payout> {
  const payout = await reader.get(payouts, accountId, id);
  if (payout === null) throw new Failure("not_found", "Payout not found.");
  return payout;
}
