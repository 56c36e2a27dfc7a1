import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import type { Table } from "../../server/storage/table.ts";
import { POOLER, startPooler, type Pooler } from "./pooler.ts";
import { startCluster, type Cluster } from "./postgres.ts";
import { POSTGRES_FOLDER } from "./postgres-programs.ts";
import { IS_LONG, IS_QUICK } from "./rounds.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** Where empty stores of one kind are made. */
interface Source {
  /** The address of an empty store, and a function that removes it. */
  open(): Promise<{ url: string; remove(): Promise<void> | void }>;
  /** Ends everything that was started for these stores. */
  end(): Promise<void>;
}

const SOURCES: Record<string, () => Source> = {
  memory: () => ({ open: async () => ({ url: "memory:", remove: () => {} }), end: async () => {} }),
  ...(!IS_QUICK && {
    sqlite: folderSource,
    ...(POSTGRES_FOLDER !== null && { postgres: () => postgresSource(async () => null) }),
    ...(POSTGRES_FOLDER !== null && POOLER && { "pooled postgres": () => postgresSource(startPooler) }),
  }),
};

/** The kinds of stores that the contract is tested on. */
export const KINDS = Object.keys(SOURCES);

/** The kinds for what depends little on the engine. A usual run takes one; `contract.test.ts` compares all kinds in each `npm test`. */
export const MAIN_KINDS = IS_LONG ? KINDS : ["memory"];

/** Gives each test of the calling block an empty store of a kind, and removes it afterwards. */
export function useEmptyStore(
  kind: string,
  tables: readonly Table<never>[],
  begin: (engine: Engine, store: Store) => void,
): void {
  useEmptyDatabase(kind, tables, async (engine) => begin(engine, await storeOn(engine)));
}

/** The same without the mark of a store. */
export function useEmptyDatabase(
  kind: string,
  tables: readonly Table<never>[],
  begin: (engine: Engine) => void | Promise<void>,
): void {
  const source = SOURCES[kind]!();
  let end: () => Promise<void>;
  beforeEach(async () => {
    const { url, remove } = await source.open();
    const engine = await openEngine(url, { tables, seal: TEST_SEAL, connections: 5 });
    end = async () => {
      await engine.close();
      await remove();
    };
    await begin(engine);
  });
  afterEach(() => end());
  afterAll(source.end);
}

function folderSource(): Source {
  return {
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
      return { url: `sqlite:${folder}`, remove: () => rmSync(folder, { recursive: true }) };
    },
    end: async () => {},
  };
}

function postgresSource(startBefore: (cluster: Cluster) => Promise<Pooler | null>): Source {
  let started: Promise<{ cluster: Cluster; pooler: Pooler | null }> | null = null;

  async function start() {
    const cluster = await startCluster();
    return { cluster, pooler: await startBefore(cluster) };
  }

  return {
    async open() {
      const { cluster, pooler } = await (started ??= start());
      const remove = async () =>
        void (await cluster.query("drop schema public cascade; create schema public"));
      return { url: cluster.url(pooler?.port), remove };
    },
    async end() {
      const running = await started;
      await running?.pooler?.end();
      await running?.cluster.remove();
    },
  };
}
