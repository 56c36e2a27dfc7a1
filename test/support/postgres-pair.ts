import { vi } from "vitest";
import { startCluster, type Cluster } from "./postgres.ts";

/** A primary and its standby, whose roles change. */
export interface Pair {
  primary(): Cluster;
  standby(): Cluster;
  /** The `STORAGE_URL` that names both, in an order that never changes. */
  url: string;
  /** Promotes the standby, which is the primary from now on. */
  promote(): Promise<void>;
  /** Makes the other server a standby again, from a new copy of the primary. */
  rejoin(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a primary with a synchronous standby. */
export async function startPair(): Promise<Pair> {
  let [primary, standby] = await Promise.all([startCluster(), startCluster()]);
  const url = primary.url().replace(/(127\.0\.0\.1:\d+)/, `$1,127.0.0.1:${standby.port}`);

  async function rejoin(): Promise<void> {
    await standby.follow(primary);
    await waitForStandby(primary);
  }

  await rejoin();
  return {
    primary: () => primary,
    standby: () => standby,
    url,
    async promote() {
      await standby.promote();
      [primary, standby] = [standby, primary];
    },
    rejoin,
    async remove() {
      await Promise.all([primary.remove(), standby.remove()]);
    },
  };
}

/** Makes commits of a primary wait for its standby. Resolves when they do. */
export async function waitForStandby(primary: Cluster): Promise<void> {
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query("select pg_reload_conf()");
  await vi.waitUntil(() => hasSynchronousStandby(primary), { timeout: 60_000, interval: 20 });
}

async function hasSynchronousStandby(primary: Cluster): Promise<boolean> {
  const { rows } = await primary.query("select from pg_stat_replication where sync_state = 'sync'");
  return rows.length > 0;
}
