import type { Pool } from "pg";
import { readHosts } from "./hosts.ts";
import { openPools, type Pools } from "./pool.ts";
import { watchHosts, type WatchReports } from "./watch.ts";

/** The pools of the server that currently accepts writes. */
export interface Servers {
  /** @throws Error (retryable) if no server accepts writes */
  reads(): Pool;
  /** @throws Error like `reads` */
  writes(): Pool;
  /** @throws Error like `reads` */
  limits(): Pool;
  /** Changes with the primary. */
  timeline(): number;
  close(): Promise<void>;
}

/**
 * Opens the servers of a `STORAGE_URL`. If there are several, they are watched, and the pools follow the
 * primary.
 */
export function openServers(
  url: string,
  { connections, notify }: { connections: number | undefined; notify: WatchReports["notify"] },
): Servers {
  const hosts = readHosts(url);
  let pools: Pools | null = null;
  let timeline = 0;
  let reason = "none has answered yet";
  let endWatch = async () => {};
  if (hosts.length === 1) pools = openPools(url, connections);
  else {
    endWatch = watchHosts(hosts, {
      notify,
      onChange(primary, why) {
        pools?.cut();
        pools = primary === null ? null : openPools(primary.host.url, connections);
        timeline = primary?.timeline ?? timeline;
        reason = why;
      },
    });
  }

  function current(): Pools {
    if (pools === null) throw new Error(`No host accepts writes: ${reason}`);
    return pools;
  }

  return {
    reads: () => current().reads,
    writes: () => current().writes,
    limits: () => current().limits,
    timeline: () => timeline,
    async close() {
      await endWatch();
      await pools?.end();
    },
  };
}
