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
  OLDEST_SERVED,
  type ReadMark,
} from "../../storage/layout.ts";
import { folderOf } from "../../storage/open.ts";
import type { Engine } from "../../storage/session.ts";
import { exportEntries, exportLines, writeNewFile } from "../export.ts";
import { fill } from "../fill.ts";
import type { Item } from "../item.ts";
import { counting, type Progress } from "../progress.ts";
import { atOneMoment, itemsIn } from "../stored-items.ts";
import { work } from "../work.ts";
import { dropFormer, formerItemsIn, entriesIn, type Entry } from "./former-items.ts";
import { migrate, MIGRATIONS, type Migration } from "./migrations.ts";

/**
 * The first layout whose releases watch the mark while they run, and how long their servers and commands take at most to
 * notice a new layout: they check every second, and an open commit ends within five.
 */
const FIRST_WATCHED = 9;
const NOTICED_MS = 10_000;

/**
 * Refuses to convert a store that other processes use. It is called before this process writes anything.
 *
 * @param stopsOthers whether the operator wants servers to be stopped. Servers of the first releases don't notice that
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
  /** Where to write the backup. Null for the store's folder, or the current folder for a database. */
  file?: string | null;
  commitSize?: number | undefined;
  /** Tests pass others. */
  migrations?: readonly Migration[];
  /** How long to wait until other processes have noticed the upgrade. Tests that have none pass 0. */
  noticedMs?: number;
}

/**
 * Upgrades a store of an earlier layout, after a complete export. If this release can serve both layouts, its servers keep
 * running, and only the mark changes. Otherwise the store can't be used until the upgrade is complete; another call continues
 * an interrupted upgrade. The data of a store without tables stays unchanged until everything is in tables.
 *
 * @returns the export's file, or null if the store was up to date or an interrupted upgrade was finished
 * @throws Failure `refused` for an unknown store or one with other unfinished work, and Error if the backup can't be
 *   written; nothing is changed then
 */
export async function upgradeStore(
  engine: Engine,
  {
    url,
    now,
    onProgress,
    file = null,
    commitSize,
    migrations = MIGRATIONS,
    noticedMs = NOTICED_MS,
  }: Upgrading,
): Promise<string | null> {
  const seen = await readMark(engine.reads);
  const { mark } = seen;
  const former = mark?.underWay;
  if (former !== undefined) refuseOther(seen);
  if (former === undefined && !isOlder(mark)) {
    await checkLayout(engine);
    await raiseLayout(engine, noticedMs);
    return null;
  }
  let backup: string | null = null;
  if (former === undefined) {
    if (mark!.version >= FIRST_WATCHED) await announce(engine, seen, noticedMs);
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

/** How many times longer than reading the whole store a conversion takes, measured on SQLite, with the backup. */
const TIMES_READING = 20;
const MB = 1_000_000;

interface Planning {
  /** The store's STORAGE_URL. */
  url: string;
  now: Date;
  elapsedMs?: () => number;
}

/** Describes in sentences what an upgrade would do, how long it takes and how much room it needs. It writes nothing. */
export async function planUpgrade(
  engine: Engine,
  { url, now, elapsedMs = () => performance.now() }: Planning,
): Promise<string[]> {
  const seen = await readMark(engine.reads);
  const { mark } = seen;
  const underWay = mark?.underWay;
  if (underWay !== undefined) refuseOther(seen);
  if (mark === null || (underWay === undefined && !isOlder(mark))) {
    await checkLayout(engine);
    if (mark === null || mark.version === LAYOUT)
      return ["Nothing has to be done: the store has the layout of this release."];
    return [
      `The store has layout ${mark.version}, and this release writes layout ${LAYOUT}. Only the layout's mark changes, in about ` +
        `${NOTICED_MS / 1_000} seconds. Servers of this release may keep running; those of earlier releases stop automatically.`,
    ];
  }
  // This comes before the store is read, because reading opens another connection.
  const isShared = await engine.isShared();
  const began = elapsedMs();
  const { entries, bytes } = await measure(engine, underWay?.layout ?? mark!.version);
  const seconds = Math.ceil((NOTICED_MS + TIMES_READING * (elapsedMs() - began)) / 1_000);
  return [
    underWay === undefined
      ? `The store has layout ${mark.version}, and this release needs layout ${OLDEST_SERVED}: it will be converted. It can't be used meanwhile.`
      : "A conversion of the store was interrupted and will be continued. The store can't be used meanwhile.",
    `It has ${entries.toLocaleString("en")} entries of ${megabytes(bytes)}. The conversion takes about ${seconds} seconds on this machine, and as much room again until it is done.`,
    ...(underWay === undefined
      ? [`Before that, a backup of ${megabytes(bytes)} at most is written to ${backupFile(url, now)}.`]
      : []),
    isShared
      ? "Another server or command uses the store now. A starting server refuses to convert it: stop all servers first."
      : "No other server or command uses the store now.",
  ];
}

function backupLines(
  engine: Engine,
  layout: number,
  exporting: Omit<Upgrading, "url">,
): AsyncIterable<string> {
  if (layout < FIRST_WITH_TABLES) return exportEntries(engine, exporting);
  return exportLines(engine, { ...exporting, onEnd: () => {} });
}

/** @throws Failure `refused` for unfinished work other than an upgrade */
function refuseOther({ mark }: ReadMark): void {
  const { underWay, version } = mark!;
  if (underWay === undefined) return;
  if (underWay.work !== "upgrade") throw refusalOf(underWay);
  if (version === LAYOUT) return;
  throw new Failure(
    "refused",
    "An upgrade by an earlier release of Tidemark is unfinished: complete it with that release first",
  );
}

/** The default file of the backup: in the store's folder, or in the current folder for a database. */
function backupFile(url: string, now: Date): string {
  const name = `before-upgrade-${now.toISOString().replaceAll(":", "-")}.jsonl`;
  return join(folderOf(url) ?? ".", name);
}

/** Sets the store's layout to this release's. */
async function raiseLayout(engine: Engine, noticedMs: number): Promise<void> {
  const seen = await readMark(engine.reads);
  if (seen.mark === null || seen.mark.version === LAYOUT) return;
  await announce(engine, seen, noticedMs);
  const announced = await readMark(engine.reads);
  await engine.transact((session) => replaceMark(session, announced, { version: LAYOUT }));
}

/** Stops processes of releases that don't know this layout. Resolves when none of them writes any more. */
async function announce(engine: Engine, seen: ReadMark, noticedMs: number): Promise<void> {
  const mark = { version: seen.mark!.version, next: LAYOUT };
  await engine.transact((session) => replaceMark(session, seen, mark));
  await sleep(noticedMs);
}

async function measure(engine: Engine, layout: number): Promise<{ entries: number; bytes: number }> {
  let entries = 0;
  let bytes = 0;
  const read = layout < FIRST_WITH_TABLES ? entriesIn : itemsIn;
  for await (const chunk of atOneMoment<(Entry | Item)[]>(engine, read)) {
    entries += chunk.length;
    for (const each of chunk) for (const text of Object.values(each)) bytes += Buffer.byteLength(text);
  }
  return { entries, bytes };
}

function megabytes(bytes: number): string {
  return bytes < MB ? "less than 1 MB" : `${Math.ceil(bytes / MB).toLocaleString("en")} MB`;
}
