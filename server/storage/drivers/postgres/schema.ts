import type { Pool } from "pg";
import { isPassing, sqlState } from "./faults.ts";

/** Locks that commits take turns by. Any number does; more let more accounts commit at the same time. */
export const LOCK_COUNT = 256;
const MAX_TRIES = 10;
const UNDEFINED_TABLE = "42P01";

/** Marks of processes that were killed are of no use to anybody after a day. */
const PRUNE = "delete from tidemark_commits where at < current_timestamp - interval '1 day'";

/** What the engine is that speaks the protocol, where that makes a difference. */
export interface Engine {
  /** Whose texts are in byte order anyway, and whose tables take no collation `C`. */
  isCockroach: boolean;
}

const tablesFor = (key: string) => [
  `create table if not exists tidemark_items (${key} primary key, value text not null)`,
  // Whoever commits changes the rows of the accounts that he commits to, and so comes alone there.
  "create table if not exists tidemark_locks (slot integer primary key, turn bigint not null)",
  // What became of each process' last commit: the parts whose checks held. null: it was given up.
  `create table if not exists tidemark_commits (
    writer text primary key, number bigint not null, done integer[], at timestamp with time zone not null)`,
  // Limits; see passing-counts.ts.
  `create table if not exists tidemark_counts (
    ${key} primary key, count bigint not null, ends_at timestamp with time zone not null)`,
  `insert into tidemark_locks (slot, turn)
    select slot, 0 from unnest(cast($1 as integer[])) as slots(slot) on conflict (slot) do nothing`,
];

/**
 * Makes the tables where they are not there yet, and tells what they are in.
 *
 * @throws Error for a database that can't hold every text
 */
export async function prepareTables(pool: Pool): Promise<Engine> {
  const { rows } = await pool.query<{ server_encoding: string }>("show server_encoding");
  const encoding = rows[0]?.server_encoding.replace("-", "").toUpperCase();
  if (encoding !== "UTF8") throw new Error(`its encoding is ${encoding}, and must be UTF8`);
  const version = await pool.query<{ version: string }>("select version() as version");
  const engine = { isCockroach: version.rows[0]?.version.startsWith("CockroachDB") ?? false };
  for (let tries = 1; ; tries++) {
    try {
      if (!(await areTablesThere(pool))) await makeTables(pool, engine);
      await pool.query(PRUNE);
      return engine;
    } catch (error) {
      // Of two processes that make a table at the same time, one fails in one of several ways.
      const isRace = isPassing(error) || /^(23505|42P07|42710|XX000)$/.test(sqlState(error) ?? "");
      if (!isRace || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Asked first, since a role that may only read and write rows may not even try to make tables. */
async function areTablesThere(pool: Pool): Promise<boolean> {
  try {
    await pool.query("select key from tidemark_items limit 1");
    await pool.query("select writer from tidemark_commits limit 1");
    await pool.query("select key from tidemark_counts limit 1");
    const { rows } = await pool.query("select count(*) as locks from tidemark_locks");
    return Number(rows[0].locks) >= LOCK_COUNT;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

async function makeTables(pool: Pool, { isCockroach }: Engine): Promise<void> {
  // Byte order, whatever the database sorts by.
  for (const statement of tablesFor(isCockroach ? "key text" : 'key text collate "C"')) {
    const slots = Array.from({ length: LOCK_COUNT }, (_, slot) => slot);
    await (statement.includes("$1") ? pool.query(statement, [slots]) : pool.query(statement));
  }
}
