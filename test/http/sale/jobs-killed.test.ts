import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSeal } from "../../../server/seal.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { type Engine, newStore } from "../../support/memory-engine.ts";
import { findFaults } from "../../../server/transfer/check.ts";
import { NOW, countedChance, startApp, type TestApp } from "../../support/app.ts";
import type { Entry } from "../../support/entries.ts";
import { breaches } from "../../support/money-laws.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { mortalEngine } from "../../support/mortal-engine.ts";
import { company, join } from "../../support/v2.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Longer than a lease, and than the rest of each job. */
const LATER_MS = 2 * 60 * 60 * 1_000;

/** A store in which jobs make four instalments for each of three people, approve what was held, and pay. */
let app: TestApp;
let entries: Entry[];
let accountId: number;
beforeAll(async () => {
  app = await startApp();
  accountId = app.account_id;
  for (const name of ["jane", "bob", "zoe"]) await join(app, `${name}@example.com`, { ref_id: name });
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
  const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_commission_mode" };
  await offer(app, await makeReward(app), await makeReward(app, [{ amount: 10 }], tier));
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  await company(app, "PUT /referrals/1", {
    split_details: [{ promoter_campaign_id: 3, percentage: 33.3333 }],
  });
  const sell = (event_id: string, more: object = {}) =>
    trackV2(app, "sale", { email: "lead@example.com", event_id, amount: 10_000, ...more });
  await sell("inv_1", { start_recurring_reward_in: 10, recurring_reward_frequency: 12, max_recurring: 3 });
  await company(app, "PUT /campaigns/1", { commission_hold_days: 14 });
  await sell("inv_2");
  await trackV2(app, "refund", { email: "lead@example.com", event_id: "re_1", amount: 2_500 });
  expect(app.bugs).toEqual([]);
  entries = await app.stored.entries();
});
afterAll(() => app.close());

/** The engine of the store as it was before any job. */
async function filled(): Promise<Engine> {
  await app.stored.restore(entries);
  return app.stored.engine;
}

/** Lets the jobs of one process run, so many days after the sales. Returns their errors. */
async function work(engine: Engine, days: number, passes = 3): Promise<string[]> {
  let elapsedMs = 0;
  const errors: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void errors.push(line) });
  const clock = () => new Date(Date.parse(NOW) + days * DAY_MS);
  const chance = countedChance();
  const logOutage = () => void errors.push("outage");
  const seal = newSeal([]);
  const { public_url, vies } = app.services;
  const jobs = newJobs(
    { store: newStore(engine), clock, chance, seal, vies, log, logOutage, public_url },
    () => elapsedMs,
  );
  for (let pass = 0; pass < passes; pass++) {
    await jobs.pass().catch(() => {});
    elapsedMs += LATER_MS;
  }
  return errors;
}

/** What the jobs have made. */
async function made(engine: Engine) {
  const store = newStore(engine);
  const faults: string[] = [];
  for await (const fault of findFaults(engine)) faults.push(fault);
  expect([faults, await breaches(store, accountId)]).toEqual([[], []]);
  return {
    commissions: (await app.records.all("commission")).map(
      ({ promoter_id, amount, status, created_at, payout_id }) =>
        `${promoter_id} ${amount} ${status} ${created_at.slice(0, 10)}${payout_id === null ? "" : " in a payout"}`,
    ),
    payouts: (await app.records.all("payout")).map(
      ({ promoter_id, amount, group_ref }) => `${promoter_id} ${amount} ${group_ref}`,
    ),
    waiting: await app.records.count("instalment"),
  };
}

/** The commissions of a sale of which a quarter was refunded. */
const HELD = [
  "3 333 approved 2026-03-04",
  "1 667 approved 2026-03-04",
  "2 100 approved 2026-03-04",
  "3 -83 approved 2026-03-04",
  "1 -167 approved 2026-03-04",
  "2 -25 approved 2026-03-04",
];
/** Four instalments of another one. */
const INSTALMENTS = ["2026-03-14", "2026-03-26", "2026-04-07", "2026-04-19"].flatMap((day) =>
  ["3 333", "1 667", "2 100"].map((earned) => `${earned} approved ${day}`),
);
const PAYOUTS = ["1 500 2026-03", "2 75 2026-03", "3 250 2026-03"];
/** After 45 days. The third instalment is held, and the fourth is to come. */
const ONCE = {
  commissions: [
    ...HELD.map((each) => `${each} in a payout`),
    ...INSTALMENTS.slice(0, 9).map((each) => each.replace("approved 2026-04", "pending 2026-04")),
  ],
  payouts: PAYOUTS,
  waiting: 1,
};

describe("instalments, held commissions and payouts", () => {
  it("come once if nothing happens", async () => {
    const engine = await filled();
    expect(await work(engine, 45)).toEqual([]);
    expect(await made(engine)).toEqual(ONCE);
  });

  it.each([
    ["before", false],
    ["after", true],
  ])("come once if the process is killed, %s any of its commits is written", async (_, isWritten) => {
    for (let afterCommits = 0; ; afterCommits++) {
      const engine = await filled();
      const mortal = mortalEngine(engine);
      mortal.kill({ afterCommits, isWritten });
      await work(mortal.engine, 45);
      expect(await work(engine, 45)).toEqual([]);
      expect(await made(engine)).toEqual(ONCE);
      if (!mortal.isDead()) return expect(afterCommits).toBeGreaterThan(12);
    }
  });

  it("come once if several processes are killed one after the other", async () => {
    for (let afterCommits = 1; afterCommits < 6; afterCommits++) {
      const engine = await filled();
      for (let deaths = 0; deaths < 10; deaths++) {
        const mortal = mortalEngine(engine);
        mortal.kill({ afterCommits: afterCommits + (deaths % 2), isWritten: deaths % 3 === 0 });
        await work(mortal.engine, 45);
      }
      expect(await work(engine, 45)).toEqual([]);
      expect(await made(engine)).toEqual(ONCE);
    }
  });

  it("come once if the clock jumps back and forth", async () => {
    const engine = await filled();
    for (const days of [45, 5, 45, -400, 15, 45]) expect(await work(engine, days)).toEqual([]);
    expect(await made(engine)).toEqual(ONCE);
  });

  it("come on their own days if the clock was ahead for a while", async () => {
    const engine = await filled();
    for (const days of [400, 5, 45]) expect(await work(engine, days)).toEqual([]);
    const { commissions: earned, payouts: paid, waiting } = await made(engine);
    const plain = earned.map((each) => each.replace(" in a payout", ""));
    expect([plain, waiting]).toEqual([[...HELD, ...INSTALMENTS], 0]);
    // The run of the wrong month has paid the held commissions. That of the right one pays the rest of March.
    const early = PAYOUTS.map((each) => each.replace("2026-03", "2027-03"));
    expect(paid).toEqual([...early, "1 1334 2026-03", "2 200 2026-03", "3 666 2026-03"]);
  });
});
