const MAX_TEXTS = 4_000;
const MAX_LENGTH = 4_096;
/** A longer time would save little more, and cost more retries when others write. */
const CACHED_MS = 1_000;

/** Texts that were read a moment ago. */
export interface ReadCache {
  /** The text under a key a moment ago; undefined if it is not known. */
  get(key: string): string | undefined;
  /** Keeps the result of a query that began at `readAt`. */
  keep(key: string, text: string | undefined, readAt: number): void;
  /** Marks the text under a key as changed. */
  drop(key: string): void;
}

/** Remembers the texts of the last second, because a few (campaigns, promoters) are read again and again. */
export function newReadCache(now: () => number = () => performance.now()): ReadCache {
  const texts = new Map<string, { text: string | undefined; at: number }>();

  function set(key: string, text: string | undefined, at: number): void {
    const known = texts.get(key);
    // Most keys are read or written once; they must not push out the few that are read often.
    if (known === undefined && text === undefined) return;
    // A read that began before the last change comes too late.
    if (known !== undefined && known.at > at) return;
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(key, { text, at });
  }

  return {
    get(key) {
      const known = texts.get(key);
      return known !== undefined && now() - known.at < CACHED_MS ? known.text : undefined;
    },
    keep: (key, text, readAt) => set(key, (text?.length ?? 0) > MAX_LENGTH ? undefined : text, readAt),
    drop: (key) => set(key, undefined, now()),
  };
}
