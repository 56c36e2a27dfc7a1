import { accessSync, constants } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import { loadAccount, type Account } from "../domain/account/account.ts";
import { SYSTEM, systemChance } from "../domain/context.ts";
import { freezes } from "../storage/freeze.ts";
import { openStore, storeOn } from "../storage/open.ts";
import type { Store } from "../storage/store.ts";
import { ownerOf } from "../storage/table.ts";
import { TABLES, type AnyTable } from "../tables.ts";
import { COMMISSIONS } from "../transfer/csv/commissions.ts";
import { importCsv, type Kind, type Outcome } from "../transfer/csv/import.ts";
import { CUSTOMERS, LEADS } from "../transfer/csv/leads.ts";
import { PROMOTERS } from "../transfer/csv/promoters.ts";
import { print, tell, withEngine } from "./store.ts";

/** Most unknown column titles shown. */
const MAX_TITLES = 20;
const MAX_TITLE_LENGTH = 60;
/** Most bad lines shown with the same reason. */
const MOST_ALIKE = 10;

/** In import order: a file may refer to records of the files before it. */
const KINDS: Record<string, Kind> = {
  promoters: PROMOTERS,
  leads: LEADS,
  customers: CUSTOMERS,
  commissions: COMMISSIONS,
};

type Options = { dryRun: boolean; delimiter: string } & Record<string, string | boolean | undefined>;

/** Adds the command that imports another program's CSV exports. */
export function csvCommand(program: Command): void {
  const command = program
    .command("import-csv <account-id>")
    .description("import CSV exports of another program; records that are known already stay unchanged")
    .option("--dry-run", "show what would happen, and write nothing", false)
    .option("--delimiter <character>", "the separator between columns", oneCharacter, ",");
  for (const kind of Object.keys(KINDS)) command.option(`--${kind} <file>`, `a file of ${kind}`);
  command.action(takeOver);
}

/** Larger than any id that a store gives, so that new records of a copy never meet copied ones. */
const FIRST_ID = 2 ** 40;

/** Tries work out on a copy of an account in memory, so that it writes nothing. */
export async function onCopy<T>(
  from: Store,
  account: Account,
  work: (copy: Store) => Promise<T>,
): Promise<T> {
  const copy = await openStore("memory:", { tables: TABLES });
  try {
    for (const table of TABLES) {
      if (table.name === freezes.name) continue;
      for (const accountId of [SYSTEM, account.id])
        await copyRecords([from, copy], table, { accountId, account });
    }
    let next = FIRST_ID;
    return await work({ ...copy, nextId: async () => next++ });
  } finally {
    await copy.close();
  }
}

async function takeOver(accountId: string, options: Options): Promise<void> {
  const files = Object.entries(KINDS).filter(([name]) => typeof options[name] === "string");
  if (files.length === 0) throw new Error(`Name a file: --${Object.keys(KINDS).join(", --")}`);
  // Checked before anything is written, because a file that can't be opened would end the process half way.
  for (const [name] of files) requireReadable(`--${name}`, String(options[name]));
  await withEngine(async (engine) => {
    const store = await storeOn(engine);
    const account = await loadAccount(store, accountId);
    const outcomes = options.dryRun
      ? await onCopy(store, account, (copy) => importAll(copy, account, { files, options }))
      : await importAll(store, account, { files, options });
    print({ dry_run: options.dryRun, ...outcomes });
    if (Object.values(outcomes).some(({ bad }) => bad > 0)) process.exitCode = 1;
  });
}

async function importAll(
  store: Store,
  account: Account,
  { files, options }: { files: [name: string, kind: Kind][]; options: Options },
): Promise<Record<string, Outcome>> {
  const context = { store, now: new Date(), chance: systemChance };
  const outcomes: Record<string, Outcome> = {};
  for (const [name, kind] of files) {
    const file = String(options[name]);
    const complaints = newComplaints(basename(file));
    outcomes[name] = await importCsv(context, account, {
      kind,
      file,
      delimiter: options.delimiter,
      onUnknown: (titles) => tell(`${basename(file)}:1: skipped unknown columns: ${listed(titles)}`),
      onBad: complaints.add,
    });
    complaints.sumUp();
  }
  return outcomes;
}

/**
 * Reports the bad lines of a file. Of lines with the same reason, the first are shown one by one and the others are
 * counted.
 */
function newComplaints(file: string): { add: (line: number, reason: string) => void; sumUp: () => void } {
  const repeats = new Map<string, { count: number; last: number }>();
  return {
    add(line, reason) {
      const count = (repeats.get(reason)?.count ?? 0) + 1;
      repeats.set(reason, { count, last: line });
      if (count <= MOST_ALIKE) tell(`${file}:${line}: ${reason}`);
    },
    sumUp() {
      for (const [reason, { count, last }] of repeats) {
        const more = count - MOST_ALIKE;
        if (more > 0) tell(`${file}: ${more} more such lines, the last is line ${last}: ${reason}`);
      }
    },
  };
}

/** Titles in quotes, so that nothing in them can control a terminal, and not too many. */
function listed(titles: string[]): string {
  const shown = titles.slice(0, MAX_TITLES).map((title) => JSON.stringify(title.slice(0, MAX_TITLE_LENGTH)));
  return shown.join(", ") + (titles.length > MAX_TITLES ? ` and ${titles.length - MAX_TITLES} more` : "");
}

function requireReadable(option: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Error(`${option} ${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

function oneCharacter(value: string): string {
  if (value === "\\t") return "\t";
  if (value.length === 1) return value;
  throw new Error(`--delimiter ${value} is not one character`);
}

/** Copies records of the account, and those that belong to all accounts. */
async function copyRecords(
  [from, to]: [Store, Store],
  table: AnyTable,
  { accountId, account }: { accountId: number; account: Account },
): Promise<void> {
  for await (const chunk of from.scan(table, "id", accountId, [])) {
    const own = chunk.filter((record) => [SYSTEM, account.id].includes(ownerOf(table, record)));
    if (own.length === 0) continue;
    await to.transact(async (tx) => {
      for (const record of own) await tx.insert(table, record);
    });
  }
}
