import type { Pool } from "pg";
import type { Reads } from "../../session.ts";
import { POSTGRES } from "../../sql.ts";
import { totalStatement } from "../../sums.ts";
import type { ColumnValue, KeyPart, Table } from "../../table.ts";
import { sqlState } from "./faults.ts";
import { batchedRead } from "./batched-read.ts";
import { sendOn, type Answer, type Command } from "./pipeline.ts";
import { deadlineIn, withRetries } from "./retries.ts";
import type { Wanted } from "./changes.ts";
import { groupedBy, lookup, wayOf } from "./statements.ts";

/** How long a read is retried while the database is down, and how long reads of single records wait. */
export const READ_MS = 2_000;
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
  doc: string;
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
        `${wayOf(wanted)} ${JSON.stringify([wanted.accountId, wanted.values])}`,
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
      (await one({ from, by: from.key, accountId, values: key }))?.doc ?? null,
    find: async (from, unique, accountId, values) =>
      (await one({ from, by: uniqueColumns(from, unique), accountId, values }))?.doc ?? null,
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
export async function loadAll(
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
    for (const row of answers[at]!.rows) found.set(group[row[0] as number]!, foundIn(row));
  }
  for (const [at, command] of commands.entries()) found.set(command, answers[groups.length + at]!);
  return questions.map((each) => found.get(each) ?? null);
}

/** A row that `lookup` has selected. */
export function foundIn([, version, doc, ...key]: ColumnValue[]): StoredRow {
  return { key: key as KeyPart[], version: version as number, doc: doc as string };
}
