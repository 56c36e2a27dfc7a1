import type { Changes } from "../../driver.ts";

const MAX_TEXTS = 4_000;
const MAX_LENGTH = 4_096;

/** What a process knows of a store that others write to as well. */
export interface KnownTexts {
  /** The text under a key, null where there is none, undefined when that is not known. */
  get(key: string): string | null | undefined;
  set(key: string, text: string | null): void;
  forget(key: string): void;
  /** Tells which commit was the last when the store was looked at. Each leaves its own stamp. */
  see(stamp: string | undefined): void;
  /** Tells what this process is about to commit upon the stamp that was seen last. */
  expect(stamp: string, batch: readonly { changes: Changes }[]): void;
}

/**
 * Remembers texts for as long as they stand: after a commit of this process all but what it wrote, after
 * anybody else's commit none.
 */
export function knownTexts(): KnownTexts {
  const texts = new Map<string, string | null>();
  let last: string | undefined;
  let own: { stamp: string; after: string | undefined; batch: readonly { changes: Changes }[] } | undefined;

  return {
    get: (key) => texts.get(key),
    set(key, text) {
      if (text !== null && text.length > MAX_LENGTH) return;
      if (texts.size >= MAX_TEXTS) texts.clear();
      texts.set(key, text);
    },
    forget: (key) => void texts.delete(key),
    see(stamp) {
      if (stamp === last) return;
      // Readers may still be given what was before a commit that the next one has already been based on:
      // what they remember since then, that former commit may have changed as well.
      if (stamp === own?.stamp && last === own?.after)
        own?.batch.forEach(({ changes }) => forgetAll(changes));
      else texts.clear();
      last = stamp;
    },
    expect(stamp, batch) {
      own = { stamp, after: last, batch };
    },
  };

  function forgetAll({ puts, removes, sums }: Changes): void {
    for (const [key] of puts) texts.delete(key);
    for (const key of removes) texts.delete(key);
    for (const [key] of sums) texts.delete(key);
  }
}
