import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { isOutdated } from "./faults.ts";
import type { Answer, Command } from "./pipeline.ts";
import { deadlineIn, withRetries } from "./retries.ts";
import { HAS_BEGUN } from "./statements.ts";

/** How long to retry when asking for a commit's outcome. */
const RESOLVE_MS = 10_000;

/** A row that successive commits mark as their own, with growing numbers. */
interface Mark {
  writer: string;
  number: number;
}

/** Commits have even numbers. The odd number after one means that the commit was given up. */
const STEP = 2;
const GIVEN_UP = 1;

/** Marks the commits of a process, so that the outcome can be looked up when the answer is lost. */
export interface Marks {
  /**
   * Ends a transaction by sending its final statements. `send` always releases its connection, which may be
   * the only one.
   *
   * @throws the fault if nothing was written, and Failure `unavailable` if the outcome can't be found out
   */
  finish(send: (end: Command[]) => Promise<Answer[]>): Promise<void>;
  /** Removes all marks. */
  close(): Promise<void>;
}

/** There are as many marks as concurrent commits. */
export function newMarks(pool: () => Pool): Marks {
  const process = randomUUID();
  const free: Mark[] = [];
  let count = 0;
  return {
    async finish(send) {
      const mark = free.pop() ?? { writer: `${process}/${++count}`, number: 0 };
      mark.number += STEP;
      let lost: { fault: unknown } | null = null;
      try {
        const answers = await send([marking(mark), { text: "commit", values: [] }]);
        if (answers.at(-1)!.command !== "COMMIT") throw new Error("The commit was answered with a rollback");
      } catch (fault) {
        // A mark whose last outcome is unknown must not be reused.
        if (isOutdated(fault) || !(await isDone(pool, mark))) lost = { fault };
      }
      free.push(mark);
      if (lost !== null) throw lost.fault;
    },
    async close() {
      if (free.length === 0) return;
      const writers = free.map(({ writer }) => writer);
      // Marks are removed after a day.
      await (async () =>
        pool().query("delete from tidemark_commits where writer = any($1)", [writers]))().catch(() => {});
    },
  };
}

/** Marks a commit as done. It fails if the commit was given up. */
function marking({ writer, number }: Mark): Command {
  return {
    text:
      "with marked as (insert into tidemark_commits as mark (writer, number, at)" +
      ` select cast($1 as text), cast($2 as bigint), current_timestamp where ${HAS_BEGUN}` +
      " on conflict (writer) do update set number = excluded.number, at = excluded.at" +
      " where mark.number < excluded.number returning 1) select 1 / count(*) from marked",
    values: [writer, number],
  };
}

/**
 * Whether a commit whose answer was lost is done. If not, it can never succeed, because its number is now
 * taken. If it is still running, this waits for it.
 *
 * The statement always writes. If a server is killed while a commit waits for a synchronous standby, the
 * commit is in that server's data but perhaps nowhere else. This write waits for the standby too, so it
 * answers only when the standby has the commit.
 */
async function isDone(pool: () => Pool, { writer, number }: Mark): Promise<boolean> {
  const { rows } = await withRetries(
    async () =>
      pool().query<{ number: number | string }>(
        `insert into tidemark_commits as mark (writer, number, at) values ($1, $2, current_timestamp)
          on conflict (writer) do update
          set at = excluded.at, number = case when mark.number < $2 - ${GIVEN_UP} then $2 else mark.number end
          returning number`,
        [writer, number + GIVEN_UP],
      ),
    deadlineIn(RESOLVE_MS),
  );
  // Postgres returns 64-bit integers as text.
  return Number(rows[0]!.number) === number;
}
