import { beforeEach, describe, expect, it } from "vitest";
import { itemKeys, readItem } from "../../server/storage/items.ts";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { holdsNothing } from "../../server/transfer/stored-items.ts";
import { allItemsIn } from "../support/contents.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

describe.each(KINDS)("kept texts on %s", (name) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(name, TABLES, (emptyEngine, emptyStore) => {
    engine = emptyEngine;
    store = emptyStore;
  });

  let second: number;
  beforeEach(() => {
    second = 0;
  });
  const keep = (name: string, kind = "svc") =>
    store.kept.keep(
      { kind, name, text: `text of ${name}` },
      { mostCount: 3, now: new Date(Date.UTC(2026, 2, 4, 5, 6, second++)) },
    );
  const keys = async () => (await itemKeys(engine.reads)).filter((key) => key.startsWith("kept:"));

  it("are found by kind and name", async () => {
    await keep("a");
    expect(await store.kept.find("svc", "a")).toBe("text of a");
    expect(await store.kept.find("svc", "b")).toBeNull();
    expect(await store.kept.find("svc-more", "a")).toBeNull();
  });

  it("are the newest three of each kind", async () => {
    for (const name of ["z", "a", "m", "b"]) await keep(name);
    for (const name of ["z", "a"]) await keep(name, "svc-more");
    expect(await keys()).toEqual([
      "kept:svc-more:a",
      "kept:svc-more:z",
      "kept:svc:a",
      "kept:svc:b",
      "kept:svc:m",
    ]);
  });

  it("count as new again if their build starts again", async () => {
    for (const name of ["a", "b", "c", "a", "d"]) await keep(name);
    expect(await keys()).toEqual(["kept:svc:a", "kept:svc:c", "kept:svc:d"]);
  });

  it("are not written again while they are the newest", async () => {
    await keep("a");
    const before = await readItem(engine.reads, "kept:svc:a");
    await keep("a");
    expect(await readItem(engine.reads, "kept:svc:a")).toBe(before);
  });

  it("include each server's own if many start at the same moment", async () => {
    await Promise.all(["a", "a", "b", "b", "c", "c"].map((name) => keep(name)));
    expect(await keys()).toEqual(["kept:svc:a", "kept:svc:b", "kept:svc:c"]);
  });

  it("are not exported, and a store that has only them counts as empty", async () => {
    await keep("a");
    expect(await holdsNothing(engine.reads)).toBe(true);
    expect(await allItemsIn(engine)).toEqual([]);
  });
});
