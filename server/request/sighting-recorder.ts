import type { Logger } from "pino";
import { recordSightings, type Sighting, type SightingKind } from "../domain/people/sighting.ts";
import { SYSTEM } from "../domain/context.ts";
import type { Store } from "../storage/store.ts";

/** A sighting is renewed in the store after this time. */
const REFRESH_MS = 60 * 60 * 1_000;
/** The pause between two writes. */
const PAUSE_MS = 10_000;
/** The maximum of sightings waiting for a write. Others are dropped; if they matter, they come again. */
const MOST_WAITING = 50;
const MOST_REMEMBERED = 1_000;

/**
 * Records how the server is used, for `tidemark doctor`. It keeps a little in memory and writes it
 * periodically.
 */
export interface SightingRecorder {
  see(kind: SightingKind, value: string, accountId?: number): void;
  /** Counts a sign-up that was refused for its site's origin. The log names each origin once. */
  seeRefusedOrigin(accountId: number, origin: string): void;
  /** Writes the sightings since the last write. */
  write(): Promise<void>;
  readonly counts: { refusedOrigins: number };
}

/** Runs work after a delay. The timer must not keep the process alive. */
export type Later = (work: () => Promise<void>, delayMs: number) => void;

interface Group {
  account_id: number;
  kind: SightingKind;
  values: string[];
}

/** Starts recording. */
export function newSightingRecorder(
  { store, log, clock }: { store: Store; log: Logger; clock: () => Date },
  later: Later = (work, delayMs) => void setTimeout(work, delayMs).unref(),
): SightingRecorder {
  const startedAt = clock().toISOString();
  const counts = { refusedOrigins: 0 };
  const seenAt = new Map<string, number>();
  let waiting = new Map<string, Group>();
  let waitingCount = 0;
  let writtenAt = -Infinity;

  function see(kind: SightingKind, value: string, accountId: number = SYSTEM): void {
    const now = clock().getTime();
    const key = JSON.stringify([accountId, kind, value]);
    // `Math.abs` covers a clock that was set back.
    if (Math.abs(now - (seenAt.get(key) ?? -Infinity)) < REFRESH_MS || waitingCount >= MOST_WAITING) return;
    if (seenAt.size >= MOST_REMEMBERED) seenAt.clear();
    seenAt.set(key, now);
    const name = `${accountId} ${kind}`;
    waiting.set(name, { account_id: accountId, kind, values: [value, ...(waiting.get(name)?.values ?? [])] });
    waitingCount += 1;
    if (waitingCount === 1) later(write, Math.min(PAUSE_MS, Math.max(0, writtenAt + PAUSE_MS - now)));
  }

  async function write(): Promise<void> {
    const groups = waiting;
    waiting = new Map();
    waitingCount = 0;
    writtenAt = clock().getTime();
    for (const { account_id, kind, values } of groups.values()) {
      try {
        const before = await recordSightings(store, account_id, { kind, values, now: clock() });
        if (kind === "refused-origin") logNew(values, before);
      } catch (error) {
        // The doctor can do without these, and a store fault is logged elsewhere.
        log.debug({ err: error }, "sightings could not be written");
      }
    }
  }

  /** The first worker to see an origin logs it. After a restart, it is logged again. */
  function logNew(origins: string[], before: Sighting[]): void {
    for (const origin of origins) {
      if (before.some(({ value, last_at }) => value === origin && last_at >= startedAt)) continue;
      log.warn({ origin }, "sign-ups from this origin are refused: none of their campaigns allows it");
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
