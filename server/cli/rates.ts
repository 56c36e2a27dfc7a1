import { basename } from "node:path";
import type { Command } from "commander";
import { print, tell, withStore } from "./store.ts";
import { loadAccount } from "../domain/account/account.ts";
import { SYSTEM } from "../domain/account/record.ts";
import { importRates } from "../transfer/rates/import.ts";

/** Adds the command that imports exchange rates. */
export function ratesCommands(program: Command): void {
  const rates = program.command("rates").description("exchange rates for sales in other currencies");
  rates
    .command("import <file>")
    .description(
      "import a CSV file (date,base,currency,rate) or an XML file of the European Central Bank, for all accounts",
    )
    .option("--account <account-id>", "only for this account; its own rates come before the others")
    .action(load);
}

async function load(file: string, options: { account?: string }): Promise<void> {
  await withStore(async (context) => {
    const owner = options.account === undefined ? null : await loadAccount(context.store, options.account);
    const { unknownCurrencies, ...imported } = await importRates(context, owner?.id ?? SYSTEM, {
      file,
      onBad: ({ line, fault }) => tell(`${basename(file)}:${line}: ${fault}`),
    });
    print({ ...imported, unknown_currencies: unknownCurrencies });
    if (imported.bad > 0) process.exitCode = 1;
  });
}
