import { applyBatch } from "./batch.ts";
import { refuseLongKeys, type AtomicDriver, type Range } from "./driver.ts";

/**
 * A driver that reads through to another and keeps all writes to itself, to try them out. For tools only:
 * each listing reads its whole range.
 */
export function overlayDriver(under: AtomicDriver): AtomicDriver {
  /** null: removed. */
  const written = new Map<string, string | null>();

  async function read(key: string): Promise<string | null> {
    const own = written.get(key);
    return own === undefined ? under.getItem(key) : own;
  }

  async function entriesIn({ from, before }: Pick<Range, "from" | "before">): Promise<[string, string][]> {
    const found = new Map<string, string | null>(
      await under.list({ from, before, limit: Number.MAX_SAFE_INTEGER }),
    );
    for (const [key, value] of written) if (key >= from && key < before) found.set(key, value);
    const entries = [...found].filter((entry): entry is [string, string] => entry[1] !== null);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  return {
    name: "overlay",
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    getKeys: () => [...written.keys()],
    async commit(changes) {
      refuseLongKeys(changes);
      const keys = [...changes.checks, ...changes.sums].map(([key]) => key);
      // Read before anything is decided, so that nothing can come between the decision and the write.
      const known = new Map<string, string | null>();
      for (const key of keys) known.set(key, await under.getItem(key));
      const get = (key: string) => (written.has(key) ? written.get(key) : known.get(key)) ?? undefined;
      const put = (key: string, value: string) => void written.set(key, value);
      return (
        applyBatch([{ changes }], { get, put, remove: (key) => void written.set(key, null) })[0] === true
      );
    },
    async list({ limit, offset = 0, reverse = false, ...range }) {
      const entries = await entriesIn(range);
      return (reverse ? entries.toReversed() : entries).slice(offset, offset + limit);
    },
    count: async (range) => (await entriesIn(range)).length,
  };
}
