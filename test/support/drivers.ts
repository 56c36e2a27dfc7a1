import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { lmdbDriver } from "../../server/storage/drivers/lmdb.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { POSTGRES_FOLDER, startCluster, type Cluster } from "./postgres.ts";

/** A driver over an empty store, and how to be rid of that store once the driver is closed. */
export interface EmptyDriver {
  driver: AtomicDriver;
  remove(): Promise<void> | void;
}

/** Opens empty stores of one kind. */
export interface DriverSource {
  open(): Promise<EmptyDriver> | EmptyDriver;
  /** Ends what was started for all of them. */
  end(): Promise<void>;
}

/** The drivers that the contract is held against. */
export const DRIVERS: Record<string, () => DriverSource> = {
  memory: () => ({ open: () => ({ driver: memoryDriver(), remove: () => {} }), end: async () => {} }),
  lmdb: () => ({
    open() {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
      return { driver: lmdbDriver(folder), remove: () => rmSync(folder, { recursive: true }) };
    },
    end: async () => {},
  }),
  ...(POSTGRES_FOLDER !== null && { postgres: postgresSource }),
};

function postgresSource(): DriverSource {
  let started: Promise<Cluster> | null = null;
  return {
    async open() {
      started ??= startCluster();
      const url = (await started).url();
      return { driver: await postgresDriver(url, { connections: 5 }), remove: () => clear(url) };
    },
    end: async () => (await started)?.remove(),
  };
}

async function clear(url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query("truncate tidemark_items");
  await client.end();
}
