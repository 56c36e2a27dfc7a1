import type { CustomerHistory } from "../commission/earnings.ts";
import type { Lead, RewardStart } from "../lead/lead.ts";
import type { Reward } from "../reward/reward.ts";
import { monthsBetween } from "./months.ts";
import type { Sale } from "./record.ts";

/**
 * The past of a lead, as the rewards of a sale on this day see it. A reward that is given once is still free if only
 * later sales have got it.
 *
 * @see docs/spec/money.md "Durations"
 */
export function historyOf(lead: Lead, at: Date): CustomerHistory {
  const { customerSince, salesCount, onceRewardIds, rewardStarts = [], repeatingSince } = lead;
  const startOf = (rewardId: number) => rewardStarts.find((start) => start.rewardId === rewardId)?.at;
  const monthsSince = (from: string | null | undefined) => monthsBetween(new Date(from ?? at), at);
  return {
    ageInMonths: monthsSince(customerSince),
    salesCount,
    onceRewardIds: onceRewardIds.filter((id) => (startOf(id) ?? "") <= at.toISOString()),
    monthsOf: (rewardId) => monthsSince(repeatingSince ?? startOf(rewardId)),
  };
}

/** The lead before its next sale, with the date that former sales elsewhere, or of a former release, give its rewards. */
export function withRepeatingSince(lead: Lead): Lead {
  const isKnown = lead.rewardStarts !== undefined || lead.customerSince === null;
  return isKnown ? lead : { ...lead, repeatingSince: lead.customerSince! };
}

/**
 * The lead with the rewards that apply to a sale, and the starts by later sales that it replaces, of rewards that are given
 * once.
 */
export function withStarts(
  lead: Lead,
  { id: saleId, createdAt: at }: Sale,
  applied: Pick<Reward, "id" | "duration">[],
): { lead: Lead; replaced: RewardStart[] } {
  const starts = new Map(lead.rewardStarts?.map((start) => [start.rewardId, start]));
  const onceRewardIds = new Set(lead.onceRewardIds);
  const replaced: RewardStart[] = [];
  for (const { id: rewardId, duration } of applied) {
    if (duration !== "once" && duration !== "repeating") continue;
    const known = starts.get(rewardId);
    if (known !== undefined && known.at <= at) continue;
    if (known !== undefined && duration === "once") replaced.push(known);
    if (duration === "once") onceRewardIds.add(rewardId);
    starts.set(rewardId, { rewardId, saleId, at });
  }
  const after = { ...lead, onceRewardIds: [...onceRewardIds], rewardStarts: [...starts.values()] };
  return { lead: after, replaced };
}
