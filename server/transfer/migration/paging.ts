import { Failure } from "../../failure.ts";
import { identityOf } from "./archive.ts";
import type { ArchivedRows, SourceApi } from "./model.ts";

/** A page of a list. */
interface Page {
  rows: unknown[];
  /** Whether the source says that it is the last one. Absent: it doesn't say. */
  isLast?: boolean | undefined;
}

/** Where the reading of a list goes on. */
interface Place {
  next: number;
  isRead: boolean;
}

/**
 * Reads a list in pages that have numbers. Records come and go while it is read, so that the pages shift. Therefore each page
 * overlaps with the one before: its size is chosen so that it begins a few rows earlier. If it holds none of the rows that came
 * before, some may have slipped through, and the reading goes back. Newest records come first in most lists, so the first page
 * is read again at the end.
 */
export async function readNumberedPages(
  api: SourceApi,
  list: string,
  { most, ask }: { most: number; ask: (page: number, size: number) => Promise<Page> },
): Promise<void> {
  const known = await knownRows(api, list);
  let { next, isRead } = (api.mark(list) ?? { next: 0, isRead: false }) as Place;
  if (isRead) return;
  let steps = 0;
  for (;;) {
    const window = windowAt(next, most);
    const { rows, isLast } = await ask(window.page, window.size);
    const fresh = rows.filter((row) => !known.has(identityOf(row)));
    const isJoined = window.start === 0 || fresh.length < rows.length;
    const isGap = rows.length === 0 && isLast === false;
    steps = fresh.length > 0 && isJoined ? 0 : steps + 1;
    if (steps > MOST_STEPS) throw changing(list);
    if (!isJoined && !isGap) {
      next = Math.max(0, next - Math.ceil(most / 2));
      continue;
    }
    next = window.start + (isLast === false ? window.size : rows.length);
    if (fresh.length > 0) await api.keep(list, rows, { next, isRead: false } satisfies Place);
    for (const row of fresh) known.add(identityOf(row));
    if (isLast ?? (fresh.length === 0 && rows.length < window.size)) break;
  }
  const newest = await newestRows(known, async (page) => (await ask(page, most)).rows);
  await api.keep(list, newest, { next, isRead: true } satisfies Place);
}

/** How many pages may bring nothing new before the reading gives up. */
const MOST_STEPS = 200;

function changing(list: string): Failure {
  return new Failure("refused", `The list ${list} changes faster than it can be read. Start again later.`);
}

/** The page that begins at least one row before a place, and reaches farthest beyond it. */
function windowAt(next: number, most: number): { page: number; size: number; start: number } {
  if (next === 0) return { page: 1, size: most, start: 0 };
  let best = { page: 1, size: most, start: 0 };
  for (let size = most; size > most / 2; size -= 1) {
    const start = size * Math.floor((next - 1) / size);
    if (start + size > best.start + best.size) best = { page: start / size + 1, size, start };
  }
  return best;
}

/** The rows of the first pages, up to the page with a row that was known before. */
async function newestRows(
  known: ReadonlySet<string>,
  ask: (page: number) => Promise<unknown[]>,
): Promise<unknown[]> {
  const newest: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await ask(page);
    newest.push(...rows);
    if (rows.length === 0 || rows.some((row) => known.has(identityOf(row)))) return newest;
  }
}

/** A page of a list with cursors. */
interface CursorPage {
  rows: unknown[];
  /** Whether there may be further pages. */
  hasMore: boolean;
}

/**
 * Reads a list in pages that begin after a row. Rows that come meanwhile don't shift the pages. If the row itself has gone,
 * the reading goes on after an earlier one. The newest rows come first, so the first page is read again at the end.
 */
export async function readCursorPages(
  api: SourceApi,
  list: string,
  { ask }: { ask: (after: string | null) => Promise<CursorPage> },
): Promise<void> {
  const known = await knownRows(api, list);
  const { trail, isRead } = (api.mark(list) ?? { trail: [], isRead: false }) as Trail;
  if (isRead) return;
  let after = trail;
  for (let first: string | null = null; ;) {
    const { rows, hasMore } = await askAfter(after, ask);
    if (rows.length === 0) break;
    after = trailOf(rows);
    // A source that ignores its cursor answers the same page for ever.
    if (identityOf(rows[0]) === first) throw changing(list);
    first = identityOf(rows[0]);
    await api.keep(list, rows, { trail: after, isRead: false } satisfies Trail);
    for (const row of rows) known.add(identityOf(row));
    if (!hasMore) break;
  }
  let last: string[] = [];
  const newest = await newestRows(known, async (page) => {
    const { rows, hasMore } =
      page === 1 || last.length > 0 ? await askAfter(last, ask) : { rows: [], hasMore: false };
    last = hasMore ? trailOf(rows) : [];
    return rows;
  });
  await api.keep(list, newest, { trail: [], isRead: true } satisfies Trail);
}

/** The last rows that came. The newest of them is the cursor. */
interface Trail {
  trail: string[];
  isRead: boolean;
}

const TRAIL_LENGTH = 20;

/** Asks for the page after the last row that still exists. */
async function askAfter(
  trail: string[],
  ask: (after: string | null) => Promise<CursorPage>,
): Promise<CursorPage> {
  for (const id of trail.toReversed()) {
    try {
      return await ask(id);
    } catch (error) {
      const isGone = error instanceof Failure && (error.kind === "not_found" || error.kind === "invalid");
      if (!isGone) throw error;
    }
  }
  return ask(null);
}

function trailOf(rows: unknown[]): string[] {
  return rows.slice(-TRAIL_LENGTH).map(identityOf);
}

/** How many parents' rows are kept together. A kill loses at most so many answers. */
const PARENTS_AT_ONCE = 25;

/** Reads what belongs to each of many records. `of` in a kept row names the record. */
export async function readForEach(
  api: SourceApi,
  list: string,
  { parents, ask }: { parents: AsyncIterable<string>; ask: (parent: string) => Promise<unknown[]> },
): Promise<void> {
  const { read } = (api.mark(list) ?? { read: 0 }) as { read: number };
  let [place, rows]: [number, unknown[]] = [0, []];
  for await (const parent of parents) {
    place += 1;
    if (place <= read) continue;
    rows.push(...(await ask(parent)).map((row) => ({ ...(row as object), of: parent })));
    if (place % PARENTS_AT_ONCE !== 0) continue;
    await api.keep(list, rows, { read: place });
    rows = [];
  }
  if (place > read) await api.keep(list, rows, { read: place });
}

/** The ids of the rows of a list. */
export async function* idsOf(kept: ArchivedRows, list: string): AsyncGenerator<string> {
  for await (const row of kept.rows(list)) {
    if (row["id"] !== undefined || row["key"] !== undefined) yield identityOf(row);
  }
}

/** The list of the lists that the key may not read, or that the source does not have. */
export const CLOSED = "closed";

/** Reads a list that not every plan or generation of a source has. If it is refused, that is kept. */
export async function readIfAny(api: SourceApi, list: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    const isClosed = error instanceof Failure && (error.kind === "forbidden" || error.kind === "not_found");
    if (!isClosed) throw error;
    await api.keep(CLOSED, [{ id: list, text: error.message }]);
  }
}

async function knownRows(api: SourceApi, list: string): Promise<Set<string>> {
  const known = new Set<string>();
  if (api.mark(list) === null) return known;
  for await (const row of api.kept.rows(list)) known.add(identityOf(row));
  return known;
}
