import { Failure } from "../../failure.ts";
import type { Payout } from "./record.ts";
import { collection, listCounts, type Count } from "../../storage/collection.ts";
import { digest } from "../../storage/keys.ts";
import type { Reader } from "../../storage/store.ts";
import { BATCH_STATUS_COUNTER } from "../payments-batch/counter.ts";
import { balanceCounts } from "../commission/balance.ts";
import { factCounts } from "../report/counters.ts";

/** The `payout.grouped` counters hold the sums of each promoter, so that lists by promoter need not read every payout. */
export const payouts = collection<Payout>()({
  name: "payout",
  id: (payout) => [payout.id],
  claims: {
    /** A run pays a promoter once for each campaign and unit. */
    run: ({ runId, status, promoterId, campaignId, unit }) =>
      runId === null || status === "cancelled" ? null : [runId, promoterId, campaignId, unit],
  },
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
  counts: (payout) => [...lengths(payout), ...owed(payout), ...batched(payout), ...paid(payout)],
});

function lengths({ status, campaignId, promoterId, paymentsBatchId, groupRef }: Payout): Count[] {
  return listCounts("payout", {
    status: [status],
    campaign: [campaignId],
    promoter: [promoterId],
    batch: [paymentsBatchId ?? 0],
    group: groupKey(groupRef ?? ""),
    statusCampaign: [status, campaignId],
    statusPromoter: [status, promoterId],
    promoterAndCampaign: [promoterId, campaignId],
    statusPromoterAndCampaign: [status, promoterId, campaignId],
  });
}

function owed(payout: Payout): Count[] {
  const { status, promoterId, campaignId, unit, amount, totalInclTax } = payout;
  const grouped = ["payout.grouped", status, promoterId, campaignId] as const;
  return [
    [["payout.method", payout.payoutMethodId ?? 0], 1],
    [[...grouped, "count"], 1],
    [[...grouped, "cents"], unit === "cash" ? amount : 0],
    [[...grouped, "centsInclTax"], unit === "cash" ? totalInclTax : 0],
    [["payout.due", status, campaignId, payout.dueDate, periodEndDateOf(payout)], payout.hasOwnTerms ? 0 : 1],
  ];
}

/** The calendar day on which the period of a payout ended, in the time zone that the account had. */
export function periodEndDateOf({ periodEndDate, periodEnd }: Payout): string {
  return periodEndDate ?? periodEnd.slice(0, 10);
}

/** The totals and the progress of its payments batch. */
function batched({ paymentsBatchId, promoterId, status, totalInclTax }: Payout): Count[] {
  if (paymentsBatchId === null) return [];
  return [
    [["payout.batched", paymentsBatchId, promoterId], totalInclTax],
    [[BATCH_STATUS_COUNTER, paymentsBatchId, status], 1],
  ];
}

/** A completed payout counts on the day when it was paid. */
function paid(payout: Payout): Count[] {
  if (payout.status !== "completed") return [];
  const { unit, amount, paidAt } = payout;
  return [
    ...balanceCounts(payout, { earnings: 0, paid: amount }),
    ...factCounts(payout, unit === "cash" ? [{ metric: "paidCents", at: paidAt, amount }] : []),
  ];
}

/** A group ref may be any text, but keys must be short. */
export function groupKey(groupRef: string): [string] {
  return [digest(groupRef)];
}

/** @throws Failure `not_found` */
export async function loadPayout(reader: Reader, accountId: number, id: number): Promise<Payout> {
  const payout = await reader.get(payouts, accountId, id);
  if (payout === null) throw new Failure("not_found", "Payout not found.");
  return payout;
}
