import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  failureLimiter,
  rateLimiter,
  rateLimitHeaders,
  type FailureLimiter,
} from "../../server/http/limits/rate-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

describe("a limit of requests", () => {
  it("counts down within its minute, refuses, and starts again", async () => {
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

  it("lasts a minute even if the clock is set back", async () => {
    const limiter = rateLimiter({ limitPerMinute: 1 });
    await limiter.take("a");
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await limiter.take("a")).toMatchObject({ allowed: false, resetSeconds: 60 });
    pass(60_000);
    expect(await limiter.take("a")).toMatchObject({ allowed: true, resetSeconds: 60 });
  });

  it("counts each key separately", async () => {
    const limiter = rateLimiter({ limitPerMinute: 1 });
    await limiter.take("a");
    const [a, b] = [await limiter.take("a"), await limiter.take("b")];
    expect([a?.allowed, b?.allowed]).toEqual([false, true]);
  });

  it("does not exist if it is 0", async () => {
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

describe("a limit of failed attempts", () => {
  const NETWORK = "192.0.2.1";
  const TOO_MANY = { kind: "rate_limited", retryAfterSeconds: 60 };
  /** The lookups, in order. */
  let looks: string[];
  let goodKeys: Set<string>;
  let limiter: FailureLimiter;
  beforeEach(() => {
    looks = [];
    goodKeys = new Set(["good"]);
    limiter = failureLimiter({ limitPerMinute: 3 });
  });

  const attempt = (credential: string, network = NETWORK) =>
    limiter.attempt(network, credential, async () => {
      looks.push(credential);
      await Promise.resolve();
      return goodKeys.has(credential) ? `account of ${credential}` : null;
    });
  const fail = async (times: number) => {
    for (let at = 0; at < times; at++) expect(await attempt(`bad ${at}`)).toBe(null);
  };

  it("refuses a network after its last allowed failure, and no other network", async () => {
    await fail(3);
    pass(500);
    await expect(attempt("good")).rejects.toMatchObject({ ...TOO_MANY, retryAfterSeconds: 60 });
    expect(await attempt("good", "192.0.2.2")).toBe("account of good");
    pass(59_499);
    await expect(attempt("bad")).rejects.toMatchObject({ ...TOO_MANY, retryAfterSeconds: 1 });
    pass(1);
    expect(await attempt("good")).toBe("account of good");
  });

  it("looks up no more guesses than that, however many come at once", async () => {
    const guesses = Array.from({ length: 4_000 }, (_, at) => attempt(`guess ${at}`).catch(String));
    const answers = await Promise.all(guesses);
    expect(looks).toEqual(["guess 0", "guess 1", "guess 2"]);
    expect(answers.filter((answer) => answer === null)).toHaveLength(3);
  });

  it("looks up no more than that if one guess comes many times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => attempt("bad").catch(String)));
    expect(looks).toHaveLength(3);
    expect(answers.filter((answer) => answer === null)).toHaveLength(3);
  });

  it("counts nothing for a valid credential, however often it comes at once", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => attempt("good")));
    expect(new Set(answers)).toEqual(new Set(["account of good"]));
    await fail(3);
    await expect(attempt("bad")).rejects.toMatchObject(TOO_MANY);
  });

  it("never refuses a credential that was valid from the same network", async () => {
    goodKeys.add("elsewhere");
    await attempt("good");
    await attempt("elsewhere", "192.0.2.2");
    await fail(3);
    expect(await attempt("good")).toBe("account of good");
    await expect(attempt("elsewhere")).rejects.toMatchObject(TOO_MANY);
  });

  it("remembers it for a day after its last use, to the hour", async () => {
    await attempt("good");
    pass(3_600_000);
    await attempt("good");
    pass(86_400_000 - 1);
    await fail(3);
    expect(await attempt("good")).toBe("account of good");
  });

  it("counts a credential that was valid and is revoked", async () => {
    await attempt("good");
    goodKeys.clear();
    expect(await attempt("good")).toBe(null);
    await fail(2);
    await expect(attempt("good")).rejects.toMatchObject(TOO_MANY);
  });

  it("does not count an attempt whose lookup fails for another reason", async () => {
    const broken = () => Promise.reject(new Error("away"));
    for (let at = 0; at < 10; at++) {
      await expect(limiter.attempt(NETWORK, "good", broken)).rejects.toThrow("away");
    }
    expect(await attempt("good")).toBe("account of good");
  });
});
