import cluster from "node:cluster";
import { createHash } from "node:crypto";
import type { LimitsDatabase } from "../storage/drivers/postgres/limits.ts";
import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";

/** Where counts are kept. */
export interface CountPlace {
  /** Tells counts of one place apart. */
  name?: string;
  /** null: with the workers of this server alone. */
  database?: LimitsDatabase | null;
}

/** What a key has counted within its time. */
export interface Count {
  isOver: boolean;
  remaining: number;
  msLeft: number;
}

/** Counts by key, each for so long from its first addition. Addresses are kept as hashes. */
export interface Counter {
  /** Adds one, and tells what it is then. */
  add(key: string): Promise<Count>;
  /** Takes one back. */
  takeBack(key: string): Promise<void>;
  /** Marks a key for the whole time from now. */
  mark(key: string): Promise<void>;
  /** Whether anything is known of a key. */
  has(key: string): Promise<boolean>;
  forget(key: string): Promise<void>;
}

/** Begins to count up to a limit. */
export function newCounter({
  limit,
  seconds,
  ...place
}: CountPlace & { limit: number; seconds: number }): Counter {
  const limiter = newLimiter({ points: limit, duration: seconds, keyPrefix: place.name ?? "limit" }, place);
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
 * Workers count in their primary, a process on its own in its memory, servers with a database in that.
 * While it can't be asked, each counts by itself: a limit is no reason to refuse service. Whoever has
 * reached the limit is refused without a question, so that a flood does not reach the database.
 */
function newLimiter(
  options: { points: number; duration: number; keyPrefix: string },
  { database = null }: CountPlace,
) {
  const own = cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  if (database === null) return own;
  return new RateLimiterPostgres({
    ...options,
    storeClient: database,
    storeType: "client",
    tableName: database.table,
    tableCreated: true,
    inMemoryBlockOnConsumed: options.points,
    insuranceLimiter: own,
  });
}

function hidden(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
