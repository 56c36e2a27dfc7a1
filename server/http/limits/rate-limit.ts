import type { AnswerHeaders } from "../answer.ts";
import { newCounter, type CountPlace } from "./limit-counter.ts";

/** How long one window of a limit lasts. */
export const WINDOW_SECONDS = 60;

/** Where a caller stands within its window. */
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

/** A limit and the place of its counts. */
export interface Limit extends CountPlace {
  limitPerMinute: number;
}

/** Allows each key a number of requests per minute; 0 means no limit. */
export function rateLimiter({ limitPerMinute: limit, ...place }: Limit): RateLimiter {
  return windowLimiter({ ...place, limit, seconds: WINDOW_SECONDS });
}

/** Allows each key a number of requests within a time; 0 means no limit. */
export function windowLimiter({
  limit,
  seconds,
  ...place
}: CountPlace & { limit: number; seconds: number }): RateLimiter {
  if (limit === 0) return { take: () => Promise.resolve(null) };
  const counter = newCounter({ ...place, limit, seconds });
  return {
    async take(key) {
      const { isOver, remaining, msLeft } = await counter.add(key);
      // The whole time at most, even if a clock was set back.
      const resetSeconds = Math.min(seconds, Math.ceil(msLeft / 1_000));
      return { allowed: !isOver, limit, remaining, resetSeconds };
    },
  };
}

/** The rate limit headers of an answer. @see docs/spec/common.md "Rate limits" */
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
