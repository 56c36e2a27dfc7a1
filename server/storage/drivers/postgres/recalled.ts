const MAX_TEXTS = 4_000;
const MAX_LENGTH = 4_096;
/** Longer would save little more, and cost more second tries where others write. */
const RECALLED_MS = 1_000;

/** What was read a moment ago. */
export interface Recalled {
  /** The text under a key as it was a moment ago; undefined where that is not known. */
  get(key: string): string | undefined;
  /** Takes what a query that began at an instant has found. */
  keep(key: string, text: string | undefined, readAt: number): void;
  /** Tells that what stands under a key was changed by now. */
  drop(key: string): void;
}

/** Remembers the texts of the last second, of which a few (campaigns, promoters) are read again and again. */
export function recalledTexts(now: () => number = () => performance.now()): Recalled {
  const texts = new Map<string, { text: string | undefined; at: number }>();

  function set(key: string, text: string | undefined, at: number): void {
    const known = texts.get(key);
    // Most keys are read or written once; they must not push out the few that come again and again.
    if (known === undefined && text === undefined) return;
    // What began to be read before the last change comes too late.
    if (known !== undefined && known.at > at) return;
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(key, { text, at });
  }

  return {
    get(key) {
      const known = texts.get(key);
      return known !== undefined && now() - known.at < RECALLED_MS ? known.text : undefined;
    },
    keep: (key, text, readAt) => set(key, (text?.length ?? 0) > MAX_LENGTH ? undefined : text, readAt),
    drop: (key) => set(key, undefined, now()),
  };
}
