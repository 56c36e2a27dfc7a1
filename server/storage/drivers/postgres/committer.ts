import { randomUUID } from "node:crypto";
import type { Pool, PoolClient, QueryResult } from "pg";
import { Failure } from "../../../failure.ts";
import { DECISION_AT, statementsOf, takeBatch, type PendingCommit, type Statement } from "./batch.ts";
import { deadlineIn, isLostRace, unavailable, withRetries } from "./faults.ts";

/** How long a commit is tried, and how long it is then asked what became of it. */
const COMMIT_MS = 5_000;
const RESOLVE_MS = 10_000;

/** `writer` is new or was pruned: nothing of the commit was written. */
const UNMARKED = Symbol("unmarked");

/** Commits one batch at a time: all that comes while one is under way goes into the next. */
export interface Committer {
  commit(changes: PendingCommit["changes"]): Promise<boolean>;
  /** Waits for what is under way, and takes this process' mark away. */
  close(): Promise<void>;
}

/** Makes a committer over a pool of its own, of pipelined connections. */
export function committer(pool: Pool): Committer {
  let writer = randomUUID();
  let isMarked = false;
  let number = 0;
  let pending: PendingCommit[] = [];
  let running: Promise<void> | null = null;

  return {
    commit: (changes) =>
      new Promise((resolve, reject) => {
        pending.push({ changes, resolve, reject });
        running ??= commitPending();
      }),
    async close() {
      await running;
      if (isMarked)
        await pool.query("delete from tidemark_commits where writer = $1", [writer]).catch(() => {});
    },
  };

  async function commitPending(): Promise<void> {
    // What is asked for in the same turn goes together.
    await Promise.resolve();
    while (pending.length > 0) {
      const [batch, rest] = takeBatch(pending);
      pending = rest;
      await settle(batch);
    }
    running = null;
  }

  async function settle(batch: PendingCommit[]): Promise<void> {
    try {
      const done = new Set(await decide(batch));
      batch.forEach(({ resolve }, part) => resolve(done.has(part)));
    } catch (error) {
      const isFaultOfOne = !(error instanceof Failure) && batch.length > 1;
      // A text that the database can't hold must not cost others their commits.
      if (isFaultOfOne) for (const commit of batch) await settle([commit]);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** The parts of a batch whose checks held, which are then written. */
  async function decide(batch: PendingCommit[]): Promise<number[]> {
    const deadline = deadlineIn(COMMIT_MS);
    return withRetries(async () => {
      for (;;) {
        if (!isMarked) await mark();
        const done = await attempt(batch, ++number);
        if (done !== UNMARKED) return done;
        isMarked = false;
      }
    }, deadline);
  }

  async function mark(): Promise<void> {
    writer = randomUUID();
    await pool.query("insert into tidemark_commits (writer, number, at) values ($1, $2, current_timestamp)", [
      writer,
      number,
    ]);
    isMarked = true;
  }

  /** Commits once. An answer that was lost is asked for, so that what is tried again was not written. */
  async function attempt(batch: PendingCommit[], own: number): Promise<number[] | typeof UNMARKED> {
    const statements = statementsOf(batch, writer, own);
    const client = await pool.connect();
    try {
      return await send(client, statements);
    } catch (error) {
      if (isLostRace(error)) throw error;
      const done = await resolve(own);
      if (done === null) throw error;
      return done;
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
      // After any fault the connection is given up, with whatever it still holds.
      client.release(fault !== undefined);
    }
  }

  /**
   * What became of a commit: the parts that were done, or null, and then it never happens: its number is
   * taken, which the commit needs to be below its own. Waits for a commit that has got there first.
   */
  async function resolve(own: number): Promise<number[] | null> {
    return withRetries(async () => {
      const given = await pool.query(
        "update tidemark_commits set number = $2, done = null where writer = $1 and number < $2",
        [writer, own],
      );
      if (given.rowCount === 1) return null;
      const { rows } = await pool.query<{ done: (number | string)[] | null }>(
        "select done from tidemark_commits where writer = $1 and number = $2",
        [writer, own],
      );
      // Only a mark that was pruned, a day ago, is not there.
      if (rows[0] === undefined) throw unavailable(new Error("What became of a commit is not known"));
      return partsOf(rows[0].done);
    }, deadlineIn(RESOLVE_MS));
  }
}

/** As numbers: engines whose integers are all large ones give them as texts. */
function partsOf(done: readonly (number | string)[] | null | undefined): number[] | null {
  return done?.map(Number) ?? null;
}
