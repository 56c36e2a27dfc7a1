import type { Pool, PoolClient } from "pg";
import { unavailable, isPassing } from "./faults.ts";

const CHUNK = 1_000;

/** Who reads a snapshot may be slow, as a pipe is, and yet must not hold it, and what it keeps from being cleaned up, for ever. */
const PATIENCE = "set local idle_in_transaction_session_timeout = '10min'";

const PAGE = `select key, value from tidemark_items where key > $1 order by key limit ${CHUNK}`;

/**
 * All entries at one moment, on a connection of its own, whatever is written meanwhile.
 *
 * @throws Failure `unavailable` when the connection is lost, as its moment is then
 */
export async function* snapshot(pool: Pool): AsyncGenerator<[key: string, value: string][]> {
  let isOver = false;
  let client: PoolClient | undefined;
  try {
    client = await pool.connect();
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
    // A connection with a transaction that was left is given up.
    client?.release(!isOver);
  }
}
