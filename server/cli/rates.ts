import { basename } from "node:path";
import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { readGivenFile } from "./options.ts";
import { print, tell, withStore } from "./store.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { openConfiguredFiles } from "../process/configured-store.ts";
import { readText } from "../storage/files.ts";
import { recordAllWaiting } from "../billing/waiting-run.ts";
import { importRates } from "../transfer/rates.ts";

/** Adds the command that imports exchange rates. */
export function ratesCommands(program: Command): void {
  const rates = program.command("rates").description("exchange rates for sales in other currencies");
  rates
    .command("import <file>")
    .description(
      "import a CSV file (date,base,currency,rate) or an XML file of the European Central Bank, also from an https:// address, for all accounts",
    )
    .option("--stored", "the file is in rates/ of FILES_URL", false)
    .option("--account <account-id>", "only for this account; its own rates take precedence")
    .action(load);
}

async function load(file: string, options: { account?: string; stored: boolean }): Promise<void> {
  const text = await readRates(file, options.stored);
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

/** How long a web server may take. */
const FETCH_MS = 10_000;

/** @throws Error in one sentence for a file that is missing or can't be read */
async function readRates(file: string, isStored: boolean): Promise<string> {
  if (isStored) return readStored(file);
  if (!/^https?:/i.test(file)) return readGivenFile(file);
  const { ok, status, text } = await fetched(file).catch((error: unknown) => {
    throw new Error(`${file} can't be reached`, { cause: error });
  });
  if (!ok) throw new Error(`${file} can't be read: its server answers ${status}`);
  return text;
}

async function fetched(address: string): Promise<{ ok: boolean; status: number; text: string }> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(FETCH_MS) });
  return { ok: answer.ok, status: answer.status, text: await answer.text() };
}

async function readStored(file: string): Promise<string> {
  const files = openConfiguredFiles(readConfig());
  try {
    const text = await readText(files, "rates", file);
    if (text === null) throw new Failure("not_found", `There is no file rates/${file} in FILES_URL`);
    return text;
  } finally {
    await files.close();
  }
}
