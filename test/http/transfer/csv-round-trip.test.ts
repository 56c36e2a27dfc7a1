import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMISSIONS } from "../../../server/transfer/csv/commissions.ts";
import type { Kind } from "../../../server/transfer/csv/import.ts";
import { importCsv } from "../../support/csv.ts";
import { LEADS } from "../../../server/transfer/csv/leads.ts";
import { PROMOTERS } from "../../../server/transfer/csv/promoters.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { makeReward, offer, balancesOf } from "../../support/money.ts";
import { statsOf } from "../../support/stats.ts";
import { join } from "../../support/v2.ts";

let folder: string;
let from: TestApp;
let to: TestApp;
beforeEach(async () => {
  folder = mkdtempSync(pathOf(tmpdir(), "tidemark-"));
  [from, to] = await Promise.all([startApp(), startApp()]);
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect([...from.bugs, ...to.bugs]).toEqual([]);
  await Promise.all([from.close(), to.close()]);
});

/** Takes a file out of the one program and imports it into the other. */
async function carry(name: string, kind: Kind, target = to) {
  const { body } = await from.v2("GET", `/exports/${name}`);
  const file = pathOf(folder, `${name}.csv`);
  writeFileSync(file, body as string);
  const bad: string[] = [];
  const onBad = (line: number, reason: string) => void bad.push(`${line}: ${reason}`);
  const form = { kind, file, delimiter: ",", onUnknown: () => {}, onBad };
  return {
    ...(await importCsv(target.context, await accountOf(target), form)),
    bad: bad.length === 0 ? 0 : bad,
  };
}

const factsOf = async (app: TestApp, promoterId: number) => {
  const {
    sales,
    sales_cents,
    refunds,
    refunds_cents,
    commissions: count,
    earnings_cents,
  } = await statsOf(app.services.store, app.account_id, promoterId);
  return { sales, sales_cents, refunds, refunds_cents, count, earnings_cents };
};

it("exported commissions give the same balances when they are imported, with all that refunds took back", async () => {
  await join(from, "zoe@example.com", { ref_id: "zoe" });
  await join(from, "jane@example.com", { ref_id: "jane", parent_promoter_id: "1" });
  const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
  const parent = await makeReward(from, [{ amount: 5 }], tier);
  await offer(
    from,
    await makeReward(from, [{ amount: 25 }, { unit: "points", amount: 7, flat_amount: true }]),
    parent,
  );
  for (const email of ["sam@example.net", "kim@example.net"]) {
    await from.v1("/track/signup", { email, ref_id: "jane" });
    await from.v1("/track/sale", { email, event_id: `order-${email}`, amount: "10050" });
  }
  const paid = await from.v2("POST", "/commissions/generate_payouts", { ids: [1, 2] });
  expect(paid.status).toBe(200);
  expect((await from.v2("POST", "/payouts/mark_as_paid", { ids: [1] })).status).toBe(200);
  await from.v1("/track/refund", { email: "sam@example.net", event_id: "refund-1", amount: "10050" });
  await from.v1("/track/refund", { email: "kim@example.net", event_id: "refund-2", amount: "3333" });

  const counts = { changed: 0, known: 0, bad: 0 };
  expect(await carry("promoters", PROMOTERS)).toEqual({ ...counts, added: 2 });
  expect(await carry("referrals", LEADS)).toEqual({ ...counts, added: 2 });
  expect(await carry("commissions", COMMISSIONS)).toEqual({ ...counts, added: 12 });
  expect(await carry("commissions", COMMISSIONS)).toEqual({ ...counts, added: 0, known: 12 });

  for (const id of [1, 2]) {
    expect(await balancesOf(to, id)).toEqual(await balancesOf(from, id));
    // A sale counts once, although it gave cash and points, and something to a parent.
    expect(await factsOf(to, id)).toEqual(await factsOf(from, id));
  }
  // What refunds took back in points is still to be subtracted.
  const owed = async (app: TestApp) => {
    const unpaid = (await app.records.all("commission")).filter(
      ({ payout_id, status, is_paid_elsewhere }) =>
        payout_id === null && status === "approved" && !is_paid_elsewhere,
    );
    return unpaid.flatMap(({ unit, amount }) => (unit === "points" && amount < 0 ? [amount] : [])).toSorted();
  };
  expect(await owed(to)).toHaveLength(2);
  expect(await owed(to)).toEqual(await owed(from));
});

it("exported commissions that come back to their own account change nothing", async () => {
  await join(from, "jane@example.com", { ref_id: "jane" });
  await from.v2("POST", "/promoters/block", { ids: [1], campaign_id: 1 });
  await join(from, "zoe@example.com", { ref_id: "zoe" });
  await offer(from, await makeReward(from, [{ amount: 25 }]));
  await from.v1("/track/sale", { email: "sam@example.net", ref_id: "zoe", event_id: "e1", amount: "10050" });
  await from.v2("POST", "/commissions", {
    promoter_campaign_id: 2,
    unit: "cash",
    amount: 100,
    commission_type: "custom",
  });
  const before = [await balancesOf(from, 2), (await from.records.all("commission")).length];
  expect(before[1]).toBe(2);
  const known = { added: 0, changed: 0, bad: 0 };
  expect(await carry("promoters", PROMOTERS, from)).toEqual({ ...known, known: 2 });
  expect(await carry("referrals", LEADS, from)).toEqual({ ...known, known: 1 });
  expect(await carry("commissions", COMMISSIONS, from)).toEqual({ ...known, known: before[1] });
  expect([await balancesOf(from, 2), (await from.records.all("commission")).length]).toEqual(before);
  // In another program, promoters keep their states.
  await carry("promoters", PROMOTERS);
  const states = async (app: TestApp) =>
    (await app.records.all("promoterCampaign")).map(({ state }) => state);
  expect(await states(to)).toEqual(["blocked", "accepted"]);
});

it("an imported refund counts as one, and may name the event of its sale", async () => {
  await join(to, "jane@example.com", { ref_id: "jane" });
  await to.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
  const file = pathOf(folder, "other.csv");
  const lines = [
    "sale_id,lead_email,amount,sale_amount,created_at",
    "s1,sam@example.net,25.13,100.50,2026-02-01",
    "s1,sam@example.net,-12.57,-50.25,2026-02-03",
    "s2,sam@example.net,-0.00,0,2026-02-03",
    "s3,sam@example.net,--1,0,2026-02-03",
  ];
  writeFileSync(file, lines.join("\n"));
  const bad: string[] = [];
  const onBad = (line: number, reason: string) => void bad.push(`${line}: ${reason}`);
  const form = { kind: COMMISSIONS, file, delimiter: ",", onUnknown: () => {}, onBad };
  expect(await importCsv(to.context, await accountOf(to), form)).toMatchObject({ added: 3, bad: 1 });
  expect(bad).toEqual(["5: amount must be a number of at most two decimals"]);
  expect(await importCsv(to.context, await accountOf(to), form)).toMatchObject({ added: 0, known: 3 });
  expect(await statsOf(to.services.store, to.account_id, 1)).toMatchObject({
    sales: 1,
    sales_cents: 10_050,
    refunds: 1,
    refunds_cents: 5_025,
    earnings_cents: 1_256,
  });
});
