import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import {
  checkLayout,
  FIRST_WITH_TABLES,
  isOlder,
  LAYOUT,
  readMark,
  refusalOf,
  replaceMark,
  type ReadMark,
} from "../../storage/layout.ts";
import { folderOf } from "../../storage/open.ts";
import type { Engine } from "../../storage/session.ts";
import { exportEntries, exportLines } from "../export.ts";
import { fill } from "../fill.ts";
import { writeNewFile } from "../new-file.ts";
import { counting, type Progress } from "../progress.ts";
import { work } from "../work.ts";
import { dropFormer, formerItemsIn } from "./former-items.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";

/**
 * The first layout whose releases look at the mark while they run, and how long their servers and commands take at most
 * to notice that another layout is announced: they look every second, and an open commit ends within five.
 */
const FIRST_WATCHED = 9;
export const NOTICED_MS = 10_000;

/**
 * Refuses to convert a store that other processes use. A process asks before it writes anything itself.
 *
 * @param stopsOthers whether the operator wants servers to be stopped. Those of the first releases don't notice
 * @throws Failure `refused`
 */
export async function refuseShared(engine: Engine, { stopsOthers }: { stopsOthers: boolean }): Promise<void> {
  const { mark } = await readMark(engine.reads);
  if (mark === null || mark.underWay !== undefined || !isOlder(mark)) return;
  if (!(await engine.isShared())) return;
  const isUsed = "Another server or command uses the store, and this release must convert it first";
  if (mark.version < FIRST_WATCHED)
    throw new Failure("refused", `${isUsed}: stop all servers, then start this one`);
  if (stopsOthers) return;
  throw new Failure(
    "refused",
    `${isUsed}: stop all servers, then start this one, or run \`tidemark upgrade\`, which stops them. \`tidemark upgrade --check\` says how long it takes`,
  );
}

interface Upgrading {
  /** The store's STORAGE_URL. */
  url: string;
  now: Date;
  onProgress: Progress;
  /** Where to write the backup. null: in the store's folder, or in the current folder for a database. */
  file?: string | null;
  commitSize?: number | undefined;
  /** Tests have others. */
  migrations?: readonly Migration[];
}

/**
 * Upgrades a store of an earlier layout, after an export of everything in it. If this release can serve both layouts,
 * servers of it keep running, and only the mark changes. Otherwise nobody may write to the store meanwhile, and until the
 * upgrade is complete, the store is refused; another call continues an interrupted upgrade. Without tables, what the earlier
 * release wrote stays unchanged until everything is in tables.
 *
 * @returns the export's file. null: the store was up to date, or only an interrupted upgrade was left to finish
 * @throws Failure `refused` for a store that no release made, or with other unfinished work, and Error if the backup can't
 *   be written; nothing is changed then
 */
export async function upgradeStore(
  engine: Engine,
  { url, now, onProgress, file = null, commitSize, migrations = MIGRATIONS }: Upgrading,
): Promise<string | null> {
  const seen = await readMark(engine.reads);
  const { mark } = seen;
  const former = mark?.underWay;
  if (former !== undefined) refuseOther(seen);
  if (former === undefined && !isOlder(mark)) {
    await checkLayout(engine);
    await raiseLayout(engine);
    return null;
  }
  let backup: string | null = null;
  if (former === undefined) {
    if (mark!.version >= FIRST_WATCHED) await announce(engine, seen);
    backup = file ?? backupFile(url, now);
    await writeNewFile(backupLines(engine, mark!.version, { now, onProgress }), backup);
  }
  const layout = former?.layout ?? mark!.version;
  const begun = { work: "upgrade", stage: "fill", source: null, layout, filledCount: 0 } as const;
  const converted = counting("converted", onProgress);
  if (layout >= FIRST_WITH_TABLES) {
    await work(engine, former ?? begun, { fill: (work) => migrate(work, { migrations, onRows: converted }) });
    return backup;
  }
  const source = { items: formerItemsIn(engine.reads, layout) };
  await work(engine, former ?? begun, {
    fill: (work) => fill(work, { source, commitSize }, converted),
    drop: (work) => dropFormer(work, counting("cleared", onProgress)),
  });
  return backup;
}

function backupLines(
  engine: Engine,
  layout: number,
  exporting: Omit<Upgrading, "url">,
): AsyncIterable<string> {
  if (layout < FIRST_WITH_TABLES) return exportEntries(engine, exporting);
  return exportLines(engine, { ...exporting, onEnd: () => {} });
}

/** @throws Failure `refused` for unfinished work that no upgrade completes */
export function refuseOther({ mark }: ReadMark): void {
  const { underWay, version } = mark!;
  if (underWay === undefined) return;
  if (underWay.work !== "upgrade") throw refusalOf(underWay);
  if (version === LAYOUT) return;
  throw new Failure(
    "refused",
    "An upgrade by an earlier release of Tidemark is unfinished: complete it with that release first",
  );
}

/** Where the backup goes by itself: into the store's folder, or into the current folder for a database. */
export function backupFile(url: string, now: Date): string {
  const name = `before-upgrade-${now.toISOString().replaceAll(":", "-")}.jsonl`;
  return join(folderOf(url) ?? ".", name);
}

/** Has the layout of this release written from now on. */
async function raiseLayout(engine: Engine): Promise<void> {
  const seen = await readMark(engine.reads);
  if (seen.mark === null || seen.mark.version === LAYOUT) return;
  await announce(engine, seen);
  const announced = await readMark(engine.reads);
  await engine.transact((session) => replaceMark(session, announced, { version: LAYOUT }));
}

/** Stops what runs of releases that don't know this layout. Resolves when none of it writes any more. */
async function announce(engine: Engine, seen: ReadMark): Promise<void> {
  const mark = { version: seen.mark!.version, next: LAYOUT };
  await engine.transact((session) => replaceMark(session, seen, mark));
  await sleep(NOTICED_MS);
}
