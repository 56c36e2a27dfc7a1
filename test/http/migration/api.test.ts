import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { newGet } from "../../../server/transfer/migration/api.ts";
import { dub } from "../../../server/transfer/migration/sources/dub.ts";
import { rewardful } from "../../../server/transfer/migration/sources/rewardful.ts";
import { startDub } from "../../support/sources/dub.ts";
import { quickReach } from "../../support/sources/reading.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function started(): Promise<StandIn> {
  const standIn = await startRewardful();
  open.push(standIn);
  return standIn;
}

function getter(standIn: StandIn, reach = quickReach(), key = standIn.key) {
  const get = newGet(rewardful, { key, baseUrl: `${standIn.url}/`, reach });
  return { reach, ask: () => get("/campaigns", { limit: 1 }) };
}

it("sends no more requests within a span than the source allows", async () => {
  const standIn = await started();
  const reach = quickReach();
  const times: number[] = [];
  standIn.before = () => void times.push(reach.now());
  const { ask } = getter(standIn, reach);
  for (let count = 0; count < 130; count += 1) await ask();
  for (const [place, time] of times.entries()) {
    const within = times.slice(place).filter((other) => other < time + 30_000);
    expect(within.length).toBeLessThanOrEqual(45);
  }
  expect(reach.waits).toHaveLength(3);
});

const BUSY: [name: string, headers: Record<string, string>, waitMs: number][] = [
  ["Retry-After in seconds", { "retry-after": "7" }, 7_000],
  ["Retry-After as a date", { "retry-after": "Mon, 01 Jun 2026 00:01:00 GMT" }, 60_000],
  ["X-RateLimit-Reset in seconds since 1970", { "x-ratelimit-reset": "1780272090" }, 90_000],
  ["X-RateLimit-Reset in milliseconds", { "x-ratelimit-reset": "1780272020000" }, 20_000],
  ["RateLimit-Reset", { "ratelimit-reset": "12" }, 12_000],
  ["RateLimit of older drafts", { ratelimit: "limit=45, remaining=0, reset=13" }, 13_000],
  ["RateLimit of newer drafts", { ratelimit: '"default";r=0;t=14' }, 14_000],
  ["nothing", {}, 30_000],
];

it.each(BUSY)("waits as long as a busy source says by %s", async (_, headers, waitMs) => {
  const standIn = await started();
  standIn.faults.push({ status: 429, headers, body: { error: "slow down" } });
  const { ask, reach } = getter(standIn);
  expect(await ask()).toHaveProperty("data");
  const waited = reach.waits.reduce((sum, ms) => sum + ms, 0);
  expect(Math.abs(waited - waitMs)).toBeLessThan(100);
});

it("waits until the window ends if an answer says that nothing is left of it", async () => {
  const standIn = await started();
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1780272030" };
  standIn.faults.push({ status: 200, headers, body: { data: [] } });
  const { ask, reach } = getter(standIn);
  await ask();
  expect(reach.waits).toEqual([]);
  await ask();
  expect(reach.waits).toHaveLength(1);
  expect(Math.abs(reach.waits[0]! - 30_000)).toBeLessThan(100);
});

it("gives up if a source wants to rest for longer than an hour, or stays busy", async () => {
  const standIn = await started();
  standIn.faults.push({ status: 429, headers: { "retry-after": "7200" } });
  await expect(getter(standIn).ask()).rejects.toThrow("Rewardful allows no requests for 120 minutes");
  for (let count = 0; count < 51; count += 1) standIn.faults.push({ status: 429 });
  await expect(getter(standIn).ask()).rejects.toThrow("Rewardful stays busy: 429");
});

it("asks again with growing delays after errors, cut answers and dropped connections", async () => {
  const standIn = await started();
  const html = { status: 502, headers: { "content-type": "text/html" }, body: "<html>" };
  standIn.faults.push({ status: 500 }, "cut", "drop", html, { status: 503 });
  const { ask, reach } = getter(standIn);
  expect(await ask()).toHaveProperty("data");
  expect(reach.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});

it("says clearly that a source does not answer in the end", async () => {
  const standIn = await started();
  for (let count = 0; count < 9; count += 1) standIn.faults.push({ status: 503, body: { message: "down" } });
  const { ask, reach } = getter(standIn);
  await expect(ask()).rejects.toMatchObject({
    kind: "refused",
    message:
      "Rewardful does not answer: 503 down. What was read before is kept, and the next start continues from there.",
  });
  expect(reach.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

it("says in one sentence that the key was refused, and asks only once", async () => {
  const { ask, reach } = getter(await started(), quickReach(), "wrong-key");
  await expect(ask()).rejects.toMatchObject({
    kind: "refused",
    message: "The key was refused by Rewardful. It needs the API secret of the company's settings.",
  });
  expect(reach.waits).toEqual([]);
});

it("refuses a key with letters that no key has, and does not ask", async () => {
  const standIn = await startDub();
  const keyed = () => newGet(dub, { key: "ключ", baseUrl: standIn.url, reach: quickReach() });
  expect(keyed).toThrow(
    "The key has letters that no key has. Dub needs an API key of the workspace that has the program.",
  );
  await standIn.close();
});

it("shows the reason of a refusal, but never the key", async () => {
  const standIn = await started();
  standIn.faults.push({ status: 403, body: { error: { message: `Key ${standIn.key} has no plan` } } });
  await expect(getter(standIn).ask()).rejects.toMatchObject({
    kind: "forbidden",
    message: "Rewardful refuses /campaigns: 403 Key … has no plan",
  });
});

it("follows no redirect, which could carry the key away", async () => {
  const standIn = await started();
  standIn.faults.push({ status: 302, headers: { location: "http://elsewhere.example/" } });
  await expect(getter(standIn).ask()).rejects.toThrow("Rewardful refuses /campaigns: 302");
});

it("gives up a request that has no answer in time, and asks again", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked > 1) response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  const { port } = server.address() as AddressInfo;
  const reach = { ...quickReach(), timeoutMs: 50 };
  const get = newGet(rewardful, { key: "key", baseUrl: `http://127.0.0.1:${port}`, reach });
  expect(await get("/campaigns")).toEqual({});
  expect(reach.waits[0]).toBe(1_000);
});
