import { mkdir, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { newProgressView, totalFor } from "./progress.ts";
import { print, tell, usingDriver, withDriver, withNewDriver } from "./store.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkLayout, LAYOUT } from "../storage/layout.ts";
import { openDriver, requireStore } from "../storage/open.ts";
import { exportLines } from "../transfer/export.ts";
import { importFile } from "../transfer/import.ts";
import { moveStore, totalsOf } from "../transfer/move.ts";
import { writeNewFile } from "../transfer/new-file.ts";
import type { Progress } from "../transfer/progress.ts";
import type { Totals } from "../transfer/tally.ts";
import { upgradeWithBackup } from "../transfer/upgrade-backup.ts";

/** Adds the commands that copy a whole store. */
export function transferCommands(program: Command): void {
  program
    .command("export <file>")
    .description(
      "write the store to a new file as JSON lines (- for standard output); servers may keep running",
    )
    .action(exportTo);
  resumable(program.command("import <file>"))
    .description("fill an empty store with an export of this or an earlier release")
    .action((file: string, { resume, force }: Options) =>
      withNewDriver((driver) =>
        showing(null, async (onProgress) =>
          print(await importFile(driver, { file, onProgress, resumes: resume, isForced: force })),
        ),
      ),
    );
  program
    .command("backup <folder>")
    .description("copy a SQLite store to a new or empty folder; servers may keep running")
    .action((folder: string) => backUp(resolve(folder)));
  resumable(program.command("move <from-url> <to-url>"))
    .description("copy a store into an empty one and compare the two; stop the servers first")
    .action(move);
  program
    .command("upgrade")
    .description("upgrade a store of an earlier release; stop the servers first")
    .option("--backup <file>", "file for the backup that is written first; usually in the store's folder")
    .action(({ backup }: { backup?: string }) => upgrade(backup ?? null));
}

interface Options {
  resume: boolean;
  force: boolean;
}

function resumable(command: Command): Command {
  return command
    .option("--resume", "continue after an interruption", false)
    .option("--force", "start over after an interruption", false);
}

async function upgrade(file: string | null): Promise<void> {
  const { storageUrl: url } = readConfig();
  await withDriver((driver) =>
    showing(driver, async (onProgress) => {
      const backup = await upgradeWithBackup(driver, { url, now: new Date(), onProgress, file });
      print({ layout: LAYOUT, backup });
    }),
  );
}

async function exportTo(file: string): Promise<void> {
  await withDriver(async (driver) => {
    await checkLayout(driver);
    const totals = await showing(driver, (show) => writeExport(driver, file, show));
    tell(`exported ${totals?.entries} records, SHA-256 ${totals?.sha256}`);
  });
}

async function writeExport(driver: AtomicDriver, file: string, onProgress: Progress): Promise<Totals | null> {
  let totals: Totals | null = null;
  const onEnd = (end: Totals) => void (totals = end);
  const lines = exportLines(driver, { now: new Date(), onProgress, onEnd });
  await writeNewFile(lines, file);
  return totals;
}

/**
 * Shows the progress of work over a whole store. `source` is the store that it reads. null: it reads something else.
 */
async function showing<T>(source: AtomicDriver | null, work: (show: Progress) => Promise<T>): Promise<T> {
  const screen = process.stderr;
  const view = newProgressView(screen, source && (await totalFor(screen, source)));
  try {
    return await work(view.show);
  } finally {
    view.end();
  }
}

async function backUp(folder: string): Promise<void> {
  await withDriver(async (driver) => {
    if (driver.backup === undefined)
      throw new Error("This store has no files to copy; use export, or the database's own tools");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
    await driver.backup(folder);
  });
  // The copy is opened and read, because a copy that can't be read is no backup.
  await usingDriver(openDriver(`sqlite:${folder}`), async (copy) => print(await totalsOf(copy)));
}

async function move(fromUrl: string, toUrl: string, { resume, force }: Options): Promise<void> {
  if (fromUrl === toUrl) throw new Error("The two stores are the same");
  requireStore(fromUrl);
  await usingDriver(openDriver(fromUrl), (from) =>
    usingDriver(openDriver(toUrl), async (to) =>
      print(
        await showing(null, (onProgress) =>
          moveStore([from, to], { onProgress, resumes: resume, isForced: force }),
        ),
      ),
    ),
  );
}
