import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collection } from "../../server/storage/collection.ts";
import type { Transaction, View } from "../../server/storage/store.ts";
import { STORAGES, temporaryStore, type TemporaryStore } from "../support/temporary-store.ts";

interface Note {
  accountId: number;
  id: number;
  text: string;
  size: number;
}

const ACCOUNT = 7;
const notes = collection<Note>()({
  name: "note",
  id: ({ id }) => [id],
  claims: { text: ({ text }) => [text] },
  indexes: { size: ({ size }) => [size] },
  counts: ({ id, size }) => [[["note.size", size, id], size]],
});
const note = (id: number, size = 1): Note => ({ accountId: ACCOUNT, id, text: `note ${id}`, size });

async function sumsOf(view: View) {
  const found = [];
  for await (const chunk of view.sums(ACCOUNT, ["note.size"])) found.push(...chunk);
  return found;
}

const idsOf = (found: Note[]) => found.map(({ id }) => id);

describe.each(STORAGES)("what a transaction shows, on %s", (kind) => {
  let temporary: TemporaryStore;
  beforeEach(async () => {
    temporary = await temporaryStore(kind);
    await temporary.store.transact(async (tx) => {
      for (const id of [10, 20, 30, 40]) await tx.put(notes, note(id));
    });
  });
  afterEach(() => temporary.store.close());

  /** What the view shows after some writes, and what the store holds after their commit. */
  async function shownAndHeld<T>(
    write: (tx: Transaction) => Promise<void>,
    look: (view: View) => Promise<T>,
  ) {
    const { store } = temporary;
    const shown = await store.transact(async (tx) => {
      await write(tx);
      return look(tx.view);
    });
    return { shown, held: await look(store) };
  }

  const CHANGES: [name: string, write: (tx: Transaction) => Promise<void>][] = [
    ["nothing", async () => {}],
    ["a first record", (tx) => tx.put(notes, note(5))],
    ["one between others", (tx) => tx.put(notes, note(25))],
    ["a last one", (tx) => tx.put(notes, note(50))],
    ["a removal", (tx) => tx.remove(notes, ACCOUNT, 20)],
    ["a move to another place", (tx) => tx.put(notes, note(20, 2))],
    [
      "all of it",
      async (tx) => {
        await tx.put(notes, note(5));
        await tx.remove(notes, ACCOUNT, 10);
        await tx.remove(notes, ACCOUNT, 40);
        await tx.put(notes, note(25));
      },
    ],
  ];

  it.each(CHANGES)("is what its commit leaves: %s", async (_, write) => {
    const { shown, held } = await shownAndHeld(write, async (view) => {
      const pages = [];
      for (const index of ["id", "size"] as const) {
        for (const reverse of [false, true]) {
          for (const offset of [0, 1, 3]) {
            const start = index === "id" ? [] : [1];
            pages.push(idsOf(await view.page(notes, index, ACCOUNT, start, { limit: 2, offset, reverse })));
          }
        }
      }
      const scanned = [];
      for await (const chunk of view.scan(notes, "size", ACCOUNT, [1])) scanned.push(...idsOf(chunk));
      const keys = [];
      for await (const chunk of view.scanKeys(notes, "size", ACCOUNT, [1])) keys.push(...chunk);
      expect(keys.map(([id]) => id)).toEqual(scanned);
      return {
        pages,
        scanned,
        keys,
        count: await view.count(notes, "size", ACCOUNT, [1]),
        sum: await view.sum(ACCOUNT, ["note.size", 1, 20]),
        sums: await sumsOf(view),
        got: await view.get(notes, ACCOUNT, 20),
        found: await view.find(notes, "text", ACCOUNT, ["note 25"]),
      };
    });
    expect(shown).toEqual(held);
  });

  it("does not make the commit conflict", async () => {
    const { store } = temporary;
    let runs = 0;
    await store.transact(async (tx) => {
      runs += 1;
      await tx.view.get(notes, ACCOUNT, 10);
      await store.transact((other) => other.put(notes, { ...note(10), text: "changed" }));
      await tx.put(notes, note(60));
    });
    expect(runs).toBe(1);
    expect(await store.get(notes, ACCOUNT, 10)).toMatchObject({ text: "changed" });
  });
});
