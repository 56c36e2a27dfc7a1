import { randomUUID } from "node:crypto";
import type { Pool, PoolClient, QueryResult } from "pg";
import { DECISION_AT, statementsOf, type PendingCommit, type Statement } from "./batch.ts";
import { isLostRace, unavailable } from "./faults.ts";
import { deadlineIn, withRetries } from "./retries.ts";

/** How long a commit is tried, and then how long its outcome is asked for. */
const COMMIT_MS = 5_000;
const RESOLVE_MS = 10_000;

/** `writer` is new or was pruned: nothing of the commit was written. */
const UNMARKED = Symbol("unmarked");

/** Writes batches under the mark of this process, so that the outcome of each can be asked for. */
export interface Writer {
  /** Returns the parts of a batch whose checks passed and that are therefore written. */
  write(batch: PendingCommit[]): Promise<number[]>;
  /** Removes the mark. */
  close(): Promise<void>;
}

/** Makes a writer over a pool of pipelined connections: at each moment that of the server to write to. */
export function newWriter(pool: () => Pool): Writer {
  let writer = randomUUID();
  let isMarked = false;
  let number = 0;

  return {
    async write(batch) {
      const deadline = deadlineIn(COMMIT_MS);
      return withRetries(async () => {
        for (;;) {
          if (!isMarked) await mark();
          const done = await attempt(batch, ++number);
          if (done !== UNMARKED) return done;
          isMarked = false;
        }
      }, deadline);
    },
    async close() {
      if (isMarked) await unmark().catch(() => {}); // marks are pruned after a day
    },
  };

  async function mark(): Promise<void> {
    writer = randomUUID();
    await pool().query(
      "insert into tidemark_commits (writer, number, at) values ($1, $2, current_timestamp)",
      [writer, number],
    );
    isMarked = true;
  }

  async function unmark(): Promise<void> {
    await pool().query("delete from tidemark_commits where writer = $1", [writer]);
  }

  /**
   * Tries a commit once. If the answer is lost, it asks for the outcome, so that a commit is never written
   * twice.
   */
  async function attempt(batch: PendingCommit[], own: number): Promise<number[] | typeof UNMARKED> {
    const statements = statementsOf(batch, writer, own);
    const client = await pool().connect();
    try {
      return await send(client, statements);
    } catch (error) {
      if (isLostRace(error)) throw error;
      const done = await outcomeOf(pool, writer, own);
      if (done === null) throw error;
      return done;
    }
  }
}

async function send(client: PoolClient, statements: Statement[]): Promise<number[] | typeof UNMARKED> {
  let fault: unknown;
  try {
    const queries = statements.map((statement) => client.query(statement));
    const answers = await Promise.allSettled(queries);
    fault = answers.find((answer) => answer.status === "rejected")?.reason;
    if (fault !== undefined) throw fault;
    const results = answers.map((answer) => (answer as PromiseFulfilledResult<QueryResult>).value);
    if (results.at(-1)?.command !== "COMMIT") throw new Error("The commit was answered with a rollback");
    return partsOf(results[DECISION_AT]?.rows[0]?.done) ?? UNMARKED;
  } finally {
    // After any error the connection is closed, because it may still be inside a transaction.
    client.release(fault !== undefined);
  }
}

/**
 * Finds the outcome of a commit: the parts that were written, or null. After null the commit can never
 * happen, because its number is now taken. If the commit is still running, this waits for it.
 *
 * Both statements write. A commit that waited for a synchronous standby when its server was killed is in that
 * server's data, but may be nowhere else. The write waits for the standby too, so it answers only when the standby
 * has the commit.
 */
async function outcomeOf(pool: () => Pool, writer: string, own: number): Promise<number[] | null> {
  return withRetries(async () => {
    const given = await pool().query(
      "update tidemark_commits set number = $2, done = null where writer = $1 and number < $2",
      [writer, own],
    );
    if (given.rowCount === 1) return null;
    const { rows } = await pool().query<{ done: (number | string)[] | null }>(
      "update tidemark_commits set at = current_timestamp where writer = $1 and number = $2 returning done",
      [writer, own],
    );
    // A mark is only missing if it was pruned, a day later.
    if (rows[0] === undefined) throw unavailable(new Error("What became of a commit is not known"));
    return partsOf(rows[0].done);
  }, deadlineIn(RESOLVE_MS));
}

/** As numbers: engines whose integers all have 64 bits return them as text. */
function partsOf(done: readonly (number | string)[] | null | undefined): number[] | null {
  return done?.map(Number) ?? null;
}
