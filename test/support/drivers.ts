import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { sqliteDriver } from "../../server/storage/drivers/sqlite.ts";
import { newStore, type Store } from "../../server/storage/store.ts";
import { POOLER, startPooler, type Pooler } from "./pooler.ts";
import { startCluster, type Cluster } from "./postgres.ts";
import { POSTGRES_FOLDER } from "./postgres-programs.ts";
import { IS_LONG, IS_QUICK } from "./rounds.ts";

/** A driver over an empty store, and a function that removes the store after the driver is closed. */
export interface EmptyDriver {
  driver: AtomicDriver;
  remove(): Promise<void> | void;
}

/** Opens empty stores of one kind. */
export interface DriverSource {
  open(): Promise<EmptyDriver> | EmptyDriver;
  /** Ends everything that was started for these stores. */
  end(): Promise<void>;
}

/** The drivers that the contract is tested on. */
export const DRIVERS: Record<string, () => DriverSource> = IS_QUICK
  ? { memory: memorySource }
  : {
      memory: memorySource,
      sqlite: () => folderSource(sqliteDriver),
      ...(POSTGRES_FOLDER !== null && { postgres: () => postgresSource(async () => null) }),
      ...(POSTGRES_FOLDER !== null && POOLER && { "pooled postgres": () => postgresSource(startPooler) }),
    };

/** The drivers that layers above the driver are tested on. A pooler makes a difference to the driver only. */
export const ENGINES = Object.keys(DRIVERS).filter((kind) => IS_LONG || kind !== "pooled postgres");

/** Gives each test of the calling block an empty store of a kind, and removes it afterwards. */
export function useEmptyStore(kind: string, begin: (driver: AtomicDriver, store: Store) => void): void {
  const source = DRIVERS[kind]!();
  let opened: EmptyDriver & { store: Store };
  beforeEach(async () => {
    const { driver, remove } = await source.open();
    opened = { driver, remove, store: newStore(driver) };
    begin(driver, opened.store);
  });
  afterEach(async () => {
    await opened.store.close();
    await opened.remove();
  });
  afterAll(source.end);
}

function memorySource(): DriverSource {
  return { open: () => ({ driver: memoryDriver(), remove: () => {} }), end: async () => {} };
}

function folderSource(open: (folder: string) => AtomicDriver): DriverSource {
  return {
    open() {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
      return { driver: open(folder), remove: () => rmSync(folder, { recursive: true }) };
    },
    end: async () => {},
  };
}

function postgresSource(startBefore: (cluster: Cluster) => Promise<Pooler | null>): DriverSource {
  let started: Promise<{ cluster: Cluster; pooler: Pooler | null }> | null = null;

  async function start() {
    const cluster = await startCluster();
    return { cluster, pooler: await startBefore(cluster) };
  }

  return {
    async open() {
      const { cluster, pooler } = await (started ??= start());
      const driver = await postgresDriver(cluster.url(pooler?.port), { connections: 5 });
      return { driver, remove: async () => void (await cluster.query("truncate tidemark_items")) };
    },
    async end() {
      const running = await started;
      await running?.pooler?.end();
      await running?.cluster.remove();
    },
  };
}
