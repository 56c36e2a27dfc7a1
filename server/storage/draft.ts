import type { Changes, MaybePromise } from "./driver.ts";

/** What a transaction has read and would write. null stands for what is not there. */
export interface Draft {
  /** The text under a key as the transaction sees it. Answers at once where the driver does. */
  text(key: string): MaybePromise<string | null>;
  write(key: string, text: string | null): void;
  add(key: string, delta: number): void;
  changes(): Changes;
}

/** Begins a draft on items that `read` gives. */
export function newDraft(read: (key: string) => MaybePromise<string | null>): Draft {
  const seen = new Map<string, string | null>();
  const written = new Map<string, string | null>();
  const sums = new Map<string, number>();

  function remember(key: string, stored: string | null): string | null {
    seen.set(key, stored);
    return stored;
  }

  return {
    text(key) {
      const own = written.get(key);
      if (own !== undefined) return own;
      const known = seen.get(key);
      if (known !== undefined) return known;
      const stored = read(key);
      // A promise for each read of a local store would cost as much as the read.
      return stored instanceof Promise ? stored.then((later) => remember(key, later)) : remember(key, stored);
    },
    write: (key, text) => void written.set(key, text),
    add: (key, delta) => void sums.set(key, (sums.get(key) ?? 0) + delta),
    changes() {
      const puts: Changes["puts"] = [];
      const removes: string[] = [];
      for (const [key, text] of written) {
        if (text === null) removes.push(key);
        else puts.push([key, text]);
      }
      return { checks: [...seen], puts, removes, sums: [...sums].filter(([, delta]) => delta !== 0) };
    },
  };
}
