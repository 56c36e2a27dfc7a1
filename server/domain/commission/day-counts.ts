import type { Count } from "../../storage/collection.ts";
import type { KeyPart } from "../../storage/keys.ts";
import type { Store } from "../../storage/store.ts";
import type { Span } from "../span.ts";
import { dayNumber } from "../report/counters.ts";
import type { CommissionFilter } from "./filter.ts";
import type { Commission } from "./record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const COUNTER = "commission.day";

/** The filters whose matches are counted by day. */
export const COUNTED_BY_DAY = [
  "createdAt",
  "status",
  "campaignIds",
  "suspicions",
] as const satisfies (keyof CommissionFilter)[];
type DayFilter = Pick<CommissionFilter, (typeof COUNTED_BY_DAY)[number]>;

/**
 * Counts a commission by its day and by what lists are filtered by. So the length of a filtered list is known without
 * reading it, and one key serves all combinations of these filters.
 */
export function dayCount({ createdAt, status, campaignId, suspicion }: Commission): Count {
  return [[COUNTER, dayNumber(createdAt.slice(0, 10)), status, campaignId, suspicion ?? ""], 1];
}

/** Whether a range of time begins and ends with a day. */
export function isOfWholeDays({ from, before }: Span): boolean {
  return (from ?? 0) % DAY_MS === 0 && (before ?? 0) % DAY_MS === 0;
}

/** The number of commissions that pass these filters, if a range of time is one of whole days. */
export async function countByDay(store: Store, accountId: number, filter: DayFilter): Promise<number> {
  const { createdAt, status, campaignIds, suspicions } = filter;
  const isWanted = ([, ofStatus, campaignId, suspicion]: KeyPart[]) =>
    (status === undefined || ofStatus === status) &&
    (campaignIds === undefined || campaignIds.includes(Number(campaignId))) &&
    (suspicions === undefined || suspicions.some((wanted) => wanted === suspicion));
  let total = 0;
  for await (const sums of store.sums(accountId, [COUNTER], createdAt && daysIn(createdAt))) {
    for (const [names, sum] of sums) if (isWanted(names)) total += sum;
  }
  return total;
}

/** The first day, and the day after the last one, as the counters name them. */
function daysIn({ from, before }: Span): { from: number; before: number } {
  const dayAt = (ms: number) => dayNumber(new Date(ms).toISOString().slice(0, 10));
  return {
    from: from === null ? 0 : dayAt(from),
    before: before === null ? Number.MAX_SAFE_INTEGER : dayAt(before),
  };
}
