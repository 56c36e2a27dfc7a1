import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../server/failure.ts";
import { collection } from "../../server/storage/collection.ts";
import type { Store } from "../../server/storage/store.ts";
import { openStore } from "../../server/storage/open.ts";
import { STORAGE_MODULE } from "../support/build.ts";

interface Thing {
  accountId: number;
  id: number;
}

const things = collection<Thing>()({ name: "thing", id: ({ id }) => [id], claims: {}, indexes: {} });

describe.each(["sqlite"])("a store (%s) that another process writes to", (scheme) => {
  let folder: string;
  let store: Store;
  let id = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tidemark-processes-"));
    store = await openStore(`${scheme}:${folder}`);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    id++;
    // A callback of the file system runs in the same phase of the event loop as requests.
    await stat(folder);
    expect(await store.get(things, 1, id)).toBeNull();
  });

  const putElsewhere = () =>
    void execFileSync(process.execPath, [
      "test/support/storage-put.mjs",
      STORAGE_MODULE,
      `${scheme}:${folder}`,
      String(id),
    ]);

  it("reads what the other has committed before this turn of the event loop", async () => {
    putElsewhere();
    await nextTurn();
    expect(await store.get(things, 1, id)).toEqual({ accountId: 1, id });
  });

  it("lists and counts what the other has committed before this turn of the event loop", async () => {
    putElsewhere();
    await nextTurn();
    const listed = await store.page(things, "id", 1, [], { limit: 1, reverse: true });
    expect(listed).toEqual([{ accountId: 1, id }]);
    await store.get(things, 1, id);
    id++;
    putElsewhere();
    await stat(folder);
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
    expect(await store.get(things, 1, 0)).toEqual({ accountId: 1, id: 0, count: 3 * 8 * 40 });
    await store.transact((tx) => tx.remove(things, 1, 0));
  });

  it("begins a transaction on what the other has committed by then", async () => {
    putElsewhere();
    expect(await store.transact((tx) => tx.get(things, 1, id))).toEqual({ accountId: 1, id });
  });

  it("decides a refusal again if the other has committed meanwhile", async () => {
    let tries = 0;
    const found = await store.transact(async (tx) => {
      const thing = await tx.get(things, 1, id);
      if (tries++ === 0) putElsewhere();
      if (thing === null) throw new Failure("not_found", "stale");
      return thing;
    });
    expect(found).toEqual({ accountId: 1, id });
    expect(tries).toBe(2);
  });

  it("gives a transaction that only reads the state of a single moment", async () => {
    let tries = 0;
    const seen = await store.transact(async (tx) => {
      const before = await tx.get(things, 1, id);
      if (tries++ === 0) putElsewhere();
      await nextTurn();
      return [before, await tx.get(things, 1, -id)];
    });
    expect(seen).toEqual([{ accountId: 1, id }, null]);
  });
});
