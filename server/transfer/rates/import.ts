import { z } from "zod";
import type { Context } from "../../domain/context.ts";
import { isCurrency } from "../../domain/money/money.ts";
import { isRate, storeRates, type DayRates } from "../../domain/money/rate.ts";
import { Failure } from "../../failure.ts";
import { ratesOfCsv } from "./csv.ts";
import { ratesOfEcb } from "./ecb.ts";
import type { BadRow, RateRow } from "./row.ts";

/** How many days one commit takes. */
const DAYS_AT_ONCE = 100;

/** The result of an import. */
export interface RatesImported {
  days: number;
  /** The first and the last day. null: there was none. */
  from: string | null;
  to: string | null;
  /** Codes of currencies that ISO 4217 doesn't have (any more). Their rates are left out. */
  unknownCurrencies: string[];
  bad: number;
}

type Day = Pick<DayRates, "day" | "base" | "rates">;

/**
 * Imports exchange rates from the text of a CSV file, or from a file of the European Central Bank.
 *
 * @throws Failure `malformed` for any other file, and for one without rates
 */
export async function importRates(
  context: Context,
  ownerId: number,
  { text, onBad }: { text: string; onBad: (row: BadRow) => void },
): Promise<RatesImported> {
  const days = new Map<string, Day>();
  const unknown = new Set<string>();
  let bad = 0;
  for await (const row of rowsOf(text)) {
    const fault = "fault" in row ? row.fault : add(row, { days, unknown });
    if (fault === null) continue;
    bad += 1;
    onBad({ line: row.line ?? 0, fault });
  }
  if (days.size === 0 && unknown.size === 0 && bad === 0) {
    throw new Failure("malformed", "The file holds no exchange rates");
  }
  const sorted = [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
  for (let at = 0; at < sorted.length; at += DAYS_AT_ONCE) {
    await storeRates(context, ownerId, sorted.slice(at, at + DAYS_AT_ONCE));
  }
  return {
    days: sorted.length,
    from: sorted[0]?.day ?? null,
    to: sorted.at(-1)?.day ?? null,
    unknownCurrencies: [...unknown].sort(),
    bad,
  };
}

async function* rowsOf(text: string): AsyncGenerator<RateRow | BadRow> {
  if (/^\uFEFF?\s*</.test(text)) yield* await ratesOfEcb(text);
  else yield* ratesOfCsv(text);
}

/** Adds a rate to its day. Returns the row's fault, or null. */
function add(
  { date, base, currency, rate }: RateRow,
  { days, unknown }: { days: Map<string, Day>; unknown: Set<string> },
): string | null {
  if (!z.iso.date().safeParse(date).success) return `${date} is not a date`;
  if (!isCurrency(base)) return `${base} is not an ISO 4217 currency`;
  if (!isCurrency(currency)) {
    unknown.add(currency);
    return null;
  }
  if (!isRate(rate)) return `${rate} is not a positive decimal number`;
  const day = days.get(date) ?? { day: date, base, rates: {} };
  if (day.base !== base) return `has the base ${base}, but lines before it have ${day.base} for ${date}`;
  days.set(date, { ...day, rates: { ...day.rates, [currency]: rate } });
  return null;
}
