import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { changeAccount } from "../../support/payouts.ts";
import { makeReward, offer } from "../../support/money.ts";
import { rounds } from "../../support/rounds.ts";
import { send } from "../../support/v1.ts";
import { company, join } from "../../support/v2.ts";

const HOUR_MS = 60 * 60 * 1_000;

let app: TestApp;
let elapsedMs: number;
beforeEach(begin);
afterEach(() => app.close());

/** Starts a program without sales: a promoter who earns a tenth, and payouts that are due after fifteen days. */
async function begin(): Promise<void> {
  app = await startApp();
  elapsedMs = 0;
  await changeAccount(app.context, app.account_id, {
    created_at: "2025-01-01T00:00:00.000Z",
    net_payout_days: 15,
  });
  await join(app, "jane@example.com", { ref_id: "jane" });
  await offer(app, await makeReward(app));
}

/** Lets the jobs of a new process run at a moment. */
async function runJobs(now: string): Promise<void> {
  app.setNow(now);
  const jobs = newJobs(app.services, () => elapsedMs);
  elapsedMs += HOUR_MS;
  for (let pass = 0; pass < 3; pass++) await jobs.pass();
  await jobs.stop();
}

async function sell(created_at: string, amount = 10_000): Promise<void> {
  app.setNow(created_at);
  const event_id = `inv_${created_at}_${amount}`;
  const sale = { email: "sam@example.com", ref_id: "jane", event_id, amount: String(amount), created_at };
  expect((await app.v1("/track/sale", sale)).status).toBe(200);
}

const msOf = (instant: unknown) => Date.parse(String(instant));
const secondOf = (instant: unknown) => String(instant).replace(/\.\d{3}Z$/, "Z");
const setZone = (time_zone: string) => company(app, "PATCH /account", { time_zone });
type Shown = Record<string, unknown>;
/** As V1 shows them. */
const dueDates = async () =>
  ((await send(app, "GET /payouts/list")).body as Shown[]).map((payout) => payout["due_date"]);
const list = async (path: string) => (await company(app, `GET /${path}`)).body as Shown[];

it("puts a sale on 1 November, 00:30 in Berlin, into November", async () => {
  expect((await setZone("Europe/Berlin")).status).toBe(200);
  await sell("2026-10-31T22:59:59.999Z", 1_000);
  await sell("2026-10-31T23:30:00.000Z", 2_000);
  await runJobs("2026-10-31T23:31:00.000Z");
  const october = { period_start: "2026-09-30T22:00:00.000Z", period_end: "2026-10-31T22:59:59.999Z" };
  expect(await list("payout_runs")).toMatchObject([{ group_ref: "2026-10", ...october, payouts_count: 1 }]);
  expect(await list("payouts")).toMatchObject([
    { amount: 100, period_start: "2026-09-30T22:00:00Z", period_end: "2026-10-31T22:59:59Z" },
  ]);
  expect(await dueDates()).toEqual(["2026-11-15T00:00:00.000Z"]);
  const { body: preview } = await company(app, "GET /payout_runs/preview");
  expect(preview).toMatchObject({
    data: [{ amount: 200 }],
    meta: {
      group_ref: "2026-11",
      period_start: "2026-10-31T23:00:00.000Z",
      period_end: "2026-11-30T22:59:59.999Z",
    },
  });
  await runJobs("2026-11-30T22:59:59.999Z");
  expect(await list("payout_runs")).toHaveLength(1);
  await runJobs("2026-11-30T23:00:00.000Z");
  expect(await list("payouts?filters[group_ref]=2026-11")).toMatchObject([{ amount: 200 }]);
  expect(await dueDates()).toEqual(["2026-11-15T00:00:00.000Z", "2026-12-15T00:00:00.000Z"]);
});

it("names the last day and the due date west of Greenwich, and counts today there", async () => {
  await setZone("America/New_York");
  await sell("2026-10-15T12:00:00.000Z");
  await runJobs("2026-11-01T04:00:00.000Z");
  expect(await list("payouts")).toMatchObject([{ period_end: "2026-11-01T03:59:59Z" }]);
  expect(await dueDates()).toEqual(["2026-11-15T00:00:00.000Z"]);
  const overdue = async () => (await list("payouts?filters[due_period]=overdue")).length;
  const meta = async () =>
    ((await company(app, "GET /payouts/group_by_promoters")).body as { meta: Shown }).meta;
  app.setNow("2026-11-16T04:59:59.999Z");
  expect([await overdue(), await meta()]).toMatchObject([
    0,
    { due_date: "2026-11-15", period_end: "2026-10-31" },
  ]);
  const { body: due } = await company(app, "GET /payouts/due_stats");
  expect(due).toMatchObject({ data: { next: { due_date: "2026-11-15", period_end: "2026-10-31" } } });
  app.setNow("2026-11-16T05:00:00.000Z");
  expect(await overdue()).toBe(1);
});

describe("a hold of 30 days", () => {
  beforeEach(() => company(app, "PUT /campaigns/1", { commission_hold_days: 30 }));

  it.each([
    ["UTC", "2026-10-10T12:00:00.000Z", "2026-11-09T12:00:00.000Z"],
    // 14:00 by summer time is 12:00, 14:00 by winter time is 13:00.
    ["Europe/Berlin", "2026-10-10T12:00:00.000Z", "2026-11-09T13:00:00.000Z"],
    ["Europe/Berlin", "2027-03-01T13:00:00.000Z", "2027-03-31T12:00:00.000Z"],
  ])("in %s, since %s, ends at %s", async (zone, soldAt, endsAt) => {
    await setZone(zone);
    await sell(soldAt);
    const status = async () => (await list("commissions"))[0]?.["status"];
    await runJobs(new Date(Date.parse(endsAt) - 1).toISOString());
    expect(await status()).toBe("pending");
    await runJobs(endsAt);
    expect(await status()).toBe("approved");
  });
});

it("leaves no gap, no overlap and no commission in two payouts, whenever the account changes its zone", async () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Niue"];
  const step = fc.record({ zone: fc.constantFrom(null, ...zones), hours: fc.integer({ min: 1, max: 300 }) });
  const cycle = fc.constantFrom("monthly", "biweekly", "weekly");
  await fc.assert(
    fc.asyncProperty(cycle, fc.array(step, { minLength: 12, maxLength: 24 }), async (payout_cycle, steps) => {
      await app.close();
      await begin();
      await company(app, "PATCH /account", { payout_cycle });
      let now = Date.parse("2026-09-28T22:30:00.000Z");
      for (const { zone, hours } of steps) {
        now += hours * HOUR_MS;
        if (zone !== null) await setZone(zone);
        await sell(new Date(now).toISOString());
        await runJobs(new Date(now + 1).toISOString());
      }
      const runs = (await list("payout_runs?per_page=100")).toReversed();
      const longestMs = { monthly: 31, biweekly: 14, weekly: 7 }[payout_cycle]! * 24 * HOUR_MS;
      for (const [at, { period_start, period_end }] of runs.entries()) {
        const next = runs[at + 1];
        const gapMs = next === undefined ? 0 : msOf(next["period_start"]) - msOf(period_end) - 1;
        // Without a sale for so long, a whole period has no run of its own.
        if (gapMs !== 0) expect(gapMs).toBeGreaterThan(27 * HOUR_MS);
        expect(msOf(period_end) - msOf(period_start)).toBeLessThan(longestMs + 27 * HOUR_MS);
      }
      const paidIds: unknown[] = [];
      for (const { group_ref, period_start, period_end } of runs) {
        for (const payout of await list(
          `payouts?filters[group_ref]=${encodeURIComponent(String(group_ref))}`,
        )) {
          const own = await list(`commissions?filters[payout_id]=${String(payout["id"])}&per_page=100`);
          const seconds = { period_start: secondOf(period_start), period_end: secondOf(period_end) };
          expect(payout).toMatchObject({ ...seconds, amount: own.length * 1_000 });
          for (const { created_at } of own) expect(msOf(created_at)).toBeLessThanOrEqual(msOf(period_end));
          paidIds.push(...own.map(({ id }) => id));
        }
      }
      const lastEnd = msOf(runs.at(-1)?.["period_end"] ?? 0);
      const over = (await list("commissions?per_page=100")).filter(
        (made) => msOf(made["created_at"]) <= lastEnd,
      );
      const ids = (records: unknown[]) => records.map(Number).toSorted((one, other) => one - other);
      expect(ids(paidIds)).toEqual(ids(over.map(({ id }) => id)));
    }),
    { numRuns: rounds(3, 40) },
  );
});
