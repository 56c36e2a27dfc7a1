import { afterEach, beforeEach, expect, it } from "vitest";
import { accounts } from "../../server/domain/account/account.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { dailySums } from "../support/stats.ts";
import { SYSTEM } from "../../server/domain/account/record.ts";
import { breaches, readLedger } from "../support/money-laws.ts";
import { NOW, startApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory");
});
afterEach(() => app.close());

it("makes a history of past days", async () => {
  const { store } = app.context;
  const account = (await store.get(accounts, SYSTEM, app.accountId))!;
  await seed(app.context, account, { promoters: 10, leads: 2_000, sales: 0 });
  const sums = await dailySums(store, account.id, "campaign");
  const days = sums.filter(({ metric }) => metric === "referrals");
  expect(days.reduce((total, { sum }) => total + sum, 0)).toBe(2_000);
  expect(days.filter(({ day }) => day >= NOW.slice(0, 10))).toEqual([]);
});

it("makes sales, refunds, commissions and payouts by the real rules", async () => {
  const { store } = app.context;
  const account = (await store.get(accounts, SYSTEM, app.accountId))!;
  await seed(app.context, account, { promoters: 10, leads: 200, sales: 400 });
  expect(await breaches(store, account.id)).toEqual([]);
  const { sales, refunds, commissions, payouts } = await readLedger(store, account.id);
  expect(sales.length).toBeGreaterThanOrEqual(400);
  expect(new Set(commissions.map(({ tierLevel }) => tierLevel))).toEqual(new Set([1, 2]));
  expect(refunds.length).toBeGreaterThan(0);
  const statuses = payouts.map(({ status, groupRef }) => `${status} ${groupRef}`);
  expect(statuses).toEqual(expect.arrayContaining(["completed 2026-01", "pending 2026-02"]));
  expect(statuses).not.toEqual(expect.arrayContaining(["pending 2026-01"]));
});
