import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileIn } from "../../server/storage/engines/sqlite/database.ts";
import { sqliteEngine } from "../../server/storage/engines/sqlite/engine.ts";
import { freezes } from "../../server/storage/freeze.ts";
import { newSeal } from "../../server/seal.ts";
import type { Engine } from "../../server/storage/session.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_TABLES } from "./facts.ts";

export { newStore } from "../../server/storage/store.ts";
export { storeOn } from "../../server/storage/open.ts";
export type { Engine } from "../../server/storage/session.ts";

/** What tests encrypt secrets with. */
export const SECRET_KEY = Buffer.alloc(32, "k");
export const TEST_SEAL = newSeal([SECRET_KEY]);

const OPTIONS = { tables: [...new Set([freezes, ...TABLES, ...TEST_TABLES])], isDurable: false };

/** The file of a store without records. Every test has a store, and a copy takes a quarter of the time. */
let template: Promise<Buffer> | undefined;

/** An empty store like that of `memory:`, for tests that wrap its engine or share it among several processes. */
export async function memoryEngine(): Promise<Engine> {
  template ??= makeTemplate();
  const { folder, remove } = newFolder();
  writeFileSync(fileIn(folder), await template);
  const { backup: _backup, ...engine } = sqliteEngine(folder, OPTIONS);
  return {
    ...engine,
    seal: TEST_SEAL,
    size: async () => null,
    async close() {
      await engine.close();
      remove();
    },
  };
}

async function makeTemplate(): Promise<Buffer> {
  const { folder, remove } = newFolder();
  await sqliteEngine(folder, OPTIONS).close();
  const file = readFileSync(fileIn(folder));
  remove();
  return file;
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-memory-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
