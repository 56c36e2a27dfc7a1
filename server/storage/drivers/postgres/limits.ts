import { newPool } from "./pool.ts";
import { LIMITS_TABLE } from "./schema.ts";

/** Connections of their own, so that limits never wait behind listings. */
const CONNECTIONS = 2;
/** Longest wait for an answer: whoever asks for a limit does better to count by itself than to wait. */
const ANSWER_MS = 1_000;

/** Where all servers on a database count their limits. */
export interface LimitsDatabase {
  table: string;
  query(statement: { text: string; values: unknown[] }): Promise<unknown>;
}

/** Opens it; nothing is connected to before the first count. */
export function limitsDatabase(url: string): LimitsDatabase {
  const pool = newPool(url, {
    max: CONNECTIONS,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    statement_timeout: ANSWER_MS,
  });
  // Without the names of statements, which poolers in transaction mode do not know.
  return { table: LIMITS_TABLE, query: ({ text, values }) => pool.query({ text, values }) };
}
