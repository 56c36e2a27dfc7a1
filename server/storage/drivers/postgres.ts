import type { Pool } from "pg";
import { isOutage, reasonOf } from "../../failure.ts";
import { refuseLongKeys, type AtomicDriver, type Changes, type StoreSize } from "../driver.ts";
import { onlyOnce, plainItems } from "../plain-items.ts";
import { committer } from "./postgres/committer.ts";
import { readWeaknesses } from "./postgres/durability.ts";
import { sqlState } from "./postgres/faults.ts";
import { isShared } from "./postgres/pool.ts";
import { deadlineIn, withRetries } from "./postgres/retries.ts";
import { newReadCache } from "./postgres/read-cache.ts";
import { newReads, READ_MS } from "./postgres/reads.ts";
import { LIMITS_TABLE, prepareTables } from "./postgres/schema.ts";
import { openServers } from "./postgres/servers.ts";
import { snapshot } from "./postgres/snapshot.ts";
import { openStandbys } from "./postgres/standby.ts";

const OPEN_MS = 5_000;
const DISK_FULL = "53100";

/** How a Postgres database is used. */
interface PostgresOptions {
  /** The most connections, besides those of rate limits. */
  connections?: number | undefined;
  /** Whether the operator asks for a synchronous standby. */
  requiresStandby?: boolean;
  /** Standbys for reads that may be a moment old. */
  standbys?: { url: string; maxAgeSeconds: number } | null;
  /** Gets sentences that the operator should read. */
  notify?: (notice: string) => void;
}

/**
 * Keeps everything in a Postgres database, which any number of processes on any machines may share.
 *
 * Settings: STORAGE_URL=postgres://user:password@host/database (`?sslmode=…` as usual). Of several hosts
 * (`@a,b:5433/database`) the one that accepts writes is used, and another one after a failover. The database's
 * encoding must be UTF8 and `synchronous_commit` must be on; both are the defaults. STORAGE_CONNECTIONS (10,
 * at least 2) limits the connections of each process. One of them is for commits; rate limits use two more.
 * The role creates tables in its schema once; later it only reads and writes rows.
 *
 * The driver speaks plain SQL with unnamed statements and keeps no session state after a transaction, so that
 * poolers in transaction mode work. PgBouncer must let the timeouts below pass, by
 * `ignore_startup_parameters`. Other engines that speak Postgres' protocol may work, but none is tested.
 */
export async function postgresDriver(
  url: string,
  { connections, requiresStandby = false, standbys = null, notify = () => {} }: PostgresOptions = {},
): Promise<AtomicDriver> {
  const servers = openServers(url, { connections, notify });
  try {
    await withRetries(async () => prepareTables(servers.reads()), deadlineIn(OPEN_MS));
  } catch (error) {
    await servers.close();
    throw new Error(reasonOf(error), { cause: error });
  }
  const commits = committer(servers.writes);
  let lacksRoom = false;
  const cache = newReadCache();
  const standbyReads = standbys && openStandbys(standbys.url, { primary: servers.reads, ...standbys });
  const reads = newReads(servers.reads, cache.keep);
  return {
    name: "postgres",
    ...reads,
    ...plainItems({ ...reads, commit }),
    dispose: onlyOnce(async () => {
      await commits.close();
      await Promise.all([servers.close(), standbyReads?.close()]);
    }),
    commit,
    timeline: servers.timeline,
    lacksRoom: () => lacksRoom,
    isShared: () => withRetries(async () => isShared(servers.reads()), deadlineIn(READ_MS)),
    weaknesses: () =>
      withRetries(async () => readWeaknesses(servers.reads(), { requiresStandby }), deadlineIn(READ_MS)),
    // The log belongs to the whole cluster, and only its superuser may look at it.
    size: () => sizeOf(servers.reads()),
    // Without statement names, because poolers in transaction mode do not know them.
    limits: {
      table: LIMITS_TABLE,
      query: async ({ text, values }) => servers.limits().query({ text, values }),
    },
    cached: cache.get,
    snapshot: () => snapshot(servers.reads),
    ...(standbyReads !== null && { aged: standbyReads.find }),
  };

  async function commit(changes: Changes): Promise<boolean> {
    refuseLongKeys(changes);
    const isDone = await commits.commit(changes).catch((error: unknown) => {
      lacksRoom = isOutage(error) && sqlState(error.cause) === DISK_FULL;
      throw error;
    });
    if (isDone) lacksRoom = false;
    // Others have changed something that one of the checks relied on.
    if (!isDone) for (const [key] of changes.checks) cache.drop(key);
    for (const [key] of changes.puts) cache.drop(key);
    for (const key of changes.removes) cache.drop(key);
    for (const [key] of changes.sums) cache.drop(key);
    return isDone;
  }
}

/** null: an engine that only speaks the protocol of Postgres, and has no such function. */
async function sizeOf(pool: Pool): Promise<StoreSize | null> {
  try {
    const { rows } = await pool.query<{ bytes: string }>(
      "select pg_database_size(current_database()) as bytes",
    );
    return { bytes: Number(rows[0]?.bytes), logBytes: null };
  } catch {
    return null;
  }
}
