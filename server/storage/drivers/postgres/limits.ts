import { newPool } from "./pool.ts";
import { LIMITS_TABLE } from "./schema.ts";

/** Separate connections, so that rate limits never wait behind listings. */
const CONNECTIONS = 2;
/** The longest wait for an answer: after it, a server does better to count by itself. */
const ANSWER_MS = 1_000;

/** The database where all its servers count their limits. */
export interface LimitsDatabase {
  table: string;
  query(statement: { text: string; values: unknown[] }): Promise<unknown>;
}

/** Opens it. The first count makes the connection. */
export function limitsDatabase(url: string): LimitsDatabase {
  const pool = newPool(url, {
    max: CONNECTIONS,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    statement_timeout: ANSWER_MS,
  });
  // Without statement names, because poolers in transaction mode do not know them.
  return { table: LIMITS_TABLE, query: ({ text, values }) => pool.query({ text, values }) };
}
