import { openEngine } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_TABLES } from "./facts.ts";

export { newStore } from "../../server/storage/store.ts";
export { storeOn } from "../../server/storage/open.ts";
export type { AgedReads, Engine } from "../../server/storage/session.ts";

/** An empty store in memory, for tests that wrap its engine or share it among several processes. */
export function memoryEngine(): Promise<Engine> {
  return openEngine("memory:", { tables: [...TABLES, ...TEST_TABLES] });
}
