import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import {
  addCommission,
  addPromoter,
  changeAccount,
  runPayouts,
  movePayout,
  month,
} from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";

const JANUARY = month("2026-01");
const FEBRUARY = month("2026-02");

describe("commissions that leave their payout", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp();
    account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, { email: "jane@example.com", tax_rate_hundredths: 1_900 });
  });
  afterEach(() => app.close());

  const made = () => app.records.all("payout");
  const payoutIds = async () => {
    const all = await app.records.all("commission");
    return all.map(({ payout_id }) => payout_id);
  };
  const earn = async (...amounts: number[]) => {
    for (const amount of amounts) await addCommission(app.context, jane, { amount });
    await runPayouts(app.context, account, JANUARY);
  };
  const deny = (...ids: number[]) => app.v2("POST", "/commissions/deny", { ids });

  it.each([
    ["cancelled", () => movePayout(app, { id: 1, to: "cancelled" })],
    ["destroyed", () => app.v2("DELETE", "/payouts/destroy", { ids: [1] })],
  ])("are free when it is %s, and the same run pays them when repeated", async (_how, end) => {
    await earn(100, 200);
    await end();
    expect(await payoutIds()).toEqual([null, null]);
    await runPayouts(app.context, account, JANUARY);
    expect((await made()).at(-1)).toMatchObject({ amount: 300, status: "pending", run_id: 1 });
  });

  it("stay when it is marked as paid and as unpaid", async () => {
    await earn(100, 200);
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
    await app.v2("POST", "/payouts/mark_as_unpaid", { ids: [1] });
    expect(await payoutIds()).toEqual([1, 1]);
    await runPayouts(app.context, account, JANUARY);
    expect(await made()).toHaveLength(1);
  });

  it("lower its amount", async () => {
    await earn(101, 200, 300);
    await deny(1, 3);
    expect(await made()).toMatchObject([{ amount: 200, total_incl_tax: 238, status: "pending" }]);
    expect(await payoutIds()).toEqual([null, 1, null]);
  });

  it("delete it when nothing is left to pay, and free the others", async () => {
    await earn(300, -100, 50);
    await deny(1);
    expect(await made()).toEqual([]);
    expect(await payoutIds()).toEqual([null, null, null]);
    await addCommission(app.context, jane, { amount: 80, created_at: "2026-02-01T00:00:00.000Z" });
    await runPayouts(app.context, account, FEBRUARY);
    expect(await made()).toMatchObject([{ amount: 30, status: "pending" }]);
  });

  it.each(["processing", "completed"] as const)("can't leave it once it is %s", async (to) => {
    await earn(100);
    await movePayout(app, { id: 1, to });
    expect((await deny(1)).body).toMatchObject({ processed_count: 0, failed_count: 1 });
    expect(await made()).toMatchObject([{ amount: 100, status: to }]);
  });
});
