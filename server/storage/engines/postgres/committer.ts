import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import {
  dependOn,
  merged,
  namesWritten,
  type Changes,
  type Seen,
  commandsOf,
  slotsOf,
  HAS_BEGUN,
  HAS_STANDBY,
  DEMANDED_STANDBY,
} from "./statements.ts";
import { LOST_RACE } from "../../../failure.ts";
import type { IsLate } from "../../request-limit.ts";
import {
  OVER,
  NO_STANDBY,
  isOutdated,
  isPassing,
  isWithoutStandby,
  sqlState,
  deadlineIn,
  unavailable,
  withRetries,
} from "./faults.ts";
import { sendOn, type Answer, type Command } from "./pipeline.ts";
import { BEGIN } from "./schema.ts";

/** Concurrent commits, each of many transactions. */
const MAX_RUNNING = 2;
/** The maximum number of rows in one commit. */
const MAX_ROWS = 20_000;

/**
 * Commits a transaction's reads and writes. `isLate`: whether its caller has been refused. It is not sent then.
 *
 * @throws the fault that prevents the commit
 */
export type Commit = (changes: Changes, isLate: IsLate) => Promise<void>;

interface Waiting {
  changes: Changes;
  isLate: IsLate;
  slots: ReadonlyMap<number, boolean>;
  resolve: () => void;
  reject: (fault: unknown) => void;
}

/** Commits waiting transactions together. `writes` gives the pool of the current primary. */
export function newCommit(writes: () => Pool, marks: Marks): Commit {
  let waiting: Waiting[] = [];
  const running = new Set<Waiting[]>();
  let isScheduled = false;

  return (changes, isLate) =>
    new Promise((resolve, reject) => {
      waiting.push({ changes, isLate, slots: slotsOf(changes), resolve, reject });
      schedule();
    });

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // By then all transactions that ended together are waiting.
    setImmediate(() => {
      isScheduled = false;
      waiting = withoutLate(waiting);
      while (running.size < MAX_RUNNING) {
        const batch = takeBatch(waiting, [...running].flat());
        if (batch.length === 0) return;
        const taken = new Set(batch);
        waiting = waiting.filter((one) => !taken.has(one));
        running.add(batch);
        void settle(batch).finally(() => {
          running.delete(batch);
          schedule();
        });
      }
    });
  }

  async function settle(all: Waiting[]): Promise<void> {
    let batch = all;
    try {
      await marks.finish((end) =>
        sendOn(writes(), () => {
          batch = withoutLate(all);
          if (batch.length === 0) throw LOST_RACE;
          const changes = merged(batch.map((one) => one.changes));
          return [BEGIN, ...commandsOf(changes, { goesOn: false }), ...end];
        }),
      );
    } catch (fault) {
      // A fault of one transaction must not fail the others. Nothing was written, otherwise there would be no
      // SQL state.
      if (batch.length > 1 && (isOutdated(fault) || (sqlState(fault) !== null && !isPassing(fault)))) {
        const half = batch.length >> 1;
        for (const part of [batch.slice(0, half), batch.slice(half)]) await settle(part);
      } else for (const { reject } of batch) reject(fault);
      return;
    }
    for (const { resolve } of batch) resolve();
    // Transactions that read these changed rows need not be retried.
    const names = new Set(batch.flatMap(({ changes }) => namesWritten(changes)));
    const lost = new Set(waiting.filter(({ changes }) => dependOn(changes, names)));
    waiting = waiting.filter((one) => !lost.has(one));
    for (const { reject } of lost) reject(LOST_RACE);
  }
}

/** Those whose callers still wait. The others are rejected. */
function withoutLate(all: Waiting[]): Waiting[] {
  for (const { isLate, reject } of all) if (isLate()) reject(OVER);
  return all.filter(({ isLate }) => !isLate());
}

/**
 * Picks waiting transactions that can be committed together. All are compared with the database's state
 * before the first one, so none may depend on an earlier one's writes. `others` are being committed now.
 */
function takeBatch<T extends Pick<Waiting, "changes" | "slots">>(
  waiting: readonly T[],
  others: readonly T[],
): T[] {
  const busy = new Map<number, boolean>();
  for (const { slots } of others)
    for (const [slot, isOwn] of slots) busy.set(slot, isOwn || busy.get(slot) === true);
  const isFree = ({ slots }: T) =>
    ![...slots].some(([slot, isOwn]) => busy.get(slot) === true || (isOwn && busy.has(slot)));
  const batch: T[] = [];
  const written = new Set<string>();
  const seen = new Map<string, Seen>();
  let rowCount = 0;
  for (const one of waiting) {
    const { changes } = one;
    if (!isFree(one) || dependOn(changes, written)) continue;
    // If two have read different versions, one is outdated.
    if (
      [...changes.seen].some(([name, { version }]) => seen.has(name) && seen.get(name)!.version !== version)
    )
      continue;
    rowCount += changes.seen.size + changes.written.length;
    if (batch.length > 0 && rowCount > MAX_ROWS) break;
    batch.push(one);
    for (const name of namesWritten(changes)) written.add(name);
    for (const [name, each] of changes.seen) seen.set(name, each);
  }
  return batch;
}

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

/**
 * There are as many marks as concurrent commits. `needsStandby`: nothing counts as committed without a synchronous
 * standby.
 */
export function newMarks(pool: () => Pool, { needsStandby }: { needsStandby: boolean }): Marks {
  const process = randomUUID();
  const free: Mark[] = [];
  let count = 0;
  return {
    async finish(send) {
      const mark = free.pop() ?? { writer: `${process}/${++count}`, number: 0 };
      mark.number += STEP;
      let lost: { fault: unknown } | null = null;
      let hasStandby = true;
      try {
        const [before, after] = needsStandby ? [[DEMANDING], [ASKING]] : [[], []];
        const answers = await send([marking(mark), ...before, COMMIT, ...after]);
        if (answers.at(-1 - after.length)!.command !== "COMMIT")
          throw new Error("The commit was answered with a rollback");
        if (needsStandby) hasStandby = answers.at(-1)!.rows[0]![0] === 1;
      } catch (fault) {
        // A mark whose last outcome is unknown must not be reused.
        if (isWithoutStandby(fault)) lost = { fault: unavailable(fault) };
        else if (isOutdated(fault) || !(await isDone(pool, mark, { needsStandby }))) lost = { fault };
      }
      free.push(mark);
      if (lost !== null) throw lost.fault;
      requireStandby(hasStandby);
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

const COMMIT: Command = { text: "commit", values: [] };
/** Fails before a commit that would not wait for a standby, or for one that is gone. */
const DEMANDING: Command = { text: `select ${DEMANDED_STANDBY}`, values: [] };
/**
 * Asks after a commit whether it has waited for a standby. If the standby goes while a commit waits and its name is
 * removed, Postgres ends the wait and calls the commit done.
 */
const ASKING: Command = { text: `select cast(${HAS_STANDBY} as integer)`, values: [] };

/** @throws Failure `unavailable` for a commit that may be on one disk only. It can't be undone, but is not acknowledged */
function requireStandby(hasStandby: boolean): void {
  if (!hasStandby) throw unavailable(new Error(NO_STANDBY));
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
async function isDone(
  pool: () => Pool,
  { writer, number }: Mark,
  { needsStandby }: { needsStandby: boolean },
): Promise<boolean> {
  const resolving: Command = {
    text: `insert into tidemark_commits as mark (writer, number, at)
      values (cast($1 as text), cast($2 as bigint), current_timestamp)
      on conflict (writer) do update
      set at = excluded.at, number = case when mark.number < excluded.number - ${GIVEN_UP} then excluded.number else mark.number end
      returning number`,
    values: [writer, number + GIVEN_UP],
  };
  const [marked, standby] = await withRetries(
    async () => sendOn(pool(), [resolving, ...(needsStandby ? [ASKING] : [])]),
    deadlineIn(RESOLVE_MS),
  );
  if (needsStandby) requireStandby(standby!.rows[0]![0] === 1);
  return marked!.rows[0]![0] === number;
}
