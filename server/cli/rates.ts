import { basename } from "node:path";
import type { Command } from "commander";
import { readGivenFile } from "./options.ts";
import { print, tell, withStore } from "./store.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { openPlace } from "../outgoing/place.ts";
import { recordAllWaiting } from "../billing/waiting-run.ts";
import { importRates } from "../transfer/rates.ts";

/** Adds the command that imports exchange rates. */
export function ratesCommands(program: Command): void {
  const rates = program.command("rates").description("exchange rates for sales in other currencies");
  rates
    .command("import <file>")
    .description(
      "import a CSV file (date,base,currency,rate) or an XML file of the European Central Bank, for all accounts",
    )
    .option("--from <place>", "where the file is: a folder, an https:// address, or a driver of unstorage")
    .option("--account <account-id>", "only for this account; its own rates take precedence")
    .action(load);
}

async function load(file: string, options: { account?: string; from?: string }): Promise<void> {
  const text = await (options.from === undefined ? readGivenFile(file) : readFrom(options.from, file));
  await withStore(async (context) => {
    const owner = options.account === undefined ? null : await loadAccount(context.store, options.account);
    const { unknownCurrencies, ...imported } = await importRates(context, owner?.id ?? SYSTEM, {
      text,
      onBad: ({ line, fault }) => tell(`${basename(file)}:${line}: ${fault}`),
    });
    const run = { ...context, clock: () => context.now };
    let recorded = 0;
    for await (const count of recordAllWaiting(run)) recorded = count;
    print({ ...imported, unknown_currencies: unknownCurrencies, recorded_events: recorded });
    if (imported.bad > 0) process.exitCode = 1;
  });
}

/** @throws Failure `not_found`, or an Error in one sentence for a place that can't be read */
async function readFrom(address: string, file: string): Promise<string> {
  const place = openPlace(address, "--from");
  try {
    const text = await place.read(file);
    if (text === null) throw new Failure("not_found", `${file} was not found there`);
    return text;
  } finally {
    await place.close();
  }
}
