import cluster from "node:cluster";
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
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

/** What is limited. */
export interface Limit {
  /** Tells limits apart where the workers of a cluster count together. */
  name?: string;
  limitPerMinute: number;
}

/** Limits requests to so many a minute for each key; 0 for no limit. */
export function rateLimiter(limit: Limit): RateLimiter {
  const { limitPerMinute } = limit;
  if (limitPerMinute === 0) return { take: () => Promise.resolve(null) };
  const limiter = newLimiter(limit);
  return {
    async take(key) {
      const { allowed, result } = await consume(limiter, key);
      return {
        allowed,
        limit: limitPerMinute,
        remaining: result.remainingPoints,
        resetSeconds: secondsLeft(result.msBeforeNext),
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
  const limiter = newLimiter(limit);
  const accepted = new Set<string>();
  return {
    async isBlocked(address, credential) {
      if (accepted.has(`${address} ${credential}`)) return false;
      const result = await limiter.get(address);
      return result !== null && result.consumedPoints >= limitPerMinute;
    },
    async secondsBlocked(address) {
      const result = await limiter.get(address);
      return Math.max(1, secondsLeft(result?.msBeforeNext ?? 0));
    },
    async recordFailure(address) {
      await consume(limiter, address);
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

type Limiter = Pick<RateLimiterMemory, "consume" | "get">;

/** Workers count in their primary, whoever of them is asked; a process on its own counts by itself. */
function newLimiter({ name = "limit", limitPerMinute }: Limit): Limiter {
  const options = { points: limitPerMinute, duration: WINDOW_SECONDS, keyPrefix: name };
  return cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
}

/** Never more than the whole of a minute, which is counted by a timer, wherever a clock that is set back stands. */
function secondsLeft(milliseconds: number): number {
  return Math.min(WINDOW_SECONDS, Math.ceil(milliseconds / 1_000));
}

/** The library says no by rejecting, with the same kind of result. */
async function consume(limiter: Limiter, key: string) {
  try {
    return { allowed: true, result: await limiter.consume(key) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { allowed: false, result: refusal };
    throw refusal;
  }
}
