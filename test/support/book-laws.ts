import { bookEntries } from "../../server/domain/ledger/books/entry.ts";
import { keyOf } from "../../server/storage/record.ts";
import type { Store } from "../../server/storage/store.ts";
import type { TestApp } from "./app.ts";
import { newComparison } from "./comparison.ts";
import { company } from "./v2.ts";

/** The balances in money that the API showed at the end of a day, by promoter. */
export interface ShownDay {
  day: string;
  balances: Record<number, number>;
}

type Movements = Record<
  "opening" | "earned" | "reversed" | "moved" | "paid" | "returned" | "closing" | "tax" | "fees",
  number
>;
type Books = { data: (Movements & { promoter_id: number })[]; meta: { total: Movements } };

/** What the API shows now, as the end of the present day. */
export async function shownToday(app: TestApp, promoterIds: number[]): Promise<ShownDay> {
  const balances: ShownDay["balances"] = {};
  for (const id of promoterIds) {
    const { body } = await company(app, `GET /promoters/${id}`);
    balances[id] = (
      body as { balances: { current_balance: { cash: number } } }
    ).balances.current_balance.cash;
  }
  return { day: app.services.clock().toISOString().slice(0, 10), balances };
}

/** Every place where the books don't add up, or where they differ from what the API showed. */
export async function bookFaults(app: TestApp, days: ShownDay[]): Promise<string[]> {
  const { faults, compare } = newComparison();
  for (const [at, to] of days.entries()) {
    const from = days[at - 1];
    const first = from === undefined ? to.day : dayAfter(from.day);
    const books = await booksOf(app, first, to.day);
    const about = `the books from ${first} to ${to.day}`;
    const own = (name: "opening" | "closing", shown: ShownDay) =>
      Object.fromEntries(
        Object.keys(shown.balances).map((id) => [
          id,
          books.data.find(({ promoter_id }) => promoter_id === Number(id))?.[name] ?? 0,
        ]),
      );
    compare(`the end of ${about}`, own("closing", to), to.balances);
    if (from !== undefined) compare(`the beginning of ${about}`, own("opening", from), from.balances);
    for (const row of [...books.data, books.meta.total])
      compare(`the sum of ${about}`, closingOf(row), row.closing);
    for (const name of Object.keys(books.meta.total) as (keyof Movements)[])
      compare(`${name} of ${about}`, sumOf(books.data.map((row) => row[name])), books.meta.total[name]);
    compare(`what was moved in ${about}`, books.meta.total.moved, 0);
  }
  return faults;
}

/** Removes all entries, as in the store of a release without books. */
export async function forgetBooks(store: Store, accountId: number): Promise<void> {
  const entries = await store.list(bookEntries, "id", accountId, []);
  await store.transact(async (tx) => {
    for (const entry of entries) await tx.remove(bookEntries, accountId, ...keyOf(bookEntries, entry));
  });
}

async function booksOf(app: TestApp, from: string, to: string): Promise<Books> {
  return (await company(app, `GET /books?from=${from}&to=${to}&per_page=100`)).body as Books;
}

function closingOf({ opening, earned, reversed, moved, paid, returned }: Movements): number {
  return opening + earned - reversed + moved - paid + returned;
}

function sumOf(amounts: number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
}
