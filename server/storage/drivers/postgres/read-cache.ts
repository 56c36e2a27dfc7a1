const MAX_TEXTS = 4_000;
const MAX_LENGTH = 4_096;
/** A longer time would save little more, and cost more retries when others write. */
const CACHED_MS = 1_000;

/** Texts that were read a moment ago. null: nothing was found. */
export interface ReadCache {
  /** The text under a key a moment ago; undefined if it is not known. */
  get(key: string): string | null | undefined;
  /** Keeps the result of a query that began at `readAt`. */
  keep(key: string, text: string | null, readAt: number): void;
  /** Marks the text under a key as changed. */
  drop(key: string): void;
}

/** Remembers the texts of the last second, because a few (campaigns, promoters) are read again and again. */
export function newReadCache(now: () => number = () => performance.now()): ReadCache {
  const texts = new Map<string, Known>();
  /** Separate, because most keys that are not found are read once. They must not push out the texts. */
  const absences = new Map<string, Known>();

  function set(key: string, text: Known["text"], at: number): void {
    const known = texts.get(key) ?? absences.get(key);
    // Most keys are written once; they must not push out the few that are read often.
    if (known === undefined && text === undefined) return;
    // A read that began before the last change comes too late.
    if (known !== undefined && known.at > at) return;
    const entries = typeof text === "string" || texts.has(key) ? texts : absences;
    if (entries.size >= MAX_TEXTS) entries.clear();
    entries.set(key, { text, at });
  }

  return {
    get(key) {
      const known = texts.get(key) ?? absences.get(key);
      return known !== undefined && now() - known.at < CACHED_MS ? known.text : undefined;
    },
    keep: (key, text, readAt) => set(key, (text?.length ?? 0) > MAX_LENGTH ? undefined : text, readAt),
    drop: (key) => set(key, undefined, now()),
  };
}

interface Known {
  /** null: nothing was found. undefined: it has changed. */
  text: string | null | undefined;
  at: number;
}
