import { Pool, type PoolConfig } from "pg";

const LIMITS: PoolConfig = {
  application_name: "tidemark",
  keepAlive: true,
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 30_000,
  // Locks must be released if a connection breaks in the middle of a commit.
  idle_in_transaction_session_timeout: 5_000,
};

/** The most connections of a process to its store. `STORAGE_CONNECTIONS` sets another number. */
const CONNECTIONS = 10;

/** The pools of a store. Commits are pipelined, so they need only one of the connections. */
export function openPools(url: string, connections = CONNECTIONS): { reads: Pool; writes: Pool } {
  return {
    reads: newPool(url, {
      max: Math.max(1, connections - 1),
      statement_timeout: 15_000,
      query_timeout: 16_000,
    }),
    writes: newPool(url, { max: 1, pipeline: true, statement_timeout: 5_000, query_timeout: 6_000 }),
  };
}

/** A pool of connections that survives errors of the database. */
export function newPool(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({ connectionString: url, ...LIMITS, ...limits });
  // A broken connection fails its running query, if any, and the next query opens another. The break is also
  // an `error` event, which would end the process if nobody listened.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}
