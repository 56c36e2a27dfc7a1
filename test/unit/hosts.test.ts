import { describe, expect, it } from "vitest";
import {
  choosePrimary,
  readHosts,
  type Primary,
  type ServerReport,
} from "../../server/storage/engines/postgres/servers.ts";

describe("a list of hosts", () => {
  it.each([
    ["postgres://a/db", ["a"], ["postgres://a/db"]],
    [
      "postgresql://me:p%2Cw@a:1,b/db?sslmode=require",
      ["a:1", "b"],
      ["postgresql://me:p%2Cw@a:1/db?sslmode=require", "postgresql://me:p%2Cw@b/db?sslmode=require"],
    ],
    [
      "postgres://me:a,b@[::1]:5432,10.0.0.1:5433",
      ["[::1]:5432", "10.0.0.1:5433"],
      ["postgres://me:a,b@[::1]:5432", "postgres://me:a,b@10.0.0.1:5433"],
    ],
    ["postgres:///db?host=/run/postgresql", [""], ["postgres:///db?host=/run/postgresql"]],
  ])("%s names each with a URL of its own", (url, names, urls) => {
    const hosts = readHosts(url);
    expect(hosts.map(({ name }) => name)).toEqual(names);
    expect(hosts.map((host) => host.url)).toEqual(urls);
  });
});

/** `null` for a standby. */
function report(name: string, timeline: number | null, more: Partial<ServerReport> = {}): ServerReport {
  return { host: { name, url: "" }, system: "1", timeline, knownTimeline: timeline ?? 0, ...more };
}

const lastOn = (name: string, timeline: number) => report(name, timeline) as Primary;

describe("the server that is written to", () => {
  it.each<[string, ServerReport[], Primary | null, string | null, string[]]>([
    ["is nobody where nobody answers", [], null, null, []],
    ["is nobody among standbys", [report("a", null), report("b", null)], null, null, []],
    ["is the one that accepts writes", [report("a", null), report("b", 1)], null, "b", []],
    [
      "is the one on the newest timeline, in whichever order they are named",
      [report("a", 1), report("b", 2)],
      null,
      "b",
      ["a accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere"],
    ],
    [
      "is nobody if only one on an older timeline than before answers",
      [report("a", 1)],
      lastOn("b", 2),
      null,
      ["a accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere"],
    ],
    [
      "is nobody if a standby knows of a newer timeline",
      [report("a", 1), report("c", null, { knownTimeline: 2 })],
      null,
      null,
      ["a accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere"],
    ],
    ["goes over to a newer timeline", [report("a", null), report("b", 3)], lastOn("a", 2), "b", []],
    [
      "is nobody if two were promoted at once",
      [report("b", 2), report("c", 2)],
      lastOn("a", 1),
      null,
      ["b and c both accept writes on timeline 2"],
    ],
    [
      "stays the same if another one was promoted as well",
      [report("b", 2), report("c", 2)],
      lastOn("c", 2),
      "c",
      ["b and c both accept writes on timeline 2"],
    ],
    [
      "is nobody if they hold different databases",
      [report("a", 1), report("b", 1, { system: "2" })],
      null,
      null,
      ["a and b hold different databases"],
    ],
    [
      "is never one with another database, however new its timeline is",
      [report("a", 7, { system: "2" })],
      lastOn("a", 1),
      null,
      ["a holds another database"],
    ],
  ])("%s", (_, reports, last, name, refusals) => {
    const chosen = choosePrimary(reports, last, false);
    expect(chosen.primary?.host.name ?? null).toBe(name);
    expect(chosen.refusals).toEqual(refusals);
  });

  const ENDED = "a accepts writes on timeline 1, which ended: timeline 3 has begun elsewhere";

  it.each<[string, ServerReport[], string | null, string[]]>([
    ["is one on an older timeline", [report("a", 1), report("b", null, { knownTimeline: 1 })], "a", []],
    [
      "is the newest of several",
      [report("a", 1), report("b", 2)],
      "b",
      ["a accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere"],
    ],
    [
      "is nobody if a standby follows that timeline",
      [report("a", 1), report("b", null, { knownTimeline: 3 })],
      null,
      [ENDED],
    ],
    ["is nobody if a standby follows a later one", [report("b", null, { knownTimeline: 4 })], null, []],
    [
      "is nobody if a host has another database",
      [report("a", 1), report("b", 3, { system: "2" })],
      null,
      ["b holds another database", ENDED],
    ],
  ])("%s, where all answer and the last timeline was 3", (_, reports, name, refusals) => {
    const chosen = choosePrimary(reports, lastOn("b", 3), true);
    expect([chosen.primary?.host.name ?? null, chosen.refusals]).toEqual([name, refusals]);
  });
});
