import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureLimiter, rateLimitHeaders, rateLimiter } from "../../server/http/rate-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

describe("a limit of requests", () => {
  it("counts down within its minute, refuses, and begins anew", async () => {
    const limiter = rateLimiter({ limitPerMinute: 2 });
    const state = { allowed: true, limit: 2, remaining: 0, resetSeconds: 60 };
    expect(await limiter.take("a")).toEqual({ ...state, remaining: 1 });
    pass(500);
    expect(await limiter.take("a")).toEqual(state);
    pass(30_000);
    expect(await limiter.take("a")).toEqual({ ...state, allowed: false, resetSeconds: 30 });
    pass(29_499);
    expect(await limiter.take("a")).toEqual({ ...state, allowed: false, resetSeconds: 1 });
    pass(1);
    expect(await limiter.take("a")).toEqual({ ...state, remaining: 1 });
  });

  it("lasts a minute all the same when the clock is set back", async () => {
    const limiter = rateLimiter({ limitPerMinute: 1 });
    await limiter.take("a");
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await limiter.take("a")).toMatchObject({ allowed: false, resetSeconds: 60 });
    pass(60_000);
    expect(await limiter.take("a")).toMatchObject({ allowed: true, resetSeconds: 60 });
  });

  it("counts each key for itself", async () => {
    const limiter = rateLimiter({ limitPerMinute: 1 });
    await limiter.take("a");
    const [a, b] = [await limiter.take("a"), await limiter.take("b")];
    expect([a?.allowed, b?.allowed]).toEqual([false, true]);
  });

  it("is none when it is 0", async () => {
    const limiter = rateLimiter({ limitPerMinute: 0 });
    expect([await limiter.take("a"), await limiter.take("a")]).toEqual([null, null]);
  });
});

describe("the headers of a counted answer", () => {
  it.each([
    ["are none without a limit", null, {}],
    [
      "tell where the caller stands",
      { allowed: true, limit: 450, remaining: 3, resetSeconds: 42 },
      { "ratelimit-limit": "450", "ratelimit-remaining": "3", "ratelimit-reset": "42" },
    ],
    [
      "tell a refused caller when to come back",
      { allowed: false, limit: 450, remaining: 0, resetSeconds: 42 },
      {
        "ratelimit-limit": "450",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "42",
        "retry-after": "42",
      },
    ],
    [
      "never tell a refused caller to come back at once",
      { allowed: false, limit: 1, remaining: 0, resetSeconds: 0 },
      { "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "0", "retry-after": "1" },
    ],
  ])("%s", (_, state, headers) => {
    expect(rateLimitHeaders(state)).toEqual(headers);
  });
});

describe("a limit of failed tries", () => {
  const failedTwice = async () => {
    const limiter = failureLimiter({ limitPerMinute: 2 });
    await limiter.recordFailure("192.0.2.1");
    const before = await limiter.isBlocked("192.0.2.1", "key");
    await limiter.recordFailure("192.0.2.1");
    return { limiter, before };
  };

  it("blocks an address from the last failure that it may have, and no other address", async () => {
    const { limiter, before } = await failedTwice();
    expect(before).toBe(false);
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(true);
    expect(await limiter.isBlocked("192.0.2.2", "key")).toBe(false);
  });

  it("counts on while the address is blocked, and forgets after a minute", async () => {
    const { limiter } = await failedTwice();
    await limiter.recordFailure("192.0.2.1");
    pass(59_999);
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(true);
    pass(1);
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(false);
  });

  it("never blocks a credential that was good from the same address", async () => {
    const { limiter } = await failedTwice();
    limiter.recordSuccess("192.0.2.1", "good");
    limiter.recordSuccess("192.0.2.2", "elsewhere");
    expect(await limiter.isBlocked("192.0.2.1", "good")).toBe(false);
    expect(await limiter.isBlocked("192.0.2.1", "elsewhere")).toBe(true);
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(true);
  });

  it("remembers 10,000 good credentials, and then forgets the oldest", async () => {
    const { limiter } = await failedTwice();
    for (let count = 0; count < 10_000; count++) limiter.recordSuccess("192.0.2.1", `good ${count}`);
    limiter.recordSuccess("192.0.2.1", "good 9999");
    expect(await limiter.isBlocked("192.0.2.1", "good 0")).toBe(false);
    limiter.recordSuccess("192.0.2.1", "one more");
    expect(await limiter.isBlocked("192.0.2.1", "good 0")).toBe(true);
    expect(await limiter.isBlocked("192.0.2.1", "good 1")).toBe(false);
    expect(await limiter.isBlocked("192.0.2.1", "one more")).toBe(false);
  });
});

describe("a limit that servers share", () => {
  /** What other servers have counted with this one; null: they can't be asked. */
  let counted: number | null;
  let asked: [name: readonly string[], amount: number][];
  beforeEach(() => {
    counted = 0;
    asked = [];
  });
  const sharedCounts = async (name: readonly string[], { amount }: { amount: number }) => {
    asked.push([name, amount]);
    if (counted === null) throw new Error("away");
    counted += amount;
    return { count: counted, msLeft: counted === 0 ? 0 : 30_000 };
  };
  const limit = { name: "v1", limitPerMinute: 3, sharedCounts };

  it("counts with the others, and asks nobody once it is reached, until its minute is over", async () => {
    const limiter = rateLimiter(limit);
    expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 2, resetSeconds: 30 });
    counted = 2;
    expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 0 });
    pass(10_000);
    const refused = { allowed: false, limit: 3, remaining: 0, resetSeconds: 20 };
    expect([await limiter.take("a"), await limiter.take("a")]).toEqual([refused, refused]);
    expect(asked).toEqual([
      [["v1", "a"], 1],
      [["v1", "a"], 1],
    ]);
    pass(20_000);
    counted = 0;
    expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("counts on alone while they can't be asked", async () => {
    const limiter = rateLimiter(limit);
    await limiter.take("a");
    counted = null;
    expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 30 });
    expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.take("a")).toMatchObject({ allowed: false });
    expect(await limiter.take("b")).toMatchObject({ allowed: true, remaining: 2, resetSeconds: 60 });
  });

  it("of failed tries asks before it hears a stranger, and adds only what failed", async () => {
    const limiter = failureLimiter({ ...limit, name: "failures" });
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(false);
    await limiter.recordFailure("192.0.2.1");
    expect(asked.map(([, amount]) => amount)).toEqual([0, 1]);
    counted = 3;
    expect(await limiter.isBlocked("192.0.2.1", "key")).toBe(true);
    expect(await limiter.secondsBlocked("192.0.2.1")).toBe(30);
    limiter.recordSuccess("192.0.2.1", "good");
    const { length } = asked;
    expect(await limiter.isBlocked("192.0.2.1", "good")).toBe(false);
    expect(asked).toHaveLength(length);
  });
});
