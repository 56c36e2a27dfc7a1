import {
  checkLayout,
  FIRST_WITH_TABLES,
  isOlder,
  LAYOUT,
  OLDEST_SERVED,
  readMark,
} from "../../storage/layout.ts";
import type { Engine } from "../../storage/session.ts";
import type { Item } from "../item.ts";
import { atOneMoment, itemsIn } from "../stored-items.ts";
import { entriesIn, type Entry } from "./former-items.ts";
import { backupFile, NOTICED_MS, refuseOther } from "./upgrade.ts";

/** A conversion takes about this many times as long as reading the whole store: measured on SQLite, with the backup. */
const TIMES_READING = 20;
const MB = 1_000_000;

interface Planning {
  /** The store's STORAGE_URL. */
  url: string;
  now: Date;
  elapsedMs?: () => number;
}

/** Says in sentences what an upgrade of a store would do, how long it takes and how much room it needs. It writes nothing. */
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
        `${NOTICED_MS / 1_000} seconds. Servers of this release may keep running; those of earlier releases stop by themselves.`,
    ];
  }
  // Before the store is read, because that takes a connection more.
  const isShared = await engine.isShared();
  const began = elapsedMs();
  const { entries, bytes } = await measure(engine, underWay?.layout ?? mark!.version);
  const seconds = Math.ceil((NOTICED_MS + TIMES_READING * (elapsedMs() - began)) / 1_000);
  return [
    underWay === undefined
      ? `The store has layout ${mark.version}, and this release needs layout ${OLDEST_SERVED}: it will be converted. Nobody can use it meanwhile.`
      : "A conversion of the store was interrupted and will be continued. Nobody can use the store meanwhile.",
    `It has ${entries.toLocaleString("en")} entries of ${megabytes(bytes)}. The conversion takes about ${seconds} seconds on this machine, and as much room again until it is done.`,
    ...(underWay === undefined
      ? [`Before that, a backup of ${megabytes(bytes)} at most is written to ${backupFile(url, now)}.`]
      : []),
    isShared
      ? "Another server or command uses the store now. A starting server refuses to convert it: stop all servers first."
      : "No other server or command uses the store now.",
  ];
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
