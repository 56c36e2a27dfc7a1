import { freezeKey } from "../freeze.ts";
import { readSum, type AtomicDriver, type Changes, type MaybePromise, type Range } from "../driver.ts";
import type { Read } from "./reader.ts";
import type { Items } from "./view.ts";

/** The reads and planned writes of a transaction. null stands for a missing item. */
export interface Draft {
  /** The text under a key as the transaction sees it. Returns without a promise if the driver does. */
  text: Read;
  /** The same if it is known without reading; otherwise undefined. */
  known(key: string): string | null | undefined;
  /** The amount that the commit would add to a counter. */
  added(key: string): number;
  /** The keys in a range that the commit would change. */
  changedKeys(range: Pick<Range, "from" | "before">): string[];
  /** Notes that an account is changed. The commit then checks that it is not frozen. */
  touch(accountId: number): void;
  touched: ReadonlySet<number>;
  write(key: string, text: string | null): void;
  add(key: string, delta: number): void;
  changes(): Changes;
}

/** Begins a draft on items that `read` returns. */
export function newDraft(read: Read): Draft {
  const seen = new Map<string, string | null>();
  const written = new Map<string, string | null>();
  const sums = new Map<string, number>();
  const touched = new Set<number>();

  function remember(key: string, stored: string | null): string | null {
    seen.set(key, stored);
    return stored;
  }

  function knownText(key: string): string | null | undefined {
    const own = written.get(key);
    return own === undefined ? seen.get(key) : own;
  }

  return {
    known: knownText,
    added: (key) => sums.get(key) ?? 0,
    changedKeys: ({ from, before }) =>
      [...written.keys(), ...sums.keys()].filter((key) => key >= from && key < before),
    text(key) {
      const known = knownText(key);
      if (known !== undefined) return known;
      const stored = read(key);
      // A promise for each read of a local store would cost as much as the read itself.
      return stored instanceof Promise ? stored.then((later) => remember(key, later)) : remember(key, stored);
    },
    touch: (accountId) => void (accountId !== 0 && touched.add(accountId)),
    touched,
    write: (key, text) => void written.set(key, text),
    add: (key, delta) => void sums.set(key, (sums.get(key) ?? 0) + delta),
    changes() {
      const puts: Changes["puts"] = [];
      const removes: string[] = [];
      for (const [key, text] of written) {
        if (text === null) removes.push(key);
        else puts.push([key, text]);
      }
      const checks: Changes["checks"] = [...seen];
      for (const accountId of touched) {
        const key = freezeKey(accountId);
        // A transaction that freezes an account has read the key itself.
        if (!seen.has(key)) checks.push([key, null]);
      }
      return { checks, puts, removes, sums: [...sums].filter(([, delta]) => delta !== 0) };
    },
  };
}

/**
 * Shows a driver's items as the commit of a draft would leave them. The draft does not remember these reads.
 */
export function draftItems(draft: Draft, driver: AtomicDriver): Items {
  function read(key: string): MaybePromise<string | null> {
    const known = draft.known(key);
    const stored = known === undefined ? driver.getItem(key) : known;
    return stored instanceof Promise ? stored.then((later) => summed(key, later)) : summed(key, stored);
  }

  function summed(key: string, stored: string | null): string | null {
    const delta = draft.added(key);
    return delta === 0 ? stored : JSON.stringify({ sum: readSum(stored) + delta });
  }

  async function list(range: Range): Promise<[key: string, value: string][]> {
    const changed = draft.changedKeys(range);
    if (changed.length === 0) return driver.list(range);
    const { limit, offset = 0, reverse = false } = range;
    // The draft may remove some of them, so as many more are read.
    const enough = Math.min(Number.MAX_SAFE_INTEGER, offset + limit + changed.length);
    const found = new Map<string, string | null>(await driver.list({ ...range, offset: 0, limit: enough }));
    for (const key of changed) found.set(key, await read(key));
    const entries = [...found].filter((entry): entry is [string, string] => entry[1] !== null);
    entries.sort(([one], [other]) => (one < other === reverse ? 1 : -1));
    return entries.slice(offset, offset + limit);
  }

  const everything = { limit: Number.MAX_SAFE_INTEGER };
  return { read, list, count: async (range) => (await list({ ...range, ...everything })).length };
}
