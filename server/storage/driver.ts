import type { Driver } from "unstorage";
import { Failure } from "../failure.ts";
import { decodeKey } from "./keys.ts";

/** Local stores return values, remote ones promises. */
export type MaybePromise<T> = T | Promise<T>;

/** A range of keys in byte order: from `from`, up to but without `before`. */
export interface Range {
  from: string;
  before: string;
  limit: number;
  /** Entries to skip at the beginning; 0 by default. */
  offset?: number;
  reverse?: boolean;
  /** Whether the values are short: pointers or sums. A driver may fetch many of them in a cheaper way. */
  isOfShort?: boolean;
}

/** The changes of one commit. Either all of them happen or none. */
export interface Changes {
  /** Keys that must still hold exactly this text, or (null) still be absent. */
  checks: [key: string, seen: string | null][];
  puts: [key: string, value: string][];
  removes: string[];
  /** Counters to add to, stored as `{"sum":n}`. They need no read and never conflict. */
  sums: [key: string, delta: number][];
}

/** The database where all servers of a store count their limits. */
export interface LimitsDatabase {
  table: string;
  query(statement: { text: string; values: unknown[] }): Promise<unknown>;
}

/** Reads of data that may be a moment old. */
export interface AgedReads {
  reads: Pick<AtomicDriver, "getItem" | "list" | "count">;
  /** The data has everything that was committed before this time. */
  ageSeconds: number;
}

/** How large a store is, in bytes. */
export interface StoreSize {
  bytes: number;
  /** The write-ahead log. null: the database keeps it out of sight. */
  logBytes: number | null;
}

/** An unstorage driver that can also change several items at once and list them in order. */
export interface AtomicDriver extends Driver {
  /** The stored text. unstorage guesses a type from it; our own readers call this and never guess. */
  getItem(key: string): MaybePromise<string | null>;
  /** Durable when it resolves. false: a check failed, and nothing was written. */
  commit(changes: Changes): Promise<boolean>;
  /** Entries in key order, or in reverse order. */
  list(range: Range): Promise<[key: string, value: string][]>;
  count(range: Pick<Range, "from" | "before">): Promise<number>;
  /**
   * Makes later reads see everything that any process has committed. For drivers that read from a snapshot.
   */
  refresh?(): void;
  /**
   * The text under a key a moment ago, or null, if it is known without a query. For remote drivers. Use it only for
   * reads that the commit checks again.
   */
  cached?(key: string): string | null | undefined;
  /** All entries in key order, in chunks, from a single moment. For drivers that can take a snapshot. */
  snapshot?(): AsyncIterable<[key: string, value: string][]>;
  /**
   * Changes when another database server has taken over. If it did not wait for its predecessor's last commits, it may
   * lack them. For drivers that use several servers.
   */
  timeline?(): number;
  /** Reads of a standby, so that the primary has less to do. null: no standby is fresh enough. */
  aged?(): Promise<AgedReads | null>;
  /**
   * Whether another process uses the store now: a server or a command, of any release. Ask before the first commit.
   */
  isShared?(): Promise<boolean>;
  /** Whether the last commit of this process found no room on the disk. */
  lacksRoom?(): boolean;
  /** Why commits are less durable than promised, in sentences. For remote drivers. */
  weaknesses?(): Promise<string[]>;
  /** How large the store is. null: the engine does not tell. Absent: it is in memory. */
  size?(): Promise<StoreSize | null>;
  /** Where servers on several machines count limits together. Absent: all servers of the store are on one machine. */
  limits?: LimitsDatabase;
  /** Copies the store into an empty folder while any process uses it. For drivers that keep files. */
  backup?(folder: string): Promise<void>;
  /** Reads all files and lists what is damaged, in the words of the storage engine. */
  damage?(): Promise<string[]>;
}

/** A commit that changes nothing. */
export const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };

/**
 * A Postgres index holds little more. Every driver refuses longer keys, so that tests on any of them find the
 * bug.
 */
const MAX_KEY_BYTES = 1_978;

/** @throws RangeError before anything is written, when a key is too long */
export function refuseLongKeys({ checks, puts, removes, sums }: Changes): void {
  for (const [key] of checks) refuseLong(key);
  for (const [key] of puts) refuseLong(key);
  for (const key of removes) refuseLong(key);
  for (const [key] of sums) refuseLong(key);
}

const BEFORE_SUM = '{"sum":'.length;

/**
 * A counter's value; 0 if nothing was counted. Reports read very many, and JSON.parse would take four times as long.
 *
 * @throws Failure `unavailable` for a damaged value
 */
export function readSum(text: string | null | undefined): number {
  const sum = text ? Number(text.slice(BEFORE_SUM, -1)) : 0;
  if (Number.isNaN(sum)) throw damagedValue(null);
  return sum;
}

/** SQLite's code for a damaged file. Its driver treats damaged values alike. */
const CORRUPT = 11;

/** The refusal for a stored value that nothing of ours can have written. null: its key is not known. */
export function damagedValue(key: string | null): Failure {
  const which = key === null ? "A counter" : `The value of ${JSON.stringify(decodeKey(key))}`;
  const why = `${which} is damaged: look at the store with \`tidemark check\`, and restore a backup`;
  const failure = new Failure("unavailable", "The store is damaged; try again later");
  failure.cause = Object.assign(new Error(why), { errcode: CORRUPT });
  return failure;
}

/** Parses a stored text. @throws Failure `unavailable` for a damaged one */
export function parseStored<T>(key: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw damagedValue(key);
  }
}

function refuseLong(key: string): void {
  // A UTF-16 unit takes at most three bytes in UTF-8, so most keys need no exact measuring.
  if (key.length * 3 <= MAX_KEY_BYTES) return;
  const byteCount = Buffer.byteLength(key);
  if (byteCount > MAX_KEY_BYTES) throw new RangeError(`A key of ${byteCount} bytes is too long`);
}
