import type { Pool, PoolClient } from "pg";
import { unavailable, isPassing } from "./faults.ts";

const CHUNK = 1_000;

/**
 * A reader may be slow (a pipe, for example), but must not hold a snapshot for ever: it keeps Postgres from
 * cleaning up.
 */
const PATIENCE = "set local idle_in_transaction_session_timeout = '10min'";

const PAGE = `select key, value from tidemark_items where key > $1 order by key limit ${CHUNK}`;

/**
 * Yields all entries of one moment, on its own connection, whatever is written meanwhile.
 *
 * @throws Failure `unavailable` when the connection is lost, because the snapshot is lost with it
 */
export async function* snapshot(pool: () => Pool): AsyncGenerator<[key: string, value: string][]> {
  let isOver = false;
  let client: PoolClient | undefined;
  try {
    client = await pool().connect();
    await client.query("begin isolation level repeatable read, read only");
    await client.query(PATIENCE);
    for (let last = ""; ;) {
      const { rows } = await client.query<[string, string]>({ text: PAGE, values: [last], rowMode: "array" });
      yield rows;
      last = rows.at(-1)?.[0] ?? "";
      if (rows.length < CHUNK) break;
    }
    await client.query("commit");
    isOver = true;
  } catch (error) {
    throw isPassing(error) ? unavailable(error) : error;
  } finally {
    // A connection with an unfinished transaction is closed.
    client?.release(!isOver);
  }
}
