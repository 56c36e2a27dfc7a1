import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { openRow } from "../../server/storage/sealed.ts";
import { sqlName } from "../../server/storage/sql.ts";
import type { Store } from "../../server/storage/store.ts";
import { runOn } from "../../server/storage/transaction.ts";
import { SUM_TABLES, tableNamed, TABLES } from "../../server/tables.ts";
import { edgedEngine, newEdge, type Edge } from "./edge.ts";
import { entriesIn, type Entry } from "./entries.ts";
import { TEST_TABLES } from "./facts.ts";
import { memoryEngine, TEST_SEAL } from "./memory-engine.ts";
import { IS_LONG } from "./rounds.ts";

type Kind = "memory" | "sqlite";

/** Where tests above storage run. `engines.test.ts` compares the other engines with memory in every run. */
export const STORAGES: readonly Kind[] = IS_LONG ? ["memory", "sqlite"] : ["memory"];

/** A store that is removed when it is closed, and that can be read until then. */
export interface TemporaryStore {
  store: Store;
  /** The engine below the edge. */
  engine: Engine;
  /** What happens around its reads and transactions. */
  edge: Edge;
  /** All its records. */
  entries(): Promise<Entry[]>;
  /** Gives it the records that it had before. Ids that were given since then are not given again. */
  restore(before: Entry[]): Promise<void>;
  /** The records that contain a text, which is in lower case. */
  placesOf(text: string): Promise<string[]>;
}

/** Makes an empty store. */
export async function temporaryStore(kind: Kind): Promise<TemporaryStore> {
  const folder = kind === "memory" ? null : mkdtempSync(join(tmpdir(), "tidemark-"));
  const engine = await (folder === null
    ? memoryEngine()
    : openEngine(`sqlite:${folder}`, { tables: [...TABLES, ...TEST_TABLES], seal: TEST_SEAL }));
  const edge = newEdge();
  const store = await storeOn(edgedEngine(engine, edge));

  return {
    store: {
      ...store,
      async close() {
        await store.close();
        if (folder !== null) rmSync(folder, { recursive: true });
      },
    },
    engine,
    edge,
    entries: () => entriesIn(engine, TABLES),
    restore: (before) =>
      engine.transact(async (session) => {
        for (const table of TABLES) await session.run({ text: `delete from ${sqlName(table)}`, values: [] });
        for (const { name } of SUM_TABLES) await session.run({ text: `delete from ${name}`, values: [] });
        await runOn(session, { ...engine, seal: TEST_SEAL }, async (tx) => {
          for (const { table, doc } of before) await tx.insert(tableNamed(table)!, JSON.parse(doc));
        });
      }),
    placesOf: async (text) => (await linesIn(engine)).filter((line) => line.toLowerCase().includes(text)),
  };
}

/** Everything that a store holds, a line for each row, with its secrets. */
export async function linesIn({ reads, seal = TEST_SEAL }: Engine): Promise<string[]> {
  const names = [...SUM_TABLES.map(({ name }) => name), "ids", "items"];
  const rowsOf = (name: string) => reads.all({ text: `select * from ${name}`, values: [] });
  const all = [
    ...names.map(async (name) => (await rowsOf(name)).map((row) => `${name} ${row.join(" ")}`)),
    ...TABLES.map(async (table) => {
      const text = `select ${table.selected} from ${sqlName(table)}`;
      return (await reads.all({ text, values: [] })).map((row) => {
        const secrets = table.sealed === undefined ? [] : [JSON.stringify(openRow(table, row, seal))];
        return [sqlName(table), ...row, ...secrets].join(" ");
      });
    }),
  ];
  return (await Promise.all(all)).flat();
}
