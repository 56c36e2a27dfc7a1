import type { AnswerHeaders } from "./answer.ts";
import { newCounter, type CountPlace } from "./limit-counter.ts";

/** How long a limit counts. */
export const WINDOW_SECONDS = 60;

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

/** What is limited, and where it is counted. */
export interface Limit extends CountPlace {
  limitPerMinute: number;
}

/** Limits requests to so many a minute for each key; 0 for no limit. */
export function rateLimiter({ limitPerMinute: limit, ...place }: Limit): RateLimiter {
  if (limit === 0) return { take: () => Promise.resolve(null) };
  const counter = newCounter({ ...place, limit, seconds: WINDOW_SECONDS });
  return {
    async take(key) {
      const { isOver, remaining, msLeft } = await counter.add(key);
      // A minute at most, wherever a clock that is set back stands.
      const resetSeconds = Math.min(WINDOW_SECONDS, Math.ceil(msLeft / 1_000));
      return { allowed: !isOver, limit, remaining, resetSeconds };
    },
  };
}

/** The headers of an answer that was counted. @see docs/spec/common.md "Rate limits" */
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
