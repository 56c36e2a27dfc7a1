import { Pool, type PoolConfig } from "pg";

const LIMITS: PoolConfig = {
  application_name: "tidemark",
  keepAlive: true,
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 30_000,
  // A connection over which only half of a commit came must not keep its locks.
  idle_in_transaction_session_timeout: 5_000,
};

/** Connections to a database that outlive its faults. */
export function newPool(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({ connectionString: url, ...LIMITS, ...limits });
  // A connection that breaks fails the query that it carries, if any, and is replaced by the next. That it
  // broke is told as an event besides, which would end the process if nobody listened.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}
