import cluster from "node:cluster";
import { createHash } from "node:crypto";
import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { Failure } from "../../failure.ts";
import type { AnswerHeaders } from "../answer.ts";
import type { LimitsDatabase } from "../../storage/session.ts";

/** The length of a limit's window. */
const WINDOW_SECONDS = 60;

/** A caller's state within its window. */
export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Counts requests by key. The state is null if there is no limit. */
export interface RateLimiter {
  take(key: string): Promise<RateLimitState | null>;
}

/** A limit and the place of its counts. */
interface Limit extends CountPlace {
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
      // At most the whole window, even if a clock was set back.
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

/** The outcome of a guess: its result, or how long further guesses are refused. */
export type Guess<T> = { done: T } | { retryAfterSeconds: number };

/** Limits wrong guesses by key. */
export interface GuessLimiter {
  /** Tries a guess, unless there were too many wrong ones. Errors of the guess are passed on. */
  guess<T>(key: string, attempt: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<Guess<T>>;
}

/**
 * Allows each key a number of wrong guesses within a time. Each guess is counted first, and subtracted again unless it was
 * tried and wrong, so that parallel guesses can't exceed the limit. Refused guesses don't count, because a stranger could
 * keep the owner out with them.
 */
export function guessLimiter({
  wrongGuesses,
  seconds,
  ...place
}: CountPlace & { wrongGuesses: number; seconds: number }): GuessLimiter {
  const counter = newCounter({ ...place, limit: wrongGuesses, seconds, isTakenBack: true });
  return {
    async guess(key, attempt, isWrong) {
      const { isOver, msLeft } = await counter.add(key);
      if (isOver) {
        await counter.takeBack(key);
        return { retryAfterSeconds: Math.min(seconds, Math.ceil(msLeft / 1_000)) };
      }
      let wasWrong = false;
      try {
        return { done: await attempt() };
      } catch (error) {
        wasWrong = isWrong(error);
        throw error;
      } finally {
        if (!wasWrong) await counter.takeBack(key);
      }
    },
  };
}

/** How long a credential that worked from a network is exempt from the limit there. */
const GOOD_SECONDS = 24 * 60 * 60;
/** How often a process renews the shared mark of a credential that is in use. */
const TELL_MS = 60 * 60 * 1_000;
/** How many valid credentials a process remembers. A new one replaces the oldest. */
const MAX_REMEMBERED = 10_000;

/** Counts attempts to authenticate by network, before the credentials are looked up. */
export interface FailureLimiter {
  /**
   * Looks a credential up, unless its network has failed too often. Returns null if the credential is invalid.
   *
   * @throws Failure `rate_limited` after too many failed attempts
   */
  attempt<T>(network: string, credential: string, look: () => Promise<T | null>): Promise<T | null>;
}

/**
 * Limits failed attempts to a number per minute for each network.
 *
 * Each attempt is counted first and subtracted again if it was valid, so that parallel guesses can't exceed the limit. A
 * credential that worked from a network within a day is exempt, because many clients share an address behind a proxy, and
 * a stranger's guesses must not cost a company its leads. All workers share these counts, and so do all servers on one
 * Postgres.
 */
export function failureLimiter(limit: Limit): FailureLimiter {
  const tries = newCounter({ ...limit, limit: limit.limitPerMinute, seconds: WINDOW_SECONDS });
  const good = newCounter({ ...limit, name: `${limit.name}-good`, limit: 1, seconds: GOOD_SECONDS });
  /** When the shared mark was last renewed, by network and credential. */
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
      // It was valid but has been revoked.
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
      // Parallel requests with the same valid credential count as one attempt.
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

/** Where counts are kept. */
export interface CountPlace {
  /** Separates these counts from others in the same place. */
  name?: string;
  /** Null if only the workers of this server share the counts. */
  database?: LimitsDatabase | null;
}

/** The count of a key within its window. */
export interface Count {
  isOver: boolean;
  remaining: number;
  msLeft: number;
}

/** Counts by key. A window begins with a key's first addition. Addresses are stored as hashes. */
export interface Counter {
  /** Adds one and returns the new count. */
  add(key: string): Promise<Count>;
  /** Subtracts one. */
  takeBack(key: string): Promise<void>;
  /** Marks a key for a whole window from now. */
  mark(key: string): Promise<void>;
  /** Whether a key has a count or a mark. */
  has(key: string): Promise<boolean>;
  forget(key: string): Promise<void>;
}

/** Makes a counter that counts up to a limit. */
function newCounter({
  limit,
  seconds,
  isTakenBack = false,
  ...place
}: CountPlace & { limit: number; seconds: number; isTakenBack?: boolean }): Counter {
  const options = { points: limit, duration: seconds, keyPrefix: place.name ?? "limit" };
  const limiter = newLimiter(options, { ...place, isTakenBack });
  return {
    async add(key) {
      try {
        const { remainingPoints, msBeforeNext } = await limiter.consume(hidden(key));
        return { isOver: false, remaining: remainingPoints, msLeft: msBeforeNext };
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return { isOver: true, remaining: 0, msLeft: refusal.msBeforeNext };
      }
    },
    takeBack: async (key) => void (await limiter.reward(hidden(key))),
    mark: async (key) => void (await limiter.block(hidden(key), seconds)),
    has: async (key) => (await limiter.get(hidden(key))) !== null,
    forget: async (key) => void (await limiter.delete(hidden(key))),
  };
}

/**
 * Workers count in their primary process, a process without workers in its own memory, and servers with a database in the
 * database. While the database is unreachable, each server counts alone, because a limit must not cause an outage. A key
 * that has reached the limit is refused without a query, so that a flood does not reach the database. This is off where
 * counts are subtracted again, because it would block the key for good.
 */
function newLimiter(
  options: { points: number; duration: number; keyPrefix: string },
  { database = null, isTakenBack }: CountPlace & { isTakenBack: boolean },
) {
  const own = cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  if (database === null) return own;
  return new RateLimiterPostgres({
    ...options,
    storeClient: database,
    storeType: "client",
    tableName: database.table,
    tableCreated: true,
    ...(!isTakenBack && { inMemoryBlockOnConsumed: options.points }),
    insuranceLimiter: own,
  });
}

function hidden(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
