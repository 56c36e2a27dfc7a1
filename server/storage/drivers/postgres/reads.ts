import type { Pool } from "pg";
import type { AtomicDriver, Range } from "../../driver.ts";
import { batchedRead } from "./batched-read.ts";
import { deadlineIn, withRetries } from "./retries.ts";

/** How long a read is retried while the database is away, and how long a read of a single item waits. */
export const READ_MS = 2_000;
/** The limit of concurrent queries for single items. Reads that come meanwhile share the next query. */
const MAX_ITEM_QUERIES = 2;

/** The reading verbs of a driver. */
export type Reads = Pick<AtomicDriver, "getItem" | "getKeys" | "list" | "count">;

/** Makes them over a pool: at each moment that of the right server. `onItem` learns of each item that was read. */
export function newReads(
  pool: () => Pool,
  onItem: (key: string, text: string | null, readAt: number) => void = () => {},
): Reads {
  return {
    getItem: batchedRead(loadItems, { maxQueries: MAX_ITEM_QUERIES }),
    async getKeys() {
      return (await query("select key from tidemark_items order by key", [])).map(([key]) => key);
    },
    list: ({ from, before, limit, offset = 0, reverse = false }: Range) =>
      query(
        `select key, value from tidemark_items where key >= $1 and key < $2
          order by key ${reverse ? "desc" : "asc"} limit $3 offset $4`,
        [from, before, limit, offset],
      ),
    async count({ from, before }) {
      const [row] = await query("select count(*) from tidemark_items where key >= $1 and key < $2", [
        from,
        before,
      ]);
      return Number(row?.[0]);
    },
  };

  async function loadItems(keys: string[]): Promise<Map<string, string>> {
    const text = "select key, value from tidemark_items where key = any(cast($1 as text[]))";
    const readAt = performance.now();
    const found = new Map(await query(text, [keys], READ_MS));
    for (const key of keys) onItem(key, found.get(key) ?? null, readAt);
    return found;
  }

  async function query(
    text: string,
    values: unknown[],
    queryTimeoutMs?: number,
  ): Promise<[string, string][]> {
    const limit = queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs };
    const { rows } = await withRetries(
      async () => pool().query<[string, string]>({ text, values, rowMode: "array", ...limit }),
      deadlineIn(READ_MS),
    );
    return rows;
  }
}
