import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../server/storage/store.ts";
import { openStore } from "../../server/storage/open.ts";
import { integer, table } from "../../server/storage/table.ts";
import { STORAGE_MODULE } from "../support/build.ts";

const fields = {
  id: integer(),
  count: integer().optional(),
};

const things = table("thing", fields);

/** Enough for a process to come so far that it waits. */
const MEANWHILE_MS = 1_000;

describe.each(["sqlite"])("a store (%s) that another process writes to", (scheme) => {
  let folder: string;
  let store: Store;
  let id = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tidemark-processes-"));
    store = await openStore(`${scheme}:${folder}`, { tables: [things] });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    id++;
    expect(await store.get(things, 1, id)).toBeNull();
  });

  const words = () => ["test/support/storage-put.mjs", STORAGE_MODULE, `${scheme}:${folder}`, String(id)];
  const putElsewhere = () => void execFileSync(process.execPath, words());

  it("reads in its next turn what the other has committed", async () => {
    putElsewhere();
    await nextTurn();
    expect(await store.get(things, 1, id)).toEqual({ account_id: 1, id });
  });

  it("lists and counts what the other has committed", async () => {
    putElsewhere();
    const listed = await store.page(things, "id", 1, [], { limit: 1, reverse: true });
    expect(listed).toEqual([{ account_id: 1, id }]);
    id++;
    putElsewhere();
    expect(await store.count(things, "id", 1, [])).toBe(id);
  });

  it("loses none of the read-add-write cycles of three processes", async () => {
    const child = () =>
      promisify(execFile)(process.execPath, [
        "test/support/storage-count.mjs",
        STORAGE_MODULE,
        `${scheme}:${folder}`,
        "40",
      ]);
    await Promise.all([child(), child(), child()]);
    expect(await store.get(things, 1, 0)).toEqual({ account_id: 1, id: 0, count: 3 * 8 * 40 });
    await store.transact((tx) => tx.remove(things, 1, 0));
  });

  it("begins a transaction on what the other has committed by then", async () => {
    putElsewhere();
    expect(await store.transact((tx) => tx.get(things, 1, id))).toEqual({ account_id: 1, id });
  });

  it("shows a transaction a single moment, because others write when it has ended", async () => {
    let written: Promise<unknown> | undefined;
    const seen = await store.transact(async (tx) => {
      const before = await tx.get(things, 1, id);
      written = promisify(execFile)(process.execPath, words());
      await Promise.race([written, sleep(MEANWHILE_MS)]);
      return [before, await tx.get(things, 1, id), await tx.view.count(things, "id", 1, [id])];
    });
    expect(seen).toEqual([null, null, 0]);
    await written;
    expect(await store.get(things, 1, id)).toEqual({ account_id: 1, id });
  });
});
