import { readItem, removeUnchanged, writeItem } from "./items.ts";
import type { Engine, Reads } from "./session.ts";

/**
 * Small texts that all servers of a store share, such as the scripts of former builds. They are items, and need no table of
 * their own. Exports, imports and moves leave them out, because each server writes its own again.
 */
export interface KeptTexts {
  /** A text, or null. */
  find(kind: string, name: string): Promise<string | null>;
  /** Keeps a text as the newest of its kind, and removes the oldest ones. Writes nothing if it is the newest already. */
  keep(text: KeptText, limit: { mostCount: number; now: Date }): Promise<void>;
}

export interface KeptText {
  kind: string;
  name: string;
  text: string;
}

interface Stored {
  text: string;
  kept_at: string;
}

const PREFIX = "kept:";

/** The kept texts of a store. */
export function newKeptTexts(engine: Engine): KeptTexts {
  return {
    async find(kind, name) {
      const value = await readItem(engine.reads, keyOf({ kind, name }));
      return value === null ? null : (JSON.parse(value) as Stored).text;
    },
    async keep({ kind, name, text }, { mostCount, now }) {
      const key = keyOf({ kind, name });
      if ((await newestFirst(engine.reads, kind))[0]?.key === key) return;
      await engine.transact(async (session) => {
        const others = (await newestFirst(session, kind)).filter((each) => each.key !== key);
        await writeItem(session, key, JSON.stringify({ text, kept_at: now.toISOString() } satisfies Stored));
        // A server of that build may have started meanwhile, and kept it again.
        for (const old of others.slice(mostCount - 1)) await removeUnchanged(session, old);
      });
    },
  };
}

function keyOf({ kind, name }: Pick<KeptText, "kind" | "name">): string {
  return `${PREFIX}${kind}:${name}`;
}

async function newestFirst(reads: Reads, kind: string): Promise<{ key: string; value: string }[]> {
  const [from, to] = [1, 2].map(reads.dialect.value);
  const rows = await reads.all({
    text: `select key, value from items where key >= ${from} and key < ${to}`,
    // The semicolon comes after the colon, so this is all keys that begin with the kind.
    values: [`${PREFIX}${kind}:`, `${PREFIX}${kind};`],
  });
  const keptAt = (value: string) => (JSON.parse(value) as Stored).kept_at;
  return rows
    .map(([key, value]) => ({ key: String(key), value: String(value) }))
    .toSorted((a, b) => keptAt(b.value).localeCompare(keptAt(a.value)));
}
