import type { Pool } from "pg";
import { Failure } from "../../../failure.ts";
import type { Makes } from "../../open.ts";
import { MARK_QUERY, mayMakeTables } from "../../layout.ts";
import { ddl, POSTGRES, sqlName } from "../../sql.ts";
import { sumDdl, sumTablesOf } from "../../sums.ts";
import type { Table } from "../../table.ts";
import { sqlState } from "./faults.ts";
import type { Command } from "./pipeline.ts";

/** A mark outlives its killed process; it is useless after a day. */
const PRUNE = "delete from tidemark_commits where at < current_timestamp - interval '1 day'";

/** The table of rate limits, with the columns of rate-limiter-flexible. */
export const LIMITS_TABLE = "tidemark_limits";

/** Locked while tables are created: "Tide" in ASCII. */
const MAKING_LOCK = 0x54696465;

/** The statement that begins a transaction. Its settings end with it. */
export const BEGIN: Command = {
  text:
    "begin isolation level read committed; select set_config('tidemark.begun', 'yes', true)" +
    // A machine that loses power during a transaction must not hold locks for two hours, the default of most
    // systems.
    ", set_config('tcp_keepalives_idle', '5', true), set_config('tcp_keepalives_interval', '1', true)" +
    ", set_config('tcp_keepalives_count', '5', true)",
  values: [],
};

/** The statements that create each table, by its name. */
function wantedTables(tables: readonly Table<never>[]): Map<string, string[]> {
  const { text } = POSTGRES.types;
  return new Map([
    ["items", [`create table items (key ${text} primary key, value text not null)`]],
    ["ids", [`create table ids (kind ${text} primary key, next bigint not null)`]],
    // The last commit under each mark, so that its outcome can be looked up.
    [
      "tidemark_commits",
      [
        `create table tidemark_commits (
          writer text primary key, number bigint not null, at timestamp with time zone not null)`,
      ],
    ],
    // A crash may lose counts of a minute, so the table is unlogged.
    [
      LIMITS_TABLE,
      [
        `create unlogged table ${LIMITS_TABLE} (
          key varchar(255) primary key, points integer not null default 0, expire bigint)`,
      ],
    ],
    ...sumTablesOf(tables).map((each): [string, string[]] => [each.name, [sumDdl(each, POSTGRES)]]),
    ...tables.map((table): [string, string[]] => [sqlName(table), ddl(table, POSTGRES)]),
  ]);
}

/**
 * Creates what is missing, as far as `makes` allows.
 *
 * @throws Error for a database without a store, one that can't hold every text, that writes instants in another form, or that has no advisory locks
 */
export async function prepareTables(
  pool: Pool,
  { tables, makes }: { tables: readonly Table<never>[]; makes: Makes },
): Promise<void> {
  const { rows } = await pool.query<{ encoding: string; style: string; version: string }>(
    "select current_setting('server_encoding') as encoding, current_setting('DateStyle') as style, version() as version",
  );
  const { encoding, style, version } = rows[0]!;
  if (encoding.replace("-", "").toUpperCase() !== "UTF8")
    throw new Error(`its encoding is ${encoding}, and must be UTF8`);
  if (!style.startsWith("ISO")) throw new Error(`its DateStyle is ${style}, and must be ISO`);
  // It accepts the statements for locks, but ignores them.
  if (version.startsWith("CockroachDB")) throw new Error("CockroachDB has no advisory locks");
  const wanted = wantedTables(tables);
  const missing = await missingIn(pool, wanted);
  if (makes !== "store" && missing.includes("items"))
    throw new Failure("refused", "there is no store in this database");
  if (makes === "nothing") return;
  if (!missing.includes("items") && !(await isReadable(pool))) return;
  // A role with row rights only may not even try to create tables.
  if (missing.length > 0) await makeTables(pool, wanted);
  await pool.query(PRUNE);
}

/** Whether this release can read the store. @throws Error for tables of another program */
async function isReadable(pool: Pool): Promise<boolean> {
  try {
    const { rows } = await pool.query<unknown[]>({ text: MARK_QUERY, rowMode: "array" });
    return mayMakeTables(rows[0]!);
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_COLUMN) throw error;
    throw new Failure("refused", "the database belongs to another program");
  }
}

const UNDEFINED_COLUMN = "42703";

interface Asked {
  query(text: string, values?: unknown[]): Promise<{ rows: { name: string }[] }>;
}

async function missingIn(client: Asked, wanted: ReadonlyMap<string, string[]>): Promise<string[]> {
  // A query that reads no table may be answered from a cache that predates the tables.
  const text =
    "select name from unnest(cast($1 as text[])) as wanted(name)" +
    " where not exists (select from pg_class where oid = to_regclass(name))";
  return (await client.query(text, [[...wanted.keys()]])).rows.map(({ name }) => name);
}

async function makeTables(pool: Pool, wanted: ReadonlyMap<string, string[]>): Promise<void> {
  const client = await pool.connect();
  let isOver = false;
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [MAKING_LOCK]);
    for (const name of await missingIn(client, wanted)) {
      for (const statement of wanted.get(name)!) await client.query(statement);
    }
    await client.query("commit");
    isOver = true;
  } finally {
    client.release(!isOver);
  }
}
