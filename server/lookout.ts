import type { Logger } from "pino";
import { recordSightings } from "./domain/sighting.ts";
import { SYSTEM, type Sighting, type SightingKind } from "./records.ts";
import type { Store } from "./storage/store.ts";

/** What is seen again is written again after so long. */
const REFRESH_MS = 60 * 60 * 1_000;
/** Between two writings. */
const PAUSE_MS = 10_000;
/** Between two writings, and of what is known to be written; the rest is seen again if it matters. */
const MOST_WAITING = 50;
const MOST_REMEMBERED = 1_000;

/** Watches how the server is used, for `tidemark doctor`: a little in memory, and a write now and then. */
export interface Lookout {
  see(kind: SightingKind, value: string, accountId?: number): void;
  /** Counts a sign-up that was refused for its origin, which the log tells once for each origin. */
  seeRefusedOrigin(accountId: number, origin: string): void;
  /** Writes what was seen since the last time. */
  write(): Promise<void>;
  readonly counts: { refusedOrigins: number };
}

/** Sees that work is done after so long; it must not keep the process from its end. */
export type Later = (work: () => Promise<void>, delayMs: number) => void;

interface Group {
  accountId: number;
  kind: SightingKind;
  values: string[];
}

/** Begins to watch. */
export function newLookout(
  { store, log, clock }: { store: Store; log: Logger; clock: () => Date },
  later: Later = (work, delayMs) => void setTimeout(work, delayMs).unref(),
): Lookout {
  const startedAt = clock().toISOString();
  const counts = { refusedOrigins: 0 };
  const seenAt = new Map<string, number>();
  let waiting = new Map<string, Group>();
  let waitingCount = 0;
  let writtenAt = -Infinity;

  function see(kind: SightingKind, value: string, accountId: number = SYSTEM): void {
    const now = clock().getTime();
    const key = JSON.stringify([accountId, kind, value]);
    // Also where the clock was set back.
    if (Math.abs(now - (seenAt.get(key) ?? -Infinity)) < REFRESH_MS || waitingCount >= MOST_WAITING) return;
    if (seenAt.size >= MOST_REMEMBERED) seenAt.clear();
    seenAt.set(key, now);
    const name = `${accountId} ${kind}`;
    waiting.set(name, { accountId, kind, values: [value, ...(waiting.get(name)?.values ?? [])] });
    waitingCount += 1;
    if (waitingCount === 1) later(write, Math.min(PAUSE_MS, Math.max(0, writtenAt + PAUSE_MS - now)));
  }

  async function write(): Promise<void> {
    const groups = waiting;
    waiting = new Map();
    waitingCount = 0;
    writtenAt = clock().getTime();
    for (const { accountId, kind, values } of groups.values()) {
      try {
        const before = await recordSightings(store, accountId, { kind, values, now: clock() });
        if (kind === "refused-origin") logNew(values, before);
      } catch (error) {
        // The doctor can do without; what keeps the store from it is told elsewhere.
        log.debug({ err: error }, "what was seen could not be written");
      }
    }
  }

  /** Of several workers, the first one to see an origin tells of it; after a new start, it is told anew. */
  function logNew(origins: string[], before: Sighting[]): void {
    for (const origin of origins) {
      if (before.some(({ value, lastAt }) => value === origin && lastAt >= startedAt)) continue;
      log.warn({ origin }, "sign-ups from this origin are refused: no campaign that they are for allows it");
    }
  }

  return {
    see,
    seeRefusedOrigin(accountId, origin) {
      counts.refusedOrigins += 1;
      see("refused-origin", origin, accountId);
    },
    write,
    counts,
  };
}
