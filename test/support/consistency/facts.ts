import { countLead } from "../../../server/domain/lead-facts.ts";
import { leads } from "../../../server/domain/lead.ts";
import { SERIES } from "../../../server/domain/stats.ts";
import { visitors } from "../../../server/domain/visitor.ts";
import { decodeKey, encodeKey, type Key } from "../../../server/storage/keys.ts";
import type { Transaction } from "../../../server/storage/transaction.ts";
import { readable, type Holdings } from "./structure.ts";

type Report = (fault: string) => void;

/** What leads stand for is counted as a walk of them counts it, on every day and for all whom it concerns. */
export function checkLeadFacts({ of, counted }: Holdings, report: Report): void {
  const expected = new Map<string, number>();
  const add = (counter: Key, delta: number) => {
    const key = encodeKey(counter);
    expected.set(key, (expected.get(key) ?? 0) + delta);
  };
  for (const lead of of(leads)) countLead({ add } as Transaction, lead);
  for (const key of new Set([...expected.keys(), ...counted.keys()])) {
    if (decodeKey(key).at(-1) === "clicks") continue;
    const [found, sum] = [counted.get(key) ?? 0, expected.get(key) ?? 0];
    if (found !== sum) report(`${readable(key)} counts ${found} of ${sum}`);
  }
}

/**
 * Each visitor is counted once. Where `isSeeded`, there are clicks of nobody besides; they too are counted
 * alike for the account, its campaigns and its participations.
 */
export function checkClicks(
  { of, counted }: Holdings,
  { isSeeded }: { isSeeded: boolean },
  report: Report,
): void {
  const visits = new Map<string, number>();
  for (const { accountId, promoterCampaignId } of of(visitors)) {
    const key = `${accountId} ${promoterCampaignId}`;
    visits.set(key, (visits.get(key) ?? 0) + 1);
  }
  const totals = new Map<string, number>();
  const daily = new Map<string, number>();
  const byDay = new Map<string, Map<string, number>>();
  for (const [key, sum] of counted) {
    const parts = decodeKey(key);
    if (parts.at(-1) !== "clicks") continue;
    const [accountId, name, first, second] = parts;
    if (parts[3] === "stats") totals.set(`${accountId} ${parts[4]}`, sum);
    if (!String(name).startsWith("daily.")) continue;
    const series = String(name).replace("daily.", "");
    const day = `${accountId} ${first}`;
    const sums = byDay.get(day) ?? new Map<string, number>();
    byDay.set(day, sums.set(series, (sums.get(series) ?? 0) + sum));
    const own = `${accountId} ${second}`;
    if (series === "promoter-campaign") daily.set(own, (daily.get(own) ?? 0) + sum);
  }
  for (const key of new Set([...visits.keys(), ...totals.keys(), ...daily.keys()])) {
    const [seen, total, days] = [visits, totals, daily].map((sums) => sums.get(key) ?? 0) as [
      number,
      number,
      number,
    ];
    if (total !== days) report(`participation ${key} has ${total} clicks, by days ${days}`);
    if (isSeeded ? total < seen : total !== seen)
      report(`participation ${key} has ${total} clicks of ${seen}`);
  }
  for (const [day, sums] of byDay) {
    const values = new Set(SERIES.map((series) => sums.get(series) ?? 0));
    if (values.size > 1) report(`the clicks of ${day} are ${JSON.stringify([...sums])}`);
  }
}
