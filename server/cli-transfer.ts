import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { newProgressView, totalFor } from "./cli-progress.ts";
import { print, tell, usingDriver, withDriver, withNewDriver } from "./cli-store.ts";
import type { AtomicDriver } from "./storage/driver.ts";
import { openDriver, requireStore } from "./storage/open.ts";
import { exportLines } from "./transfer/export.ts";
import { importFile } from "./transfer/import.ts";
import { moveStore, totalsOf } from "./transfer/move.ts";
import type { Progress } from "./transfer/progress.ts";
import type { Totals } from "./transfer/tally.ts";

/** Exports hold personal data. */
const OWNER_ONLY = 0o600;

/** Adds the commands that copy a whole store. */
export function transferCommands(program: Command): void {
  program
    .command("export <file>")
    .description(
      "write the store to a new file as JSON lines (- for standard output); servers may keep running",
    )
    .action(exportTo);
  program
    .command("import <file>")
    .description("fill an empty store with an export")
    .action((file: string) =>
      withNewDriver((driver) => showing(null, async (show) => print(await importFile(driver, file, show)))),
    );
  program
    .command("backup <folder>")
    .description("copy a SQLite store to a new or empty folder; servers may keep running")
    .action((folder: string) => backUp(resolve(folder)));
  program
    .command("move <from-url> <to-url>")
    .description("copy one store into another, empty one, and compare the two; stop the servers first")
    .action(move);
}

async function exportTo(file: string): Promise<void> {
  await withDriver(async (driver) => {
    const totals = await showing(driver, (show) => writeExport(driver, file, show));
    tell(`exported ${totals?.entries} entries, SHA-256 ${totals?.sha256}`);
  });
}

async function writeExport(driver: AtomicDriver, file: string, onProgress: Progress): Promise<Totals | null> {
  let totals: Totals | null = null;
  const onEnd = (end: Totals) => void (totals = end);
  const lines = exportLines(driver, { now: new Date(), onProgress, onEnd });
  const isPiped = file === "-";
  const target = isPiped ? process.stdout : createWriteStream(file, { flags: "wx", mode: OWNER_ONLY });
  try {
    await pipeline(Readable.from(lines), target);
  } catch (error) {
    // A file that was there before is not ours to delete. A file that we began is useless.
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isTaken) throw new Error(`${file} already exists`, { cause: error });
    if (!isPiped) await rm(file, { force: true });
    throw error;
  }
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

async function move(fromUrl: string, toUrl: string): Promise<void> {
  if (fromUrl === toUrl) throw new Error("The two stores are the same");
  requireStore(fromUrl);
  await usingDriver(openDriver(fromUrl), (from) =>
    usingDriver(openDriver(toUrl), async (to) =>
      print(await showing(from, (show) => moveStore(from, to, show))),
    ),
  );
}
