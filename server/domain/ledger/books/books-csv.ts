import { csvForPeople, type Line } from "../../../csv.ts";
import type { View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { decimalOf } from "../../money.ts";
import { entriesOf, loadBooks, loadPayees, totalOf, type BookDays, type Movements } from "./books.ts";

export const BOOK_FILES = ["balances", "entries"] as const;

export type BookFile = (typeof BOOK_FILES)[number];

const MOVEMENTS = [
  "opening",
  "earned",
  "reversed",
  "moved",
  "paid",
  "returned",
  "closing",
  "tax",
  "fees",
] as const satisfies (keyof Movements)[];

/** @see docs/spec/money.md "The books" */
const COLUMNS: Record<BookFile, string[]> = {
  balances: ["from", "to", "promoter_id", "promoter", "email", "currency", ...MOVEMENTS],
  entries: ["at", "day", "kind", "promoter_id", "record", "record_id", "currency", "amount", "tax"],
};

/** Writes the books as a CSV file, in parts. */
export async function* booksCsv(
  view: View,
  account: Account,
  { file, ...days }: BookDays & { file: BookFile },
): AsyncGenerator<string> {
  const columns = COLUMNS[file];
  yield csvForPeople([], { columns, header: true });
  for await (const lines of LINES[file](view, account, days))
    if (lines.length > 0) yield csvForPeople(lines, { columns });
}

const LINES = { balances: balanceLines, entries: entryLines };

/** How many promoters are named at once. */
const CHUNK = 1_000;

/** A line for each promoter, and one for all of them. */
async function* balanceLines(view: View, account: Account, days: BookDays): AsyncGenerator<Line[]> {
  const { from, to } = days;
  const books = await loadBooks(view, account, days);
  const common = { from, to, currency: account.currency };
  for (let at = 0; at < books.length; at += CHUNK) {
    const chunk = books.slice(at, at + CHUNK);
    const ids = chunk.map(({ promoter_id }) => promoter_id);
    const payees = await loadPayees(view, account.id, ids);
    yield chunk.map(({ promoter_id, ...movements }) => {
      const payee = payees.get(promoter_id);
      const who = { promoter_id, promoter: payee?.name ?? null, email: payee?.email ?? null };
      return { ...common, ...who, ...amountsOf(movements, account) };
    });
  }
  yield [
    { ...common, promoter_id: "total", promoter: null, email: null, ...amountsOf(totalOf(books), account) },
  ];
}

async function* entryLines(view: View, account: Account, days: BookDays): AsyncGenerator<Line[]> {
  const timeZone = timeZoneOf(account);
  for await (const entries of entriesOf(view, account, days)) {
    yield entries.map(({ at, kind, promoter_id, record, record_id, amount, tax }) => ({
      at,
      day: dayIn(timeZone, new Date(at)),
      kind,
      promoter_id,
      record,
      record_id,
      currency: account.currency,
      amount: cell(amount, account),
      tax: cell(tax, account),
    }));
  }
}

function amountsOf(movements: Movements, account: Account): Line {
  return Object.fromEntries(MOVEMENTS.map((name) => [name, cell(movements[name], account)]));
}

/** An amount in units of the currency. */
function cell(amount: number, { currency }: Account): { decimal: string } {
  const written = decimalOf(Math.abs(amount), currency);
  return { decimal: amount < 0 ? `-${written}` : written };
}
