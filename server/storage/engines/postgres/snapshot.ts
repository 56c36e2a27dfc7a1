import type { Pool } from "pg";
import type { Snapshot } from "../../session.ts";
import { isPassing, unavailable } from "./faults.ts";
import { sendAll, type Command } from "./pipeline.ts";
import { loadAll, newReads, type StoredRow } from "./rows.ts";

const BEGIN: Command[] = [
  { text: "begin isolation level repeatable read, read only", values: [] },
  // A reader may be slow (a pipe, for example), but a snapshot must not stay open for ever: it keeps Postgres
  // from vacuuming.
  { text: "set local idle_in_transaction_session_timeout = '10min'", values: [] },
  // The first query fixes the moment.
  { text: "select 1 from items limit 1", values: [] },
];

/**
 * Opens reads of the present moment, on their own connection.
 *
 * @throws Failure `unavailable` when the connection is lost, because the snapshot is lost with it
 */
export async function openSnapshot(pool: Pool): Promise<Snapshot> {
  const client = await pool.connect();
  let line: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  function send(commands: readonly Command[]) {
    const sent = line.then(() => sendAll(client, commands));
    line = sent.catch(() => {});
    return sent.catch((error: unknown) => {
      throw isPassing(error) ? unavailable(error) : error;
    });
  }

  /** A connection with an open transaction is closed. */
  async function close(): Promise<void> {
    const isIntact = await send([{ text: "commit", values: [] }]).then(
      () => true,
      () => false,
    );
    client.release(!isIntact);
  }

  try {
    await send(BEGIN);
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    ...newReads({
      send,
      one: async (wanted) => (await loadAll([wanted], send))[0] as StoredRow | null,
      ask: async (question) => (await send([question]))[0]!,
    }),
    close: () => (closing ??= close()),
  };
}
