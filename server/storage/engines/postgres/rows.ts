import type { Pool } from "pg";
import type { Reads, Snapshot, Values } from "../../session.ts";
import { POSTGRES } from "../../sql.ts";
import { totalStatement } from "../../sums.ts";
import type { ColumnValue, KeyPart, Table } from "../../table.ts";
import { sqlState, isPassing, unavailable, deadlineIn, withRetries } from "./faults.ts";
import { sendOn, type Answer, type Command, sendAll } from "./pipeline.ts";
import { type Wanted, groupedBy, lookup, wayOf } from "./statements.ts";

/** How long a read is retried while the database is down, and how long reads of single records wait. */
export const READ_MS = 6_000;
/**
 * The limit of concurrent queries. Reads that arrive meanwhile share the next one, and few queries cost
 * least.
 */
const MAX_QUERIES = 1;

/** A record's row. */
export interface StoredRow {
  key: KeyPart[];
  /** Counts the writes to the row. */
  version: number;
  values: Values;
}

/** Reads committed rows, each query on a connection of its own. */
export interface Rows {
  one(wanted: Wanted): Promise<StoredRow | null>;
  /** Runs a fast query. Queries that arrive meanwhile share a connection. */
  ask(question: Command): Promise<Answer>;
  send(commands: Command[]): Promise<Answer[]>;
}

/** Makes them over a pool. `pool` gives that of the current server. */
export function newRows(pool: () => Pool): Rows {
  const send = (commands: readonly Command[], timeoutMs?: number) =>
    withRetries(async () => sendOn(pool(), commands, timeoutMs), deadlineIn(READ_MS));
  const sharing = { maxQueries: MAX_QUERIES, isOfOne: (error: unknown) => sqlState(error) !== null };
  const load = (commands: readonly Command[]) => send(commands, READ_MS);
  const together = batchedRead((questions: (Wanted | Command)[]) => loadAll(questions, load), sharing);
  return {
    one: (wanted) =>
      together(
        `${wayOf(wanted)} ${JSON.stringify([wanted.account_id, wanted.values])}`,
        wanted,
      ) as Promise<StoredRow | null>,
    ask: (question) =>
      together(JSON.stringify([question.text, question.values]), question) as Promise<Answer>,
    send,
  };
}

/** The reads of a store over rows. */
export function newReads({ one, send }: Rows): Reads {
  return {
    dialect: POSTGRES,
    get: async (from, accountId, key) =>
      (await one({ from, by: from.key, account_id: accountId, values: key }))?.values ?? null,
    find: async (from, unique, accountId, values) =>
      (await one({ from, by: uniqueColumns(from, unique), account_id: accountId, values }))?.values ?? null,
    all: async (statement) => (await send([statement]))[0]!.rows,
    total: async (of, accountId, start) => {
      const question = totalStatement(of, accountId, { start, dialect: POSTGRES });
      return (await send([question]))[0]!.rows[0]!.map(Number);
    },
    ask: async (question) => namedRows((await send([question]))[0]!),
  };
}

/** The columns of a unique constraint. */
export function uniqueColumns(from: Table<never>, unique: string): readonly string[] {
  return (from.unique as Record<string, readonly string[]>)[unique]!;
}

/** The rows of an answer, by column name. */
export function namedRows({ fields, rows }: Answer): Record<string, ColumnValue>[] {
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [fields[at]!.name, value])));
}

/** Loads rows, with one statement for all that are found by the same columns, and runs queries. */
async function loadAll(
  questions: readonly (Wanted | Command)[],
  send: (commands: readonly Command[]) => Promise<Answer[]>,
): Promise<(StoredRow | Answer | null)[]> {
  const commands = questions.filter((each) => "text" in each);
  const groups = groupedBy(
    questions.filter((each) => "from" in each),
    wayOf,
  );
  const answers = await send([...groups.map(lookup), ...commands]);
  const found = new Map<Wanted | Command, StoredRow | Answer>();
  for (const [at, group] of groups.entries()) {
    for (const row of answers[at]!.rows) found.set(group[row[0] as number]!, foundIn(group[0]!.from, row));
  }
  for (const [at, command] of commands.entries()) found.set(command, answers[groups.length + at]!);
  return questions.map((each) => found.get(each) ?? null);
}

/** A row that `lookup` has selected. */
export function foundIn(from: Table<never>, [, version, ...values]: ColumnValue[]): StoredRow {
  const names = from.names;
  const key = from.key.map((name) => values[names.indexOf(name)] as KeyPart);
  return { key, version: version as number, values };
}

/** Runs a read. Concurrent reads share a query, and those of the same name share their answer as well. */
type BatchedRead<Q, A> = (name: string, question: Q) => Promise<A>;

interface Waiting<Q, A> {
  question: Q;
  askers: { resolve: (answer: A) => void; reject: (error: unknown) => void }[];
}

const MAX_QUESTIONS = 1_000;

/**
 * Batches reads that are requested in the same turn of the event loop, or while the maximum number of queries
 * is running. A read never joins a query that began before it, because that query may miss a later commit.
 * `isOfOne`: whether an error may come from a single read, so that the others must be retried without it.
 */
export function batchedRead<Q, A>(
  load: (questions: Q[]) => Promise<A[]>,
  { maxQueries, isOfOne }: { maxQueries: number; isOfOne: (error: unknown) => boolean },
): BatchedRead<Q, A> {
  let waiting = new Map<string, Waiting<Q, A>>();
  let queryCount = 0;
  let isScheduled = false;

  return (name, question) =>
    new Promise((resolve, reject) => {
      const known = waiting.get(name);
      if (known !== undefined) known.askers.push({ resolve, reject });
      else waiting.set(name, { question, askers: [{ resolve, reject }] });
      schedule();
    });

  function schedule(): void {
    if (isScheduled || queryCount >= maxQueries || waiting.size === 0) return;
    isScheduled = true;
    // By then all requests that arrived together have queued their next read.
    setImmediate(() => {
      isScheduled = false;
      const entries = [...waiting];
      waiting = new Map(entries.slice(MAX_QUESTIONS));
      queryCount++;
      void query(entries.slice(0, MAX_QUESTIONS).map(([, each]) => each)).finally(() => {
        queryCount--;
        schedule();
      });
      schedule();
    });
  }

  async function query(batch: Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await load(batch.map(({ question }) => question));
      batch.forEach(({ askers }, at) => askers.forEach(({ resolve }) => resolve(answers[at]!)));
    } catch (error) {
      // A text that the database can't hold must not fail the other reads.
      if (batch.length > 1 && isOfOne(error)) for (const each of batch) await query([each]);
      else for (const { reject } of batch.flatMap(({ askers }) => askers)) reject(error);
    }
  }
}

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
