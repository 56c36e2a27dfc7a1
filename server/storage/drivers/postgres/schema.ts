import type { Pool } from "pg";
import { isPassing, sqlState } from "./faults.ts";

/** Locks for commits. Any number works; with more of them, more accounts can commit at the same time. */
export const LOCK_COUNT = 256;
const MAX_TRIES = 10;
const UNDEFINED_TABLE = "42P01";

/** The mark of a killed process is useless after a day. */
const PRUNE = "delete from tidemark_commits where at < current_timestamp - interval '1 day'";

/** The table of rate limits; its columns are those of rate-limiter-flexible. */
export const LIMITS_TABLE = "tidemark_limits";

const tablesFor = ({ key, unlogged }: { key: string; unlogged: string }) => [
  `create table if not exists tidemark_items (${key} primary key, value text not null)`,
  // A commit updates the rows of its accounts, so that no other commit changes them meanwhile.
  "create table if not exists tidemark_locks (slot integer primary key, turn bigint not null)",
  // The outcome of each process' last commit: the parts whose checks passed. null: it was given up.
  `create table if not exists tidemark_commits (
    writer text primary key, number bigint not null, done integer[], at timestamp with time zone not null)`,
  // Counts of a minute may be lost in a crash, so the table is not logged.
  `create ${unlogged} table if not exists ${LIMITS_TABLE} (
    key varchar(255) primary key, points integer not null default 0, expire bigint)`,
  `insert into tidemark_locks (slot, turn)
    select slot, 0 from unnest(cast($1 as integer[])) as slots(slot) on conflict (slot) do nothing`,
];

/**
 * Creates the tables if they are missing.
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
      // If two processes create a table at the same time, one of them fails in one of several ways.
      const isRace = isPassing(error) || /^(23505|42P07|42710|XX000)$/.test(sqlState(error) ?? "");
      if (!isRace || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Asked first, because a role with row rights only may not even try to create tables. */
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
  // Byte order, whatever collation the database has. CockroachDB always sorts texts by bytes.
  const key = isCockroach ? "key text" : 'key text collate "C"';
  for (const statement of tablesFor({ key, unlogged: isCockroach ? "" : "unlogged" })) {
    const slots = Array.from({ length: LOCK_COUNT }, (_, slot) => slot);
    await (statement.includes("$1") ? pool.query(statement, [slots]) : pool.query(statement));
  }
}
