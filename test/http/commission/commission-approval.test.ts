import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { changeAccount } from "../../support/payouts.ts";
import { company, join } from "../../support/v2.ts";

describe("the approval of new commissions", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    await join(app, "jane@example.com", { ref_id: "jane" });
    await offer(
      app,
      await makeReward(app, [{ amount: 10 }, { unit: "credits", amount: 900, flat_amount: true }]),
    );
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const set = (changes: Record<string, unknown>) => company(app, "PUT /campaigns/1", changes);

  /** The status and the day of approval of what a sale earns: ten percent in cash, and credits. */
  async function sell(amount = 5_000, email = "lead@example.com") {
    await trackV2(app, "sale", { email, ref_id: "jane", event_id: "order-1", amount });
    const made = await app.records.all("commission");
    return made.map(({ unit, status, approve_at }) => [unit, status, approve_at?.slice(0, 10) ?? null]);
  }

  it("comes at once, unless the campaign says otherwise", async () => {
    expect(await sell()).toEqual([
      ["cash", "approved", null],
      ["credits", "approved", null],
    ]);
  });

  it("waits for someone where the campaign does not approve by itself", async () => {
    await set({ auto_approve_commissions: false, commission_hold_days: 14 });
    expect(await sell()).toEqual([
      ["cash", "pending", null],
      ["credits", "pending", null],
    ]);
  });

  it("waits for its day where the campaign holds commissions", async () => {
    await set({ commission_hold_days: 14 });
    expect(await sell()).toEqual([
      ["cash", "pending", "2026-03-18"],
      ["credits", "pending", "2026-03-18"],
    ]);
  });

  it.each([
    [5_000, "approved"],
    [5_010, "pending"],
  ])("of a sale of %i, beside a maximum of 500 cents of cash, is %s", async (amount, status) => {
    await changeAccount(app.context, app.account_id, { max_auto_approve_cents: 500 });
    expect(await sell(amount)).toEqual([
      ["cash", status, null],
      ["credits", "approved", null],
    ]);
  });

  it("looks at what a sale earned, not at each part of a split", async () => {
    await changeAccount(app.context, app.account_id, { max_auto_approve_cents: 500 });
    await join(app, "bob@example.com", { ref_id: "bob" });
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await company(app, "PUT /referrals/1", {
      split_details: [{ promoter_campaign_id: 2, percentage: 40 }],
    });
    expect(await sell(5_010)).toEqual([
      ["cash", "pending", null],
      ["cash", "pending", null],
      ["credits", "approved", null],
      ["credits", "approved", null],
    ]);
  });

  it("waits for someone where the lead is suspected", async () => {
    expect(await sell(5_000, "jane+1@example.com")).toEqual([
      ["cash", "pending", null],
      ["credits", "pending", null],
    ]);
  });

  it("does not change with the campaign's settings later", async () => {
    await set({ commission_hold_days: 14 });
    const held = await sell();
    await set({ commission_hold_days: 0, auto_approve_commissions: false });
    const again = await app.records.all("commission");
    expect(again.map(({ unit, status, approve_at }) => [unit, status, approve_at?.slice(0, 10)])).toEqual(
      held,
    );
  });
});
