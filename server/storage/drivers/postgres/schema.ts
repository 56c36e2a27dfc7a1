import type { Pool } from "pg";
import { isPassing, sqlState } from "./faults.ts";

/** Locks that commits take turns by. Any number does; more let more accounts commit at the same time. */
export const LOCK_COUNT = 256;
const MAX_TRIES = 10;
const UNDEFINED_TABLE = "42P01";

/** Marks of processes that were killed are of no use to anybody after a day. */
const PRUNE = "delete from tidemark_commits where at < current_timestamp - interval '1 day'";

/** Where limits are counted; the columns are those of rate-limiter-flexible. */
export const LIMITS_TABLE = "tidemark_limits";

const tablesFor = ({ key, unlogged }: { key: string; unlogged: string }) => [
  `create table if not exists tidemark_items (${key} primary key, value text not null)`,
  // Whoever commits changes the rows of the accounts that he commits to, and so comes alone there.
  "create table if not exists tidemark_locks (slot integer primary key, turn bigint not null)",
  // What became of each process' last commit: the parts whose checks held. null: it was given up.
  `create table if not exists tidemark_commits (
    writer text primary key, number bigint not null, done integer[], at timestamp with time zone not null)`,
  // Counts of a minute may be lost with the machine, and so need no disk.
  `create ${unlogged} table if not exists ${LIMITS_TABLE} (
    key varchar(255) primary key, points integer not null default 0, expire bigint)`,
  `insert into tidemark_locks (slot, turn)
    select slot, 0 from unnest(cast($1 as integer[])) as slots(slot) on conflict (slot) do nothing`,
];

/**
 * Makes the tables where they are not there yet.
 *
 * @throws Error for a database that can't hold every text
 */
export async function prepareTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ server_encoding: string }>("show server_encoding");
  const encoding = rows[0]?.server_encoding.replace("-", "").toUpperCase();
  if (encoding !== "UTF8") throw new Error(`its encoding is ${encoding}, and must be UTF8`);
  const version = await pool.query<{ version: string }>("select version() as version");
  const isCockroach = version.rows[0]?.version.startsWith("CockroachDB") ?? false;
  for (let tries = 1; ; tries++) {
    try {
      if (!(await areTablesThere(pool))) await makeTables(pool, { isCockroach });
      await pool.query(PRUNE);
      return;
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
    await pool.query(`select key from ${LIMITS_TABLE} limit 1`);
    const { rows } = await pool.query("select count(*) as locks from tidemark_locks");
    return Number(rows[0].locks) >= LOCK_COUNT;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

async function makeTables(pool: Pool, { isCockroach }: { isCockroach: boolean }): Promise<void> {
  // Byte order, whatever the database sorts by; CockroachDB's texts are in it anyway.
  const key = isCockroach ? "key text" : 'key text collate "C"';
  for (const statement of tablesFor({ key, unlogged: isCockroach ? "" : "unlogged" })) {
    const slots = Array.from({ length: LOCK_COUNT }, (_, slot) => slot);
    await (statement.includes("$1") ? pool.query(statement, [slots]) : pool.query(statement));
  }
}
