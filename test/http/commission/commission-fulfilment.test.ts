import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { company, join } from "../../support/v2.ts";

describe("commissions that are not money", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    await join(app, "jane@example.com", { ref_id: "jane" });
    await give({ reward_type: "credits", amount: "5" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const give = (params: Record<string, string>) => app.v1("/rewards/create", { ref_id: "jane", ...params });
  const fulfil = (...ids: number[]) => company(app, "POST /commissions/mark_fulfilled", { ids });
  const unfulfil = (...ids: number[]) => company(app, "POST /commissions/mark_unfulfilled", { ids });
  const errors = ({ body }: { body: unknown }) => (body as { processing_errors: string[] }).processing_errors;
  const credits = async () => {
    const { body } = await company(app, "GET /promoters/1");
    const { earnings_balance: earned, paid_balance: paid } = (
      body as { balances: Record<string, Record<string, number>> }
    ).balances;
    return [earned?.["credits"], paid?.["credits"]];
  };
  const isPaid = async (id: number) => {
    const { body } = await company(app, `GET /commissions?ids[]=${id}`);
    return (body as [{ is_paid: boolean }])[0].is_paid;
  };

  it("are fulfilled and unfulfilled, with their payout", async () => {
    const { status, body } = await fulfil(1);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "completed",
      processed_count: 1,
      action_label: "commission/mark_fulfilled",
      processing_errors: [],
    });
    expect([await isPaid(1), await credits()]).toEqual([true, [5, 5]]);
    expect((await company(app, "GET /payouts")).body).toMatchObject([
      { status: "completed", unit: "credits", amount: 5, paid_at: NOW_SECOND },
    ]);
    expect(errors(await unfulfil(1))).toEqual([]);
    expect([await isPaid(1), await credits()]).toEqual([false, [5, 0]]);
    expect((await company(app, "GET /payouts")).body).toMatchObject([{ status: "pending", paid_at: null }]);
  });

  it("can't be denied or deleted while they are fulfilled", async () => {
    await fulfil(1);
    const paid = ["1: Commission 1 is paid and can't be changed"];
    expect(errors(await company(app, "POST /commissions/deny", { ids: [1] }))).toEqual(paid);
    expect(errors(await company(app, "DELETE /commissions/destroy", { ids: [1] }))).toEqual(paid);
    await unfulfil(1);
    expect(errors(await company(app, "POST /commissions/deny", { ids: [1] }))).toEqual([]);
    expect((await company(app, "GET /payouts")).body).toEqual([]);
  });

  it("are not to be fulfilled whole if they were partly refunded before their approval", async () => {
    await offer(app, await makeReward(app, [{ amount: 500, flat_amount: true, unit: "points" }]));
    await company(app, "PUT /campaigns/1", { auto_approve_commissions: false });
    await app.v1("/track/sale", {
      email: "lead@example.com",
      ref_id: "jane",
      event_id: "inv_1",
      amount: "1000",
    });
    await app.v1("/track/refund", { email: "lead@example.com", event_id: "re_1", amount: "400" });
    expect(errors(await company(app, "POST /commissions/approve", { ids: [2] }))).toEqual([]);
    const points = async () => (await company(app, "GET /commissions?filters[unit]=points")).body;
    expect(await points()).toMatchObject([
      { amount: 500, status: "approved" },
      { amount: -200, status: "approved" },
    ]);
    expect((await company(app, "GET /payouts")).body).toMatchObject([{ unit: "credits" }]);
    await company(app, "POST /commissions/generate_payouts", { ids: [2, 3] });
    expect((await company(app, "GET /payouts")).body).toMatchObject([
      { unit: "credits" },
      { unit: "points", amount: 300 },
    ]);
  });

  it("are refused where there is nothing to fulfil, each with its reason", async () => {
    await give({ reward_type: "cash", amount: "500" });
    await give({ reward_type: "points", amount: "5", status: "pending" });
    expect(errors(await fulfil(1, 2, 3, 99))).toEqual([
      "2: Commission 2 is money, which payouts pay",
      "3: Commission 3 is pending",
      "99: Commission not found.",
    ]);
    expect(errors(await fulfil(1))).toEqual(["1: Commission 1 is already fulfilled"]);
    await unfulfil(1);
    expect(errors(await unfulfil(1))).toEqual(["1: Commission 1 is not fulfilled"]);
  });
});
