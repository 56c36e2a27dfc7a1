import { beforeEach, describe, expect, it } from "vitest";
import type { Store, Transaction, View } from "../../server/storage/store.ts";
import { integer, table, text, type RowOf } from "../../server/storage/table.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

const fields = {
  id: integer(),
  text: text(),
  size: integer(),
};

type Note = RowOf<typeof fields>;

const ACCOUNT = 7;
const sizes = { name: "note_sizes", by: { id: "integer" }, sums: ["size"] } as const;
const notes = table("note", fields, {
  unique: { text: ["text"] },
  indexes: { size: { on: ["size"] } },
  sums: { into: sizes, sharesOf: ({ id, size }) => [{ key: [id], amounts: [size] }] },
});
const note = (id: number, size = 1): Note => ({ account_id: ACCOUNT, id, text: `note ${id}`, size });

const sumsOf = (view: View) =>
  view.rows(
    view
      .query<{ note_sizes: { id: number; size: number } }>()
      .selectFrom("note_sizes")
      .where("size", "<>", 0)
      .orderBy("id")
      .select(["id", "size"]),
  );

const idsOf = (found: Note[]) => found.map(({ id }) => id);

describe.each(KINDS)("what a transaction shows, on %s", (kind) => {
  let store: Store;
  useEmptyStore(kind, [notes], (_, emptyStore) => void (store = emptyStore));
  beforeEach(async () => {
    await store.transact(async (tx) => {
      for (const id of [10, 20, 30, 40]) await tx.put(notes, note(id));
    });
  });

  /** What the view shows after some writes, and what the store holds after their commit. */
  async function shownAndHeld<T>(
    write: (tx: Transaction) => Promise<void>,
    look: (view: View) => Promise<T>,
  ) {
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
      return {
        pages,
        scanned,
        count: await view.count(notes, "size", ACCOUNT, [1]),
        sums: await sumsOf(view),
        got: await view.get(notes, ACCOUNT, 20),
        found: await view.find(notes, "text", ACCOUNT, ["note 25"]),
      };
    });
    expect(shown).toEqual(held);
  });
});
