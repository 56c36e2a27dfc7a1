import { randomUUID } from "node:crypto";
import { Pool, type Client, type PoolConfig } from "pg";

/** The prefix of our connections' names. The rest identifies the process. */
const APPLICATION = "tidemark";
const OWN_NAME = `${APPLICATION} ${randomUUID().slice(0, 8)}`;

const LIMITS: PoolConfig = {
  application_name: OWN_NAME,
  keepAlive: true,
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 30_000,
  // Locks must be released if a connection breaks during a commit.
  idle_in_transaction_session_timeout: 5_000,
};

/** The default maximum of connections per process. `STORAGE_CONNECTIONS` overrides it. */
const CONNECTIONS = 10;
/** Rate limits use separate connections, so that they never wait behind listings. */
const LIMITS_CONNECTIONS = 2;
/** The longest wait for a count. After it, a server counts by itself. */
const LIMITS_MS = 1_000;

const READ_LIMITS = { statement_timeout: 15_000, query_timeout: 16_000 };

/** The pools of a server. */
export interface Pools {
  reads: Pool;
  /**
   * Separate from reads, so that a transaction never holds a read connection while it waits for one to write.
   */
  writes: Pool;
  limits: Pool;
  /** Waits for running queries to end. */
  end(): Promise<void>;
  /** Closes all connections immediately and opens no more. Running queries fail. */
  cut(): void;
}

/** Opens the pools of a server. */
export function openPools(url: string, connections = CONNECTIONS): Pools {
  let isCut = false;
  const clients = new Set<Client>();
  // A connection that is still opening while the others are cut must not be used.
  const onConnect: PoolConfig["onConnect"] = () => {
    if (isCut) throw new Error("Another server is written to now");
  };
  const open = (limits: PoolConfig) => {
    const pool = newPool(url, { onConnect, ...limits });
    pool.on("connect", (client) => void clients.add(client as Client));
    pool.on("remove", (client) => void clients.delete(client as Client));
    return pool;
  };
  const forWrites = Math.max(1, Math.floor(connections / 2));
  const reads = open({ max: Math.max(1, connections - forWrites), pipeline: true, ...READ_LIMITS });
  const writes = open({ max: forWrites, pipeline: true, statement_timeout: 5_000, query_timeout: 6_000 });
  const limits = open({
    max: LIMITS_CONNECTIONS,
    connectionTimeoutMillis: LIMITS_MS,
    query_timeout: LIMITS_MS,
    statement_timeout: LIMITS_MS,
  });
  const end = async () => void (await Promise.all([reads.end(), writes.end(), limits.end()]));
  return {
    reads,
    writes,
    limits,
    end,
    cut() {
      isCut = true;
      for (const { connection } of clients) connection.stream.destroy();
      void end();
    },
  };
}

/**
 * Whether another process has used the database within five seconds. A server reads the layout mark each
 * second. Connections that a pooler keeps for a process that has ended are idle.
 */
export async function isShared(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity
      where datname = current_database() and application_name ~ $1 and application_name <> $2
        and (state <> 'idle' or state_change > current_timestamp - interval '5 seconds') limit 1`,
    [`^${APPLICATION}( |$)`, OWN_NAME],
  );
  return rowCount === 1;
}

/** A connection pool that survives database errors. */
export function newPool(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({ connectionString: url, ...LIMITS, ...limits });
  // A broken connection fails its running query, if any, and the next query opens a new one. The break is
  // also emitted as an `error` event, which would end the process without a listener.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}
