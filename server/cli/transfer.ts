import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Option, type Command } from "commander";
import type { Storage } from "unstorage";
import { readConfig } from "../config.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { openConfiguredFiles } from "../process/configured-store.ts";
import { checkLayout, LAYOUT, readMark, unfinished } from "../storage/layout.ts";
import { openEngine } from "../storage/open.ts";
import { makeFolder } from "../storage/owner.ts";
import type { Engine } from "../storage/session.ts";
import { sqlName } from "../storage/sql.ts";
import { newStore } from "../storage/store.ts";
import { UNFINISHED } from "../storage/whole-file.ts";
import { TABLES } from "../tables.ts";
import { isShared, newOwnership } from "../transfer/account.ts";
import { findFaults, rebuildStore } from "../transfer/check.ts";
import { exportFolder, UPLOADS } from "../transfer/export.ts";
import { importFolder, readManifest } from "../transfer/import.ts";
import { totalsOf, type Item } from "../transfer/item.ts";
import type { Progress } from "../transfer/progress.ts";
import { itemsIn } from "../transfer/stored-items.ts";
import { planUpgrade, upgradeStore } from "../transfer/upgrade.ts";
import { exportUploads, importUploads } from "../transfer/uploads.ts";
import { newProgressView, totalFor } from "./progress.ts";
import { print, tell, usingEngine, withEngine } from "./store.ts";

/** Adds the commands that copy a whole store. */
export function transferCommands(program: Command): void {
  program
    .command("export <folder>")
    .description(
      "write all records to a new or empty folder, as a file of JSON lines for each table; servers may keep running",
    )
    .addOption(accountsOption())
    .option(
      "--secrets",
      "include encrypted details, such as bank accounts, which anyone can read in the files",
      false,
    )
    .option("--files", "include uploaded files, such as banners and logos", false)
    .option("--csv", "write CSV files for people instead, which can't be imported", false)
    .action(exportTo);
  program
    .command("import <folder>")
    .description("fill an empty store with an export")
    .option("--resume", "continue after an interruption", false)
    .option("--force", "start over after an interruption", false)
    .action(importFrom);
  program
    .command("backup <folder>")
    .description("copy a SQLite store to a new or empty folder; servers may keep running")
    .action((folder: string) => backUp(resolve(folder)));
  program
    .command("upgrade")
    .description("give the store of an earlier release the form that this one needs; stop the servers first")
    .option(
      "--backup <folder>",
      "new folder for the backup that is written first; usually in the store's folder",
    )
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

function accountsOption(): Option {
  return new Option("--account <account-id>", "only this account; may be repeated")
    .default([], "all")
    .argParser((publicId, others: string[]) => [...new Set([...others, publicId])]);
}

async function showPlan(): Promise<void> {
  const { storageUrl: url } = readConfig();
  const planning = async (engine: Engine) => {
    for (const sentence of await planUpgrade(engine, { url, now: new Date() }))
      process.stdout.write(`${sentence}\n`);
  };
  await withEngine(planning, "tables");
}

async function upgrade(folder: string | null): Promise<void> {
  const { storageUrl: url } = readConfig();
  const upgrading = (engine: Engine) =>
    showing(engine, async (onProgress) => {
      const backup = await upgradeStore(engine, { url, now: new Date(), onProgress, folder });
      print({ layout: LAYOUT, backup });
    });
  await withEngine(upgrading, "tables");
}

interface ExportOptions {
  /** All accounts, if empty. */
  account: string[];
  secrets: boolean;
  files: boolean;
  csv: boolean;
}

async function exportTo(given: string, { account, secrets, files, csv }: ExportOptions): Promise<void> {
  const folder = resolve(given);
  if (files && csv) throw new Error("CSV files can't be imported, so --csv has no use for --files");
  await withEngine(async (engine) => {
    await checkLayout(engine);
    const isWanted = await choiceOf(engine, account);
    const shown = secrets ? "plain" : "left out";
    const said: string[] = [];
    const addUploads = async (to: string) =>
      void said.push(...(await usingFiles((uploads) => exportUploads(uploads, to))));
    const options = { folder, isWanted, isCsv: csv, addUploads: files ? addUploads : undefined };
    const records = await showing(engine, (onProgress) =>
      exportFolder(engine, { ...options, secrets: shown, onProgress }),
    );
    print({ folder, records });
    said.forEach(tell);
    const sealed = TABLES.filter((table) => table.sealed !== undefined).map(sqlName);
    if (!secrets && sealed.some((name) => Object.keys(records).some((file) => file.startsWith(`${name}.`))))
      tell("Encrypted details, such as bank accounts, were left out. --secrets includes them");
  });
}

async function importFrom(
  given: string,
  { resume, force }: { resume: boolean; force: boolean },
): Promise<void> {
  const folder = resolve(given);
  await readManifest(folder);
  const said: string[] = [];
  const copy = async () => void said.push(...(await usingFiles((uploads) => importUploads(folder, uploads))));
  const importing = (engine: Engine) =>
    showing(null, async (onProgress) => {
      const interrupted = { resumes: resume, isForced: force };
      const copyUploads = existsSync(join(folder, UPLOADS)) ? copy : undefined;
      print(await importFolder(engine, { folder, onProgress, copyUploads, ...interrupted }));
    });
  await withEngine(importing, "store");
  said.forEach(tell);
}

/** Copies uploaded files. Resolves to sentences about them, for the end of the progress. */
async function usingFiles(
  copy: (uploads: Storage) => Promise<{ count: number; missing: string[] }>,
): Promise<string[]> {
  const files = openConfiguredFiles(readConfig());
  try {
    const { count, missing } = await copy(files.uploads);
    return [
      ...(count > 0 ? [`copied ${count} uploaded files`] : []),
      ...(missing.length > 0 ? [`These uploaded files are missing: ${missing.join(", ")}`] : []),
    ];
  } finally {
    await files.close();
  }
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
    if (mark?.underWay !== undefined) throw unfinished();
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
