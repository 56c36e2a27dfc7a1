import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { readConfig } from "../config.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { payoutMethods } from "../domain/ledger/payout-method/payout-method.ts";
import { openKeyed } from "../process/configured-store.ts";
import { checkLayout, LAYOUT, readMark, refusalOf } from "../storage/layout.ts";
import { openEngine } from "../storage/open.ts";
import { makeFolder } from "../storage/owner.ts";
import type { Engine } from "../storage/session.ts";
import { newStore } from "../storage/store.ts";
import { newView } from "../storage/view.ts";
import { UNFINISHED } from "../storage/whole-file.ts";
import { TABLES } from "../tables.ts";
import { isShared, newOwnership } from "../transfer/account.ts";
import { findFaults, rebuildStore } from "../transfer/check.ts";
import { exportLines, writeNewFile } from "../transfer/export.ts";
import { importFile } from "../transfer/import.ts";
import { totalsOf, type Item, type Totals } from "../transfer/item.ts";
import { moveAccounts, moveStore } from "../transfer/move.ts";
import { opening, writeOpenFiles } from "../transfer/open/export.ts";
import { counting, type Progress } from "../transfer/progress.ts";
import { atOneMoment, itemsIn } from "../transfer/stored-items.ts";
import { planUpgrade, upgradeStore } from "../transfer/upgrade.ts";
import { requireFile } from "./options.ts";
import { newProgressView, totalFor } from "./progress.ts";
import { print, tell, usingEngine, withEngine } from "./store.ts";

/** Adds the commands that copy a whole store. */
export function transferCommands(program: Command): void {
  program
    .command("export [file]")
    .description(
      "write the store to a new file as JSON lines (- for standard output); servers may keep running",
    )
    .addOption(accountsOption())
    .option("--open <account-id>", "instead, write an account as CSV and JSON lines for other programs")
    .option("--out <folder>", "the new or empty folder for --open")
    .option(
      "--payout-details",
      "include the details of payout methods, such as bank accounts, which are not encrypted then",
      false,
    )
    .action(exportAs);
  resumable(program.command("import <file>"))
    .description("fill an empty store with an export")
    .addOption(accountsOption())
    .action(importFrom);
  program
    .command("backup <folder>")
    .description("copy a SQLite store to a new or empty folder; servers may keep running")
    .action((folder: string) => backUp(resolve(folder)));
  resumable(program.command("move <from-url> <to-url>"))
    .description(
      "copy a store into an empty one and compare the two; stop the servers first, unless you name accounts",
    )
    .addOption(accountsOption())
    .action(move);
  program
    .command("upgrade")
    .description("give the store of an earlier release the form that this one needs; stop the servers first")
    .option("--backup <file>", "file for the backup that is written first; usually in the store's folder")
    .option("--check", "only show what would happen", false)
    .action(({ backup, check }: { backup?: string; check: boolean }) =>
      check ? showPlan() : upgrade(backup ?? null),
    );
}

/** Adds the commands that check and repair a store. */
export function checkCommands(program: Command): void {
  program
    .command("check")
    .description(
      "look for damage in the files, then compare columns and sums with the records; servers may keep running",
    )
    .action(() =>
      withEngine(async (engine) => {
        const damage = (await engine.damage?.()) ?? [];
        // Data of a damaged file are unreliable.
        if (damage.length > 0) return conclude(await writeFaults(damage), RESTORE);
        await checkLayout(engine);
        await tellingFaults(engine, REBUILD, (show) => findFaults(engine, show));
      }),
    );
  program
    .command("rebuild")
    .description("repair wrong columns and sums from the records; stop the servers first")
    .action(() =>
      withEngine(async (engine) => {
        if (await engine.isShared()) {
          throw new Error("A server or another command uses the store: stop it, and run the rebuild again");
        }
        await tellingFaults(engine, RESTORE, async function* (show) {
          yield* await rebuildStore(engine, show);
        });
      }),
    );
}

interface Options {
  resume: boolean;
  force: boolean;
  /** All accounts, if empty. */
  account: string[];
}

function accountsOption(): Option {
  return new Option("--account <account-id>", "only this account; may be repeated")
    .default([], "all")
    .argParser((publicId, others: string[]) => [...new Set([...others, publicId])]);
}

function resumable(command: Command): Command {
  return command
    .option("--resume", "continue after an interruption", false)
    .option("--force", "start over after an interruption", false);
}

async function showPlan(): Promise<void> {
  const { storageUrl: url } = readConfig();
  const planning = async (engine: Engine) => {
    for (const sentence of await planUpgrade(engine, { url, now: new Date() }))
      process.stdout.write(`${sentence}\n`);
  };
  await withEngine(planning, "tables");
}

async function upgrade(file: string | null): Promise<void> {
  const { storageUrl: url } = readConfig();
  const upgrading = (engine: Engine) =>
    showing(engine, async (onProgress) => {
      const backup = await upgradeStore(engine, { url, now: new Date(), onProgress, file });
      print({ layout: LAYOUT, backup });
    });
  await withEngine(upgrading, "tables");
}

interface OpenOptions {
  open?: string;
  out?: string;
  payoutDetails: boolean;
}

async function exportAs(
  file: string | undefined,
  options: Pick<Options, "account"> & OpenOptions,
): Promise<void> {
  const { open, out } = options;
  if (open === undefined) {
    if (out !== undefined) throw new Error("--out needs --open");
    if (file === undefined) throw new Error("Name a file, or an account: --open ACCOUNT_ID --out FOLDER");
    return exportTo(file, options);
  }
  if (file !== undefined || options.account.length > 0)
    throw new Error("--open writes one account to a folder: --open ACCOUNT_ID --out FOLDER");
  if (out === undefined) throw new Error("Name a folder: --out FOLDER");
  await exportOpen(open, resolve(out), options.payoutDetails);
}

/** Writes an account for other programs, as it is at one moment. */
async function exportOpen(publicId: string, folder: string, hasPayoutDetails: boolean): Promise<void> {
  await withEngine(async (engine) => {
    await checkLayout(engine);
    const account = await loadAccount(newStore(engine), publicId);
    const counts = await showing(null, async (onProgress) => {
      const onRecords = counting("exported", onProgress);
      const results = atOneMoment(engine, async function* (reads) {
        const from = opening(newView(reads, engine.seal), account, hasPayoutDetails);
        yield await writeOpenFiles(from, { folder, onRecords });
      });
      for await (const each of results) return each;
      return {};
    });
    print({ folder, ...counts });
  });
}

async function exportTo(
  file: string,
  { account: accounts, payoutDetails }: Pick<Options, "account"> & Pick<OpenOptions, "payoutDetails">,
): Promise<void> {
  await withEngine(async (engine) => {
    await checkLayout(engine);
    const isWanted = await choiceOf(engine, accounts);
    const totals = await showing(engine, async (onProgress) => {
      let atEnd: Totals | null = null;
      const onEnd = (end: Totals) => void (atEnd = end);
      const secrets = payoutDetails ? "plain" : "left out";
      await writeNewFile(
        exportLines(engine, { now: new Date(), onProgress, onEnd, isWanted, secrets }),
        file,
      );
      return atEnd as Totals | null;
    });
    tell(`exported ${totals?.entries} records, SHA-256 ${totals?.sha256}`);
    if (!payoutDetails && totals?.records[payoutMethods.name] !== undefined)
      tell("The details of payout methods were left out; --payout-details includes them");
  });
}

async function importFrom(file: string, { resume, force, account }: Options): Promise<void> {
  requireFile(file);
  const importing = (engine: Engine) =>
    showing(null, async (onProgress) => {
      const interrupted = { resumes: resume, isForced: force };
      print(await importFile(engine, { file, accounts: account, onProgress, ...interrupted }));
    });
  await withEngine(importing, "store");
}

/** Makes a filter of the items of some accounts. */
async function choiceOf(engine: Engine, publicIds: string[]): Promise<(item: Item) => boolean> {
  if (publicIds.length === 0) return () => true;
  const store = newStore(engine);
  const owners = await Promise.all(publicIds.map((publicId) => loadAccount(store, publicId)));
  const isOwned = newOwnership(owners.map(({ id }) => id));
  return (item) => isOwned(item) || isShared(item);
}

/**
 * Shows the progress of work on a whole store. `source` is the store that is read, or null for other sources.
 */
async function showing<T>(source: Engine | null, work: (show: Progress) => Promise<T>): Promise<T> {
  const screen = process.stderr;
  const view = newProgressView(screen, source && (await totalFor(screen, source)));
  try {
    return await work(view.show);
  } finally {
    view.end();
  }
}

async function backUp(folder: string): Promise<void> {
  await withEngine(async (engine) => {
    if (engine.backup === undefined)
      throw new Error("This store has no files to copy; use export, or the database's own tools");
    // A store of an earlier release is copied unchanged, but an incomplete store is not.
    const { mark } = await readMark(engine.reads);
    if (mark?.underWay !== undefined) throw refusalOf(mark.underWay);
    makeFolder(folder);
    const names = await readdir(folder);
    if (names.some((name) => !name.includes(UNFINISHED))) throw new Error(`${folder} is not empty`);
    await engine.backup(folder);
  });
  // The copy is read once, because an unreadable copy is useless.
  await usingEngine(openEngine(`sqlite:${folder}`, { tables: TABLES, makes: "tables" }), async (copy) =>
    print(await totalsOf(itemsIn(copy.reads))),
  );
}

async function move(fromUrl: string, toUrl: string, { resume, force, account }: Options): Promise<void> {
  if (fromUrl === toUrl) throw new Error("The two stores are the same");
  const interrupted = { resumes: resume, isForced: force };
  const config = { ...readConfig(), storageUrl: fromUrl };
  await usingEngine(openKeyed(config, { makes: "tables", notify: tell }), (from) =>
    usingEngine(openEngine(toUrl, { tables: TABLES, ...(from.seal && { seal: from.seal }) }), async (to) =>
      print(
        await showing(null, (onProgress) =>
          account.length === 0
            ? moveStore([from, to], { onProgress, ...interrupted })
            : moveAccounts([from, to], { accounts: account, onProgress, ...interrupted }),
        ),
      ),
    ),
  );
  const hasUsualKey = config.secretKeys.length === 0 && config.secretFile === null;
  if (hasUsualKey) tell("The new store needs the key of the former one: see TIDEMARK_SECRET_FILE");
  if (account.length > 0) tell(NEXT_STEPS);
}

const NEXT_STEPS = `Next: start a server on the new store, and route the moved accounts' requests to it. Until then, changes get
503 and reads the old data. Then remove them from the old store: tidemark account remove ID --yes`;

/** The remedies for faults. */
const RESTORE = "Stop the servers and restore a backup.";
const REBUILD =
  "`tidemark rebuild` repairs columns and sums; stop the servers first. For other faults, restore a backup.";

/** Writes the faults of `work`, and shows its progress. */
async function tellingFaults(
  engine: Engine,
  remedy: string,
  work: (show: Progress) => AsyncIterable<string>,
): Promise<void> {
  const screen = process.stderr;
  const view = newProgressView(screen, await totalFor(screen, engine));
  const count = await writeFaults(work(view.show));
  view.end();
  conclude(count, remedy);
}

/** Writes each fault to standard output. */
async function writeFaults(faults: AsyncIterable<string> | Iterable<string>): Promise<number> {
  let count = 0;
  for await (const fault of faults) {
    process.stdout.write(`${fault}\n`);
    count++;
  }
  return count;
}

/** Reports the number of faults and the remedy. Any fault makes the command fail. */
function conclude(count: number, remedy: string): void {
  if (count === 0) return tell("no faults");
  tell(`${count === 1 ? "1 fault" : `${count} faults`}. ${remedy}`);
  process.exitCode = 1;
}
