import { Option, type Command } from "commander";
import { BOOK_FILES, booksCsv, type BookFile } from "../domain/ledger/books/books-csv.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { dayIn, timeZoneOf } from "../domain/program/account/time-zone.ts";
import { calendarDay } from "./options.ts";
import { withStore } from "./store.ts";

interface Options {
  at?: string;
  from?: string;
  file: BookFile;
}

/** Adds the command that writes the books. */
export function booksCommand(program: Command): void {
  program
    .command("books <account-id>")
    .description("write what promoters were owed at the end of a day, and why it changed, as CSV")
    .option("--at <day>", "the last day, usually today", calendarDay("--at"))
    .option("--from <day>", "the first day, usually the first of that month", calendarDay("--from"))
    .addOption(
      new Option("--file <file>", "a line for each promoter, or every entry")
        .choices(BOOK_FILES)
        .default("balances"),
    )
    .action(writeBooks);
}

function writeBooks(accountId: string, { at, from, file }: Options): Promise<void> {
  return withStore(async ({ store, now }) => {
    const account = await loadAccount(store, accountId);
    const to = at ?? dayIn(timeZoneOf(account), now);
    const first = from ?? `${to.slice(0, 8)}01`;
    if (first > to) throw new Error(`--from ${first} is after ${to}`);
    for await (const text of booksCsv(store, account, { file, from: first, to })) process.stdout.write(text);
  });
}
