import type { Pool } from "pg";
import { isOutage, reasonOf } from "../../../failure.ts";
import type { EngineOptions } from "../../open.ts";
import type { Engine, StoreSize } from "../../session.ts";
import { POSTGRES } from "../../sql.ts";
import { readWeaknesses } from "./durability.ts";
import { sqlState } from "./faults.ts";
import { newIdSource } from "./ids.ts";
import { newCommit } from "./committer.ts";
import { newMarks } from "./marks.ts";
import { isShared } from "./pool.ts";
import { deadlineIn, withRetries } from "./retries.ts";
import { newReads, newRows, READ_MS } from "./rows.ts";
import { LIMITS_TABLE, prepareTables } from "./schema.ts";
import { openServers } from "./servers.ts";
import { openSnapshot } from "./snapshot.ts";
import { openStandbys } from "./standby.ts";
import { newTransactor } from "./transactor.ts";

const OPEN_MS = 5_000;
const DISK_FULL = "53100";

/**
 * Keeps everything in a Postgres database, which any number of processes on any machines may share.
 * Settings: STORAGE_URL=postgres://user:password@host/database (`?sslmode=…` as usual). Of several hosts
 * (`@a,b:5433/database`) the one that accepts writes is used, and another one after a failover. The
 * database's encoding must be UTF8 and `synchronous_commit` must be on; both are the defaults.
 * STORAGE_CONNECTIONS (10, at least 2) limits the connections of each process. Half of them are for
 * transactions; rate limits use two more. The role creates tables in its schema once; later it only reads and
 * writes rows.
 *
 * The engine speaks plain SQL with unnamed statements and keeps no session state after a transaction, so
 * poolers in transaction mode work. PgBouncer must let the timeouts below pass, by
 * `ignore_startup_parameters`. Other engines that speak Postgres' protocol may work, but none is tested.
 */
export async function postgresEngine(
  url: string,
  { tables, connections, requiresStandby = false, standbys = null, notify = () => {} }: EngineOptions,
): Promise<Engine> {
  const servers = openServers(url, { connections, notify });
  await withRetries(async () => prepareTables(servers.reads(), tables), deadlineIn(OPEN_MS)).catch(
    async (error: unknown) => {
      await servers.close();
      throw new Error(reasonOf(error), { cause: error });
    },
  );
  const rows = newRows(servers.reads);
  const { writes } = servers;
  const marks = newMarks(writes);
  const transactor = newTransactor({ rows, writes, marks, commit: newCommit(writes, marks) });
  const standbyReads = standbys && openStandbys(standbys.url, { primary: servers.reads, ...standbys });
  let lacksRoom = false;
  let closing: Promise<void> | null = null;
  return {
    dialect: POSTGRES,
    reads: newReads(rows),
    snapshot: () => withRetries(async () => openSnapshot(servers.reads()), deadlineIn(READ_MS)),
    async transact(work) {
      try {
        const { result, hasWritten } = await transactor.transact(work);
        if (hasWritten) lacksRoom = false;
        return result;
      } catch (error) {
        if (isOutage(error)) lacksRoom = sqlState(error.cause) === DISK_FULL;
        throw error;
      }
    },
    nextId: newIdSource(servers),
    lacksRoom: () => lacksRoom,
    isShared: () => withRetries(async () => isShared(servers.reads()), deadlineIn(READ_MS)),
    weaknesses: () =>
      withRetries(async () => readWeaknesses(servers.reads(), { requiresStandby }), deadlineIn(READ_MS)),
    // The log belongs to the whole cluster, and only its superuser may read its size.
    size: () => sizeOf(servers.reads()),
    // Without statement names, because poolers in transaction mode don't support them.
    limits: {
      table: LIMITS_TABLE,
      query: async ({ text, values }) => servers.limits().query({ text, values }),
    },
    ...(standbyReads !== null && { aged: standbyReads.find }),
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    await marks.close();
    await Promise.all([servers.close(), standbyReads?.close()]);
  }
}

/** Null for an engine that only speaks Postgres' protocol and lacks this function. */
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
