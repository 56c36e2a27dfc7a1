import { z } from "zod";
import type { Context } from "../domain/context.ts";
import { isCurrency } from "../domain/money.ts";
import { isRate, storeRates, type DayRates } from "../domain/ledger/rate.ts";
import { Failure } from "../failure.ts";
import { wordOf } from "./csv/columns.ts";
import { readHeader, readLines } from "./csv/read.ts";

/** Days per commit. */
const DAYS_AT_ONCE = 100;

/** The result of an import. */
export interface RatesImported {
  days: number;
  /** The first and the last day, or null if there was none. */
  from: string | null;
  to: string | null;
  /** Currency codes that are not, or no longer, in ISO 4217. Their rates are skipped. */
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
    throw new Failure("malformed", "The file has no exchange rates");
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

const COLUMNS = ["date", "base", "currency", "rate"] as const;

/**
 * Yields the rates of a CSV file with the columns `date`, `base`, `currency` and `rate`.
 *
 * @throws Failure `malformed` for a file with none of the columns
 */
async function* ratesOfCsv(text: string): AsyncGenerator<RateRow | BadRow> {
  const file = () => [Buffer.from(text)];
  const header = await readHeader(file, ",");
  const words = header.titles.map(wordOf);
  if (!COLUMNS.some((name) => words.includes(name)))
    throw new Failure("malformed", `No column is known; these are possible: ${COLUMNS.join(", ")}`);
  for await (const { line, cells, fault } of readLines(file, header)) {
    const missing = COLUMNS.filter((name) => !cells?.[words.indexOf(name)]);
    if (cells === null) yield { line, fault: fault ?? "can't be read" };
    else if (missing.length > 0) yield { line, fault: `has no ${missing.join(", ")}` };
    else {
      const [date = "", base = "", currency = "", rate = ""] = COLUMNS.map(
        (name) => cells[words.indexOf(name)],
      );
      yield { line, date, base: base.toUpperCase(), currency: currency.toUpperCase(), rate };
    }
  }
}

/** All rates of the European Central Bank are for one euro. */
const BASE = "EUR";

const envelope = z.object({
  Envelope: z.object({
    Cube: z.tuple([
      z.object({
        Cube: z
          .array(
            z.object({
              time: z.string(),
              Cube: z.array(z.object({ currency: z.string(), rate: z.string() })),
            }),
          )
          .min(1),
      }),
    ]),
  }),
});

/**
 * The rates of a file of the European Central Bank: that of a day, of ninety days, or of all days since 1999.
 *
 * @throws Failure `malformed` for any other file
 * @see https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
async function ratesOfEcb(text: string): Promise<RateRow[]> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    // A number could lose digits.
    parseAttributeValue: false,
    removeNSPrefix: true,
    processEntities: false,
    isArray: (name) => name === "Cube",
  });
  const parsed = envelope.safeParse(read(parser, text));
  if (!parsed.success)
    throw new Failure("malformed", "The file does not hold exchange rates of the European Central Bank");
  return parsed.data.Envelope.Cube[0].Cube.flatMap(({ time, Cube }) =>
    Cube.map((cube) => ({ line: null, date: time, base: BASE, ...cube })),
  );
}

function read(parser: { parse(text: string): unknown }, text: string): unknown {
  try {
    return parser.parse(text);
  } catch {
    return null; // Broken XML is reported like a file without rates.
  }
}

/** One rate of a file: how much of a currency one unit of the base buys on a day. */
interface RateRow {
  /** Null if the file's format has no lines. */
  line: number | null;
  date: string;
  base: string;
  currency: string;
  rate: string;
}

/** A line that can't be read. */
interface BadRow {
  line: number;
  fault: string;
}
