import type { Driver } from "unstorage";

/** Local stores answer at once, remote ones later. */
export type MaybePromise<T> = T | Promise<T>;

/** A stretch of keys in byte order, from `from` to before `before`. */
export interface Range {
  from: string;
  before: string;
  limit: number;
  /** Entries to leave out at the beginning; 0 unless told. */
  offset?: number;
  reverse?: boolean;
}

/** What a commit changes, all of it or nothing. */
export interface Changes {
  /** Keys that still hold exactly this text, or are still absent. */
  checks: [key: string, seen: string | null][];
  puts: [key: string, value: string][];
  removes: string[];
  /** Counters to add to; kept as `{"sum":n}`. They need no read and never conflict. */
  sums: [key: string, delta: number][];
}

/** An unstorage driver that can change several items at once and list them in order. */
export interface AtomicDriver extends Driver {
  /** The stored text. unstorage guesses its type from there; our own readers call this and don't guess. */
  getItem(key: string): MaybePromise<string | null>;
  /** Durable when it resolves. false: a check failed, and nothing was written. */
  commit(changes: Changes): Promise<boolean>;
  /** Entries in key order, or against it. */
  list(range: Range): Promise<[key: string, value: string][]>;
  count(range: Pick<Range, "from" | "before">): Promise<number>;
  /** Lets the reads that follow see all that any process has committed; for drivers that read from a snapshot. */
  refresh?(): void;
  /**
   * What stood under a key a moment ago, where that is known without asking; for drivers that are far away.
   * Good for nothing but what is checked again at its commit.
   */
  recall?(key: string): string | undefined;
  /** All entries in key order, in chunks, as they stand at one moment; for drivers that can hold one still. */
  snapshot?(): AsyncIterable<[key: string, value: string][]>;
  /** Copies the store into an empty folder while it is used, by whatever process; for drivers that keep files. */
  backup?(folder: string): Promise<void>;
  /** What is damaged in the files, in the words of the engine that keeps them; all of them are read. */
  damage?(): Promise<string[]>;
}

/** A commit that changes nothing. */
export const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };

/** An index of Postgres holds little more. Every driver refuses longer keys, so that none can hide a bug. */
const MAX_KEY_BYTES = 1_978;

/** @throws RangeError before anything is written, when a key is too long */
export function refuseLongKeys({ checks, puts, removes, sums }: Changes): void {
  for (const [key] of checks) refuseLong(key);
  for (const [key] of puts) refuseLong(key);
  for (const key of removes) refuseLong(key);
  for (const [key] of sums) refuseLong(key);
}

/** A counter's value; 0 where nothing was counted. */
export function readSum(text: string | null | undefined): number {
  return text ? (JSON.parse(text) as { sum: number }).sum : 0;
}

function refuseLong(key: string): void {
  // No character takes more than three bytes for each unit of its length, so most keys need not be measured.
  if (key.length * 3 <= MAX_KEY_BYTES) return;
  const byteCount = Buffer.byteLength(key);
  if (byteCount > MAX_KEY_BYTES) throw new RangeError(`A key of ${byteCount} bytes is too long`);
}
