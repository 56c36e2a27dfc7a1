import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { fillRates, runOrdered, standingsHere, standingsThere } from "../../support/migrations.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

let app: TestApp;
let standIn: StandIn;
let folder: string;
beforeEach(async () => {
  app = await startApp();
  standIn = await startRewardful();
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  await fillRates(app.context.store, app.account_id);
});
afterEach(async () => {
  await standIn.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

const order = (body: object) => app.v2("POST", "/migrations", body);
const run = () => runOrdered(app, { folder, baseUrl: standIn.url });
const show = async (id = 1) => (await app.v2("GET", `/migrations/${id}`)).body as Record<string, unknown>;

const FRESH = {
  id: 1,
  program: "rewardful",
  status: "waiting",
  dry_run: false,
  progress: null,
  error: null,
  counts: {},
  remarks: [],
  remarks_count: 0,
  promoters_compared: 0,
  promoters_that_differ: 0,
  differences: [],
  created_at: expect.any(String),
  finished_at: null,
};

it("takes a program over in the background, and forgets the key", async () => {
  const ordered = await order({ program: "rewardful", key: standIn.key });
  expect([ordered.status, ordered.body]).toEqual([200, FRESH]);
  await run();
  const done = await show();
  expect(done).toMatchObject({ status: "done", error: null, promoters_that_differ: 0, differences: [] });
  expect(done["promoters_compared"]).toBe(standIn.truth.length);
  expect(await standingsHere(app.context.store, standIn.truth)).toEqual(standingsThere(standIn.truth));
  expect(await app.stored.placesOf(standIn.key)).toEqual([]);
  const listed = await app.v2("GET", "/migrations");
  expect(listed.body).toEqual([done]);
  const report = await app.request("/api/v2/company/migrations/1/report", {
    headers: { authorization: "Bearer key-of-acme", "account-id": "acme" },
  });
  expect(report.headers.get("content-disposition")).toBe('attachment; filename="migration-1.csv"');
  expect((await report.text()).split("\r\n")).toHaveLength(standIn.truth.length + 2);
});

it("tries it out without writing a promoter", async () => {
  await order({ program: "rewardful", key: standIn.key, dry_run: true });
  await run();
  expect(await show()).toMatchObject({ status: "done", dry_run: true, promoters_that_differ: 0 });
  expect(await app.records.count("promoter")).toBe(0);
});

it("says why it failed", async () => {
  await order({ program: "rewardful", key: "wrong" });
  await run();
  expect(await show()).toMatchObject({ status: "failed", error: expect.stringContaining("Rewardful") });
  expect((await app.v2("GET", "/migrations/1/report")).status).toBe(404);
  expect((await order({ program: "rewardful", key: standIn.key })).status).toBe(200);
});

it("goes on after a restart", async () => {
  await order({ program: "rewardful", key: standIn.key });
  await app.records.change("migration", 1, { status: "running" });
  await run();
  expect(await show()).toMatchObject({ status: "done" });
});

it("refuses a second one, and what it can't use", async () => {
  await order({ program: "rewardful", key: "one" });
  expect((await order({ program: "rewardful", key: "two" })).status).toBe(422);
  const faults = async (body: object) => ((await order(body)).body as { message: string }).message;
  expect(await faults({ program: "other", key: "k" })).toContain("program is not one of rewardful");
  expect(await faults({ program: "dub" })).toContain("key can't be blank without from_archive");
  expect((await app.v2("GET", "/migrations/7")).status).toBe(404);
});

it("is in the audit log without the key", async () => {
  await order({ program: "rewardful", key: "sesame" });
  const { body } = await app.v2("GET", "/audit_log?filters[entity]=migration");
  expect(JSON.stringify(body)).toContain('"key":"hidden"');
  expect(JSON.stringify(body)).not.toContain("sesame");
});
