import { readCsv } from "../csv/read.ts";
import type { BadRow, RateRow } from "./row.ts";

const COLUMNS = ["date", "base", "currency", "rate"] as const;

/**
 * Yields the rates of a CSV file with the columns `date`, `base`, `currency` and `rate`.
 *
 * @throws Failure `malformed` for a file with none of the columns
 */
export async function* ratesOfCsv(text: string): AsyncGenerator<RateRow | BadRow> {
  const form = { columns: COLUMNS.map((name) => [name]), delimiter: ",", onUnknown: () => {} };
  for await (const { line, values, fault } of readCsv([text], form)) {
    const missing = COLUMNS.filter((name) => values?.[name] === undefined);
    if (values === null) yield { line, fault: fault ?? "can't be read" };
    else if (missing.length > 0) yield { line, fault: `has no ${missing.join(", ")}` };
    else {
      const [date = "", base = "", currency = "", rate = ""] = COLUMNS.map((name) => values[name]);
      yield { line, date, base: base.toUpperCase(), currency: currency.toUpperCase(), rate };
    }
  }
}
