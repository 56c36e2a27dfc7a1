import type { Account } from "../account/account.ts";
import type { Campaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import type { Dice } from "./dice.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back the seeded history goes. */
const HISTORY_DAYS = 365;

/** The tools that every part of a seeded program is made with. */
export interface SeedPlan {
  context: Context;
  account: Account;
  campaigns: Campaign[];
  dice: Dice;
}

/**
 * Instants of the last year up to now, oldest first: more of them in later months, and fewer at weekends and at night,
 * so that plots look like those of a growing program.
 */
export function busyInstants({ context: { now }, dice }: Pick<SeedPlan, "context" | "dice">, count: number) {
  const today = Date.parse(now.toISOString().slice(0, 10));
  const sinceMidnightMs = now.getTime() - today;
  const instants: Date[] = [];
  while (instants.length < count) {
    const daysAgo = dice.number(HISTORY_DAYS);
    const dayMs = today - daysAgo * DAY_MS;
    const partOfDay = (dice.number(1_000) + dice.number(1_000)) / 2_000;
    if (!dice.percent(busyness(daysAgo, new Date(dayMs)))) continue;
    const lengthMs = daysAgo === 0 ? sinceMidnightMs : DAY_MS;
    instants.push(new Date(dayMs + Math.floor(partOfDay * lengthMs)));
  }
  return instants.toSorted((one, other) => one.getTime() - other.getTime());
}

/** How much happens on a day, in percent of the busiest one. */
function busyness(daysAgo: number, day: Date): number {
  const growth = 100 - (80 * daysAgo) / HISTORY_DAYS;
  const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6;
  return isWeekend ? growth * 0.45 : growth;
}
