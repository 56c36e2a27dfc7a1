import { Failure } from "../../failure.ts";
import { identityOf } from "./archive.ts";
import type { ArchivedRows, SourceApi } from "./model.ts";

/** A page of a list. */
interface Page {
  rows: unknown[];
  /** Whether it is the last one. Absent if the source doesn't say. */
  isLast?: boolean | undefined;
}

/** The position in a list. */
interface Place {
  next: number;
  isRead: boolean;
}

/**
 * Reads a list in numbered pages. Records are added and removed meanwhile, so that the pages shift. Therefore each page
 * overlaps with the one before: its size is chosen so that it begins a few rows earlier. If it has none of the rows before,
 * some may have been missed, and the reading goes back. Most lists begin with the newest records, so the first page is read
 * again at the end.
 */
export async function readNumberedPages(
  api: SourceApi,
  list: string,
  { most: documented, ask }: { most: number; ask: (page: number, size: number) => Promise<Page> },
): Promise<void> {
  let most = documented;
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
    if (isLast ?? rows.length === 0) break;
    if (isLast === undefined && fresh.length === 0 && rows.length < window.size) {
      const beyond = await ask(window.page + 1, window.size);
      if (beyond.rows.length === 0) break;
      // The source's pages are smaller than documented, so this was not the last one.
      most = rows.length;
    }
  }
  const newest = await newestRows(known, async (page) => (await ask(page, most)).rows);
  await api.keep(list, newest, { next, isRead: true } satisfies Place);
}

/** The number of pages without anything new before it gives up. */
const MOST_STEPS = 200;

function changing(list: string): Failure {
  return new Failure("refused", `The list ${list} changes faster than it can be read. Start again later.`);
}

/** The page that begins at least one row before a position, and reaches farthest beyond it. */
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
 * Reads a list in pages that begin after a row, so that new rows don't shift the pages. If the row itself was deleted, it
 * continues after an earlier one. The newest rows come first, so the first page is read again at the end.
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
    // A source that ignored its cursor would return the same page forever.
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

/** The last rows that were read. The latest one is the cursor. */
interface Trail {
  trail: string[];
  isRead: boolean;
}

const TRAIL_LENGTH = 20;

/** Requests the page after the last row that still exists. */
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

/** How many parents' rows are archived together, which is what an interruption loses at most. */
const PARENTS_AT_ONCE = 25;

/**
 * Reads the rows that belong to each of many records. `of` in an archived row names the record, and the reader of the rows
 * looks for proof of it (`readRows`). If the source knows no answer for a record, the others are still read.
 */
export async function readForEach(
  api: SourceApi,
  list: string,
  { parents, ask }: { parents: AsyncIterable<string>; ask: (parent: string) => Promise<unknown[]> },
): Promise<void> {
  const { read } = (api.mark(list) ?? { read: 0 }) as { read: number };
  let [place, rows]: [number, unknown[]] = [0, []];
  const refusals: { parent: string; error: Failure }[] = [];
  for await (const parent of parents) {
    place += 1;
    if (place <= read) continue;
    try {
      rows.push(...(await ask(parent)).map((row) => ({ ...recordOf(row), of: parent })));
    } catch (error) {
      if (!isClosed(error)) throw error;
      refusals.push({ parent, error });
    }
    if (place % PARENTS_AT_ONCE !== 0) continue;
    await keepRefusals(api, list, { refusals: refusals.splice(0), place });
    await api.keep(list, rows, { read: place });
    rows = [];
  }
  await keepRefusals(api, list, { refusals, place });
  if (place > read) await api.keep(list, rows, { read: place });
}

/** Some lists are of bare texts. */
function recordOf(row: unknown): object {
  return typeof row === "object" && row !== null ? row : { id: row, code: row };
}

/** A source that answers none of the first records does not have the list. */
async function keepRefusals(
  api: SourceApi,
  list: string,
  { refusals, place }: { refusals: { parent: string; error: Failure }[]; place: number },
): Promise<void> {
  const [first] = refusals;
  if (first !== undefined && refusals.length === place) throw first.error;
  const rows = refusals.map(({ parent, error }) => ({
    id: `${list} of ${parent}`,
    list,
    text: error.message,
  }));
  if (rows.length > 0) await api.keep(CLOSED, rows);
}

/** The ids of the rows of a list. */
export async function* idsOf(kept: ArchivedRows, list: string): AsyncGenerator<string> {
  for await (const row of kept.rows(list)) {
    if (row["id"] !== undefined || row["key"] !== undefined) yield identityOf(row);
  }
}

/** The list of lists, or parts of them, that the key may not read or the source does not have. */
export const CLOSED = "closed";

/** Whether the source answered that it does not have something (404) or refuses the question (400, 422). */
function isClosed(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === "not_found" || error.kind === "invalid");
}

/** Reads a list that some plans or versions of a source lack. A refusal is archived. */
export async function readIfAny(api: SourceApi, list: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    const isForbidden = error instanceof Failure && error.kind === "forbidden";
    if (!isForbidden && !isClosed(error)) throw error;
    await api.keep(CLOSED, [{ id: list, list, text: error.message }]);
  }
}

/** Reads a list that every program has. If the source refuses it, the others are still read, but nothing is proven. */
export async function readNeeded(api: SourceApi, list: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isClosed(error)) throw error;
    await api.keep(CLOSED, [{ id: list, list, text: error.message, isNeeded: true }]);
  }
}

async function knownRows(api: SourceApi, list: string): Promise<Set<string>> {
  const known = new Set<string>();
  if (api.mark(list) === null) return known;
  for await (const row of api.kept.rows(list)) known.add(identityOf(row));
  return known;
}
