import cluster from "node:cluster";
import { RateLimiterCluster, RateLimiterMemory } from "rate-limiter-flexible";
import type { AnswerHeaders } from "./answer.ts";

const WINDOW_SECONDS = 60;
/** Remembered pairs of address and good key; the oldest goes when one more comes. */
const MAX_ACCEPTED = 10_000;

/** Where a caller stands within its minute. */
export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Counts requests by key. null: there is no limit. */
export interface RateLimiter {
  take(key: string): Promise<RateLimitState | null>;
}

/** Adds to a count that is forgotten so long after it began, and that all servers share. */
export type SharedCounts = (
  name: readonly string[],
  addition: { amount: number; windowMs: number },
) => Promise<{ count: number; msLeft: number }>;

/** What is limited. */
export interface Limit {
  /** Tells limits apart where several processes count together. */
  name?: string;
  limitPerMinute: number;
  /** Where servers on several machines count together. null: nowhere. */
  sharedCounts?: SharedCounts | null;
}

/** Limits requests to so many a minute for each key; 0 for no limit. */
export function rateLimiter(limit: Limit): RateLimiter {
  const { limitPerMinute } = limit;
  if (limitPerMinute === 0) return { take: () => Promise.resolve(null) };
  const counter = newCounter(limit);
  return {
    async take(key) {
      const { count, msLeft } = await counter(key, 1);
      return {
        allowed: count <= limitPerMinute,
        limit: limitPerMinute,
        remaining: Math.max(0, limitPerMinute - count),
        resetSeconds: secondsLeft(msLeft),
      };
    },
  };
}

/** The headers of an answer that was counted. @see gaps "V1", rate limit */
export function rateLimitHeaders(state: RateLimitState | null): AnswerHeaders {
  if (state === null) return {};
  const headers: AnswerHeaders = {
    "ratelimit-limit": String(state.limit),
    "ratelimit-remaining": String(state.remaining),
    "ratelimit-reset": String(state.resetSeconds),
  };
  if (!state.allowed) headers["retry-after"] = String(Math.max(1, state.resetSeconds));
  return headers;
}

/** Counts failed tries to authenticate by address. */
export interface FailureLimiter {
  /** Whether an address has failed too often to be heard, with this credential. */
  isBlocked(address: string, credential: string): Promise<boolean>;
  /** Until the address is heard again, at least one. */
  secondsBlocked(address: string): Promise<number>;
  recordFailure(address: string): Promise<void>;
  /** Keeps an address's way open for this credential. */
  recordSuccess(address: string, credential: string): void;
}

/** Limits failed tries to so many a minute for each address. */
export function failureLimiter(limit: Limit): FailureLimiter {
  const { limitPerMinute } = limit;
  const counter = newCounter(limit);
  const accepted = new Set<string>();
  return {
    async isBlocked(address, credential) {
      if (accepted.has(`${address} ${credential}`)) return false;
      return (await counter(address, 0)).count >= limitPerMinute;
    },
    async secondsBlocked(address) {
      return Math.max(1, secondsLeft((await counter(address, 0)).msLeft));
    },
    async recordFailure(address) {
      await counter(address, 1);
    },
    recordSuccess(address, credential) {
      const pair = `${address} ${credential}`;
      if (accepted.has(pair)) return;
      accepted.add(pair);
      const [oldest] = accepted;
      if (accepted.size > MAX_ACCEPTED && oldest !== undefined) accepted.delete(oldest);
    },
  };
}

/** Adds to the count of a key's minute, 0 to ask alone, and gives what it is then. */
type Counter = (key: string, amount: 0 | 1) => Promise<{ count: number; msLeft: number }>;

function newCounter(limit: Limit): Counter {
  const own = ownCounter(limit);
  return limit.sharedCounts ? sharedCounter(limit, limit.sharedCounts) : own.add;
}

/** Workers count in their primary, whoever of them is asked; a process on its own counts by itself. */
function ownCounter({ name = "limit", limitPerMinute, sharedCounts }: Limit) {
  const options = { points: limitPerMinute, duration: WINDOW_SECONDS, keyPrefix: name };
  const isAlone = sharedCounts || !cluster.isWorker;
  const limiter = isAlone ? new RateLimiterMemory(options) : new RateLimiterCluster(options);
  const add: Counter = async (key, amount) => {
    const result = amount === 0 ? await limiter.get(key) : await limiter.penalty(key, amount);
    return { count: result?.consumedPoints ?? 0, msLeft: result?.msBeforeNext ?? 0 };
  };
  return { add, limiter };
}

/**
 * Counts with the other servers. Who has reached the limit is refused without asking them, so that a
 * flood stays here; and what they were at last is counted on from alone where they can't be asked, since
 * a limit is no reason to refuse service.
 */
function sharedCounter(limit: Limit, sharedCounts: SharedCounts): Counter {
  const { name = "limit", limitPerMinute } = limit;
  const own = ownCounter(limit);
  return async (key, amount) => {
    if ((await own.add(key, 0)).count >= limitPerMinute) return own.add(key, amount);
    try {
      const shared = await sharedCounts([name, key], { amount, windowMs: WINDOW_SECONDS * 1_000 });
      if (shared.msLeft > 0) await own.limiter.set(key, shared.count, shared.msLeft / 1_000);
      return shared;
    } catch {
      return own.add(key, amount);
    }
  };
}

/** Never more than the whole of a minute, which is counted by a timer, wherever a clock that is set back stands. */
function secondsLeft(milliseconds: number): number {
  return Math.min(WINDOW_SECONDS, Math.ceil(milliseconds / 1_000));
}
