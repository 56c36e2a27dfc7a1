import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeKey } from "../../server/storage/keys.ts";
import { openDriver, storeOn } from "../../server/storage/open.ts";
import type { Entry } from "../../server/storage/listing/snapshot.ts";
import type { Store } from "../../server/storage/store.ts";
import { edgedDriver, newEdge, type Edge } from "./edge.ts";
import { entriesIn } from "./entries.ts";
import { IS_LONG } from "./rounds.ts";

type Kind = "memory" | "sqlite";

/** Where tests above storage run. `engines.test.ts` compares the other engines with memory in every run. */
export const STORAGES: readonly Kind[] = IS_LONG ? ["memory", "sqlite"] : ["memory"];

/** A store that is removed when it is closed, and that can be read until then. */
export interface TemporaryStore {
  store: Store;
  /** What happens around its reads and commits. */
  edge: Edge;
  /** All its entries, in key order. */
  entries(): Promise<Entry[]>;
  /** Gives it the entries that it had before. Ids that were given since then are not given again. */
  restore(before: Entry[]): Promise<void>;
  /** The keys and values that contain a text, which is in lower case. */
  placesOf(text: string): Promise<string[]>;
}

/** Makes an empty store. */
export async function temporaryStore(kind: Kind): Promise<TemporaryStore> {
  const folder = kind === "memory" ? null : mkdtempSync(join(tmpdir(), "tidemark-"));
  const driver = await openDriver(folder === null ? "memory:" : `sqlite:${folder}`);
  const edge = newEdge();
  const store = await storeOn(edgedDriver(driver, edge));

  const entries = () => entriesIn(driver);

  return {
    store: {
      ...store,
      async close() {
        await store.close();
        if (folder !== null) rmSync(folder, { recursive: true });
      },
    },
    edge,
    entries,
    async restore(before) {
      const isLease = (key: string) => decodeKey(key)[1] === "ids";
      const kept = new Map(before.filter(([key]) => !isLease(key)));
      const removes = (await entries()).map(([key]) => key).filter((key) => !kept.has(key) && !isLease(key));
      await driver.commit({ checks: [], puts: [...kept], removes, sums: [] });
    },
    placesOf: async (text) =>
      (await entries())
        .map(([key, value]) => `${JSON.stringify(decodeKey(key))} ${key} ${value}`)
        .filter((line) => line.toLowerCase().includes(text)),
  };
}
