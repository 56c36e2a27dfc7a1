import { z } from "zod";
import {
  loadBooks,
  loadPayees,
  totalOf,
  type BookDays,
  type Movements,
} from "../../domain/ledger/books/books.ts";
import { BOOK_FILES, booksCsv } from "../../domain/ledger/books/books-csv.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { dayIn, timeZoneOf } from "../../domain/program/account/time-zone.ts";
import { Failure } from "../../failure.ts";
import { field } from "../../http/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { oneOf, word } from "../../input/fields.ts";
import { logExport } from "../export/exports.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";
import { pageParams, readListing } from "../../resource/listing.ts";

const day = word(10).refine(isDay, "is not a day such as 2026-01-31");
const dayParams = z.object({
  from: field(
    day.optional(),
    "The first day, in the account's time zone. Without it, the first of the month of `to`.",
    "2026-03-01",
  ),
  to: field(day.optional(), "The last day, which counts whole. Without it, today.", "2026-03-31"),
});
const booksParams = dayParams.extend(pageParams.shape);
const fileParams = dayParams.extend({
  file: field(
    oneOf(BOOK_FILES).default("balances"),
    "`balances`: a line for each promoter, and one for all. `entries`: every change, oldest first.",
  ),
});

const cents = (meaning: string, example: number) => field(z.int(), meaning, example);
const movements = {
  opening: cents("Owed at the beginning of the first day.", 5000),
  earned: cents("Commissions that were approved.", 20000),
  reversed: cents("Commissions that were taken back, denied or deleted.", 3000),
  moved: cents("What came from other promoters, less what went to others.", 0),
  paid: cents("Payouts that were marked as paid, without tax.", 12000),
  returned: cents("Payouts that were marked as unpaid again, or came back.", 0),
  closing: cents("Owed at the end of the last day.", 10000),
  tax: cents("Tax that was paid beside `paid`, less what came back.", 0),
  fees: cents("Fees of payment providers.", 25),
};

const booksAnswer = z.object({
  data: field(
    z.array(
      z
        .object({
          promoter_id: field(z.int(), "Id of the promoter.", 17),
          name: field(z.string().nullable(), "Name of the promoter, or null if deleted since.", "Jane Doe"),
          email: field(
            z.string().nullable(),
            "E-mail address, or null if deleted since.",
            "jane@example.com",
          ),
          ...movements,
        })
        .meta({ id: "PromoterBooks" }),
    ),
    "The promoters who were owed anything, or for whom anything happened.",
  ),
  meta: field(
    z.object({
      currency: field(z.string(), "Currency of the amounts (ISO 4217).", "USD"),
      from: field(z.iso.date(), "The first day."),
      to: field(z.iso.date(), "The last day."),
      total: field(z.object(movements), "The sums of all promoters."),
    }),
    "The days, and the sums of all promoters.",
  ),
});

const showBooksOperation: V2Operation = {
  id: "getBooks",
  summary: "Show what is owed to promoters at a date",
  description:
    "Shows what was owed to promoters in money at the beginning and the end of some days, and why it changed: `closing` is `opening` + `earned` − `reversed` + `moved` − `paid` + `returned`. All amounts are in the currency's minor unit. Later changes don't alter the books of past days. An extension of Tidemark.",
  params: booksParams,
  answer: booksAnswer,
  isPaged: true,
  refusals: ["invalid"],
  async handle(request: V2Request) {
    const { account, context } = request;
    const { params, page, window } = readListing(request, booksParams);
    const days = daysOf(account, context.now, params);
    const books = await loadBooks(context.store, account, days);
    const shown = books.slice(window.offset, window.offset + window.limit);
    const ids = shown.map(({ promoter_id }) => promoter_id);
    const payees = await loadPayees(context.store, account.id, ids);
    setPageHeaders(request, page, books.length);
    return {
      data: shown.map(({ promoter_id, ...rest }) => ({
        promoter_id,
        name: payees.get(promoter_id)?.name ?? null,
        email: payees.get(promoter_id)?.email ?? null,
        ...movementsJson(rest),
      })),
      meta: { currency: account.currency, ...days, total: movementsJson(totalOf(books)) },
    };
  },
};

const downloadBooksOperation: V2Operation = {
  id: "downloadBooks",
  summary: "Download the books as a CSV file",
  description:
    "Downloads the books of some days for accounting: the balances of promoters, or every entry. `docs/spec/money.md` lists the columns. Amounts are in units of the currency. The audit log records who downloaded it. An extension of Tidemark.",
  params: fileParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request: V2Request) {
    const { account, context, headers } = request;
    const { params } = readListing(request, fileParams);
    const { file } = params;
    const days = daysOf(account, context.now, params);
    await logExport(request, "payout");
    headers["content-disposition"] = `attachment; filename="books-${file}-${days.from}-${days.to}.csv"`;
    return booksCsv(context.store, account, { file, ...days });
  },
};

/** The books. The paths are below `/api/v2/company`. */
export const BOOKS_OPERATIONS: V2Row[] = [
  ["GET", "/books", showBooksOperation],
  ["GET", "/books/download", downloadBooksOperation, "manager"],
];

/** @throws Failure `invalid` if the days are in the wrong order */
function daysOf(
  account: Account,
  now: Date,
  given: { from?: string | undefined; to?: string | undefined },
): BookDays {
  const to = given.to ?? dayIn(timeZoneOf(account), now);
  const from = given.from ?? `${to.slice(0, 8)}01`;
  if (from > to)
    throw new Failure("invalid", "Validation failed: from is after to", { from: ["is after to"] });
  return { from, to };
}

function isDay(value: string): boolean {
  const parsed = new Date(`${value}T00:00:00.000Z`);
  return /^[12]\d{3}-\d\d-\d\d$/.test(value) && parsed.toJSON()?.startsWith(value) === true;
}

function movementsJson(books: Movements): Movements {
  const { opening, earned, reversed, moved, paid, returned, closing, tax, fees } = books;
  return { opening, earned, reversed, moved, paid, returned, closing, tax, fees };
}
