import { Failure } from "../failure.ts";
import { newCounter } from "./limit-counter.ts";
import { WINDOW_SECONDS, type Limit } from "./rate-limit.ts";

/** How long a credential that was good from a network is heard from there, whatever else comes from it. */
const GOOD_SECONDS = 24 * 60 * 60;
/** How often the others are told of one that still comes. */
const TELL_MS = 60 * 60 * 1_000;
/** Good credentials that a process remembers itself; the oldest goes when one more comes. */
const MAX_REMEMBERED = 10_000;

/** Counts tries to authenticate by network, before their credentials are looked at. */
export interface FailureLimiter {
  /**
   * What `look` finds for a credential, where it may be looked at; null: it is not good.
   *
   * @throws Failure `rate_limited` after too many failed tries
   */
  attempt<T>(network: string, credential: string, look: () => Promise<T | null>): Promise<T | null>;
}

/**
 * Limits failed tries to so many a minute for each network.
 *
 * Each try is counted first, and taken back when it was good: however many guesses come at once, no more
 * than the limit are looked at. A credential that was good from a network within a day is not counted:
 * behind a proxy many share an address, and a stranger's guesses must not cost a company its leads.
 * All workers, and all servers on one Postgres, know of it.
 */
export function failureLimiter(limit: Limit): FailureLimiter {
  const tries = newCounter({ ...limit, limit: limit.limitPerMinute, seconds: WINDOW_SECONDS });
  const good = newCounter({ ...limit, name: `${limit.name}-good`, limit: 1, seconds: GOOD_SECONDS });
  /** When the others were told, by pair of network and credential. */
  const remembered = new Map<string, number>();
  const underWay = new Map<string, Promise<unknown>>();

  async function remember(pair: string): Promise<void> {
    if (performance.now() - (remembered.get(pair) ?? -Infinity) < TELL_MS) return;
    remembered.delete(pair);
    remembered.set(pair, performance.now());
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    await good.mark(pair);
  }

  async function lookUncounted<T>(network: string, pair: string, look: () => Promise<T | null>) {
    const found = await look();
    if (found !== null) await remember(pair);
    else {
      // It was good, and is revoked.
      remembered.delete(pair);
      await Promise.all([good.forget(pair), tries.add(network)]);
    }
    return found;
  }

  async function lookCounted<T>(network: string, pair: string, look: () => Promise<T | null>) {
    const { isOver, msLeft } = await tries.add(network);
    if (isOver) {
      if (await good.has(pair)) return lookUncounted(network, pair, look);
      throw tooMany(msLeft);
    }
    let isFailed = false;
    try {
      const found = await look();
      isFailed = found === null;
      if (found !== null) await remember(pair);
      return found;
    } finally {
      if (!isFailed) await tries.takeBack(network);
    }
  }

  return {
    async attempt(network, credential, look) {
      const pair = `${network} ${credential}`;
      // Requests with one good credential that come at once are one try, not as many.
      const earlier = underWay.get(pair);
      if (earlier !== undefined) await earlier;
      if (remembered.has(pair)) return lookUncounted(network, pair, look);
      const trying = lookCounted(network, pair, look).finally(() => underWay.delete(pair));
      underWay.set(pair, trying);
      return trying;
    },
  };
}

function tooMany(msLeft: number): Failure {
  const retryAfterSeconds = Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msLeft / 1_000)));
  return new Failure("rate_limited", "Too many failed authentication attempts", {}, { retryAfterSeconds });
}
