import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import type { Addition, PassingCount } from "../../driver.ts";
import { unavailable } from "./faults.ts";
import type { Engine } from "./schema.ts";

/** Longest wait for an answer; who asks for a limit does better to count by itself than to wait. */
const ANSWER_MS = 500;
/** How long a database that did not answer is not asked again. */
const REST_MS = 1_000;
const MAX_ADDITIONS = 1_000;
const PRUNE_MS = 60_000;

interface Waiting extends Addition {
  resolve: (counted: PassingCount) => void;
  reject: (error: unknown) => void;
}

/**
 * One statement adds all that waits, in key order, so that two of them never wait for each other. The
 * database's clock alone says when a count ends.
 */
const ADD = `insert into tidemark_counts as counted (key, count, ends_at)
  select added.key, added.amount, current_timestamp + added.window_ms * interval '1 millisecond'
  from unnest(cast($1 as text[]), cast($2 as integer[]), cast($3 as integer[]))
    as added(key, amount, window_ms)
  order by added.key
  on conflict (key) do update set
    count = case when counted.ends_at <= current_timestamp then excluded.count
      else counted.count + excluded.count end,
    ends_at = case when counted.ends_at <= current_timestamp then excluded.ends_at else counted.ends_at end
  returning key, count, extract(epoch from ends_at - current_timestamp) * 1000 as ms_left`;

/** The same, which answers before the disk has it. CockroachDB knows of no such thing. */
const ADD_RELAXED = `with relaxed as (select set_config('synchronous_commit', 'off', true)) ${ADD.replace(
  "as added(key, amount, window_ms)",
  "$&, relaxed",
)}`;

const PRUNE = `delete from tidemark_counts where key = any(array(
  select key from tidemark_counts where ends_at < current_timestamp order by key for update))`;

/** Makes what adds to counts: all that is asked for while one query is under way goes into the next. */
export function passingCounts(
  pool: Pool,
  { isCockroach }: Engine,
): (addition: Addition) => Promise<PassingCount> {
  const text = isCockroach ? ADD : ADD_RELAXED;
  let waiting: Waiting[] = [];
  let isRunning = false;
  let restsUntil = 0;
  let prunedAt = performance.now();

  return (addition) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...addition, resolve, reject });
      if (!isRunning) void run();
    });

  async function run(): Promise<void> {
    isRunning = true;
    // What is asked for in the same turn goes together.
    await Promise.resolve();
    while (waiting.length > 0) await settle(waiting.splice(0, MAX_ADDITIONS));
    isRunning = false;
    prune();
  }

  async function settle(batch: Waiting[]): Promise<void> {
    try {
      if (performance.now() < restsUntil) throw new Error("The database did not answer a moment ago");
      hand(batch, await answerOf(sumUp(batch)));
    } catch (error) {
      if (performance.now() >= restsUntil) restsUntil = performance.now() + REST_MS;
      for (const { reject } of batch) reject(unavailable(error));
    }
  }

  async function answerOf(additions: Addition[]): Promise<Map<string, PassingCount>> {
    const values = [
      additions.map(({ key }) => key),
      additions.map(({ amount }) => amount),
      // What is only asked about has ended when it begins.
      additions.map(({ amount, windowMs }) => (amount === 0 ? 0 : windowMs)),
    ];
    const asked = pool.query<{ key: string; count: string; ms_left: string }>({ text, values });
    asked.catch(() => {}); // one that comes too late is nobody's
    const late = sleep(ANSWER_MS, null, { ref: false });
    const answer = await Promise.race([asked, late]);
    if (answer === null) throw new Error("The database did not answer in time");
    return new Map(
      answer.rows.map((row) => [row.key, { count: Number(row.count), msLeft: Number(row.ms_left) }]),
    );
  }

  /** Counts that have ended are of no use to anybody. */
  function prune(): void {
    if (performance.now() - prunedAt < PRUNE_MS) return;
    prunedAt = performance.now();
    pool.query(PRUNE).catch(() => {}); // the next one takes what this one leaves
  }
}

/** One addition for each key. */
function sumUp(batch: Waiting[]): Addition[] {
  const sums = new Map<string, Addition>();
  for (const { key, amount, windowMs } of batch) {
    const sum = sums.get(key);
    if (sum) sum.amount += amount;
    else sums.set(key, { key, amount, windowMs });
  }
  return [...sums.values()];
}

/** Gives each the count as it was after its own addition. */
function hand(batch: Waiting[], counts: Map<string, PassingCount>): void {
  for (const { key, amount, windowMs, resolve } of batch.toReversed()) {
    const counted = counts.get(key) ?? { count: amount, msLeft: 0 };
    // A statement that began a little before the one that began the count has more than a window left.
    resolve({ count: counted.count, msLeft: Math.min(counted.msLeft, windowMs) });
    counted.count -= amount;
  }
}
