import { afterEach, beforeEach, expect, it } from "vitest";
import { accounts } from "../../server/domain/account/account.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { dailySums, type DailySum } from "../../server/domain/report/stats.ts";
import { SYSTEM } from "../../server/domain/account/record.ts";
import { NOW, startApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory");
});
afterEach(() => app.close());

it("makes a history of past days", async () => {
  const { store } = app.context;
  const account = (await store.get(accounts, SYSTEM, app.accountId))!;
  await seed(app.context, account, { promoters: 10, leads: 2_000, payouts: 0 });
  const sums: DailySum[] = [];
  const ever = { series: "campaign", from: "", to: "9999-12-31" } as const;
  for await (const chunk of dailySums(store, account.id, ever)) sums.push(...chunk);
  const days = sums.filter(({ metric }) => metric === "referrals");
  expect(days.reduce((total, { sum }) => total + sum, 0)).toBe(2_000);
  expect(days.filter(({ day }) => day >= NOW.slice(0, 10))).toEqual([]);
});
