import type { LookupAddress, LookupOptions } from "node:dns";
import { describe, expect, it } from "vitest";
import { newLookup, newResolve, type Resolve } from "../../server/outgoing/lookup.ts";

const four = (address: string): LookupAddress => ({ address, family: 4 });
const six = (address: string): LookupAddress => ({ address, family: 6 });

/** The result that a connection gets. */
function lookUp(found: LookupAddress[] | Error, { allowsPrivate = false, all = true } = {}) {
  const resolve: Resolve = async () => {
    if (found instanceof Error) throw found;
    return found;
  };
  const options: LookupOptions = { all };
  return new Promise((done) => {
    newLookup({ allowsPrivate, resolve })("host.example", options, (error, address, family) =>
      done(error?.message ?? (all ? address : [address, family])),
    );
  });
}

describe("the lookup of a connection", () => {
  it("drops private addresses, and refuses if no other is left", async () => {
    const found = [four("10.0.0.1"), four("8.8.8.8"), six("::ffff:127.0.0.1"), six("2606:4700::1111")];
    const refusal = "host.example is a private or internal address";
    expect(await lookUp(found)).toEqual([four("8.8.8.8"), six("2606:4700::1111")]);
    expect(await lookUp(found, { all: false })).toEqual(["8.8.8.8", 4]);
    expect(await lookUp([four("127.0.0.1")])).toBe(refusal);
    expect(await lookUp([])).toBe(refusal);
    expect(await lookUp([four("127.0.0.1")], { allowsPrivate: true })).toEqual([four("127.0.0.1")]);
  });

  it("passes on the error of a name", async () => {
    expect(await lookUp(new Error("queryA ETIMEOUT"))).toBe("queryA ETIMEOUT");
  });
});

describe("asking the system for names, which takes a thread each time", () => {
  it("happens for two names at a time, and once for several callers with the same name", async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const resolve = newResolve((host) => {
      asked.push(host);
      return new Promise((answer) => answers.push(() => answer([four("10.0.0.1")])));
    });
    const found = ["one", "one", "two", "three", "four"].map((host) => resolve(host));
    await Promise.resolve();
    expect(asked).toEqual(["one", "two"]);
    answers[0]!();
    await Promise.all(found.slice(0, 2));
    expect(asked).toEqual(["one", "two", "three"]);
    answers[1]!();
    await found[2];
    expect(asked).toEqual(["one", "two", "three", "four"]);
    for (const answer of answers) answer();
    expect(await Promise.all(found)).toEqual(found.map(() => [four("10.0.0.1")]));
    const again = resolve("one");
    expect(asked).toHaveLength(5);
    answers[4]!();
    await again;
  });

  it("continues after a failure", async () => {
    let count = 0;
    const resolve = newResolve(async () => {
      if (count++ < 3) throw new Error("no such name");
      return [four("10.0.0.1")];
    });
    const results = await Promise.allSettled(["a", "b", "c", "d"].map((host) => resolve(host)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
  });
});
