import cluster from "node:cluster";
import { createHash } from "node:crypto";
import type { LimitsDatabase } from "../../storage/session.ts";
import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";

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
export function newCounter({
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
