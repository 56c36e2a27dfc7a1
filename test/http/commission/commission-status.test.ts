import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addCommission } from "../../support/commissions.ts";
import { addPayout, addPromoter, changeAccount } from "../../support/payouts.ts";
import { company, invalid, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { balancesOf } from "../../support/money.ts";

describe("the status of commissions", () => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp();
    const account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const add = (changes: Partial<RecordOf<"commission">> = {}) => addCommission(app.context, jane, changes);
  const approve = (...ids: unknown[]) => app.v2("POST", "/commissions/approve", { ids });
  const deny = (...ids: unknown[]) => app.v2("POST", "/commissions/deny", { ids });
  const stored = (id: number) => app.records.get("commission", id);
  const storedPayout = (id: number) => app.records.get("payout", id);
  const units = async () => await balancesOf(app, jane.id);
  const errors = (answer: { body: unknown }) =>
    (answer.body as { processing_errors: string[] }).processing_errors;

  it("is approved or denied for many at once, and the rest is reported", async () => {
    await add({ status: "pending", approve_at: "2026-03-09T00:00:00.000Z" });
    await add({ is_paid_elsewhere: true });
    const { status, body } = await approve(1, "2", 99, 1);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 1,
      status: "completed",
      total: 3,
      selected_total: 3,
      processed_count: 1,
      failed_count: 2,
      action_label: "commission/approve",
      created_at: NOW,
      updated_at: NOW,
      meta: {},
      progress: 100,
      processing_errors: ["2: Commission 2 is paid and can't be changed", "99: Commission not found."],
    });
    expect(await stored(1)).toMatchObject({ status: "approved", approve_at: null, status_updated_at: NOW });
    expect(await units()).toEqual({ cash: { earnings: 2_000, current: 1_000, paid: 1_000 } });
  });

  it("refuses calls without ids", async () => {
    const calls: [object, string][] = [
      [{}, "can't be blank"],
      [{ ids: [] }, "can't be blank"],
      [{ ids: ["x"] }, "is invalid"],
    ];
    for (const [body, fault] of calls) {
      expect(await outcome(app.v2("POST", "/commissions/deny", body))).toEqual(invalid({ ids: [fault] }));
    }
  });

  it("is the last one that was set, and counts in the balance", async () => {
    await add({ status: "pending" });
    expect(await units()).toEqual({});
    for (const [call, earnings] of [
      [approve, 1_000],
      [deny, 0],
      [approve, 1_000],
      [approve, 1_000],
    ] as const) {
      expect(errors(await call(1))).toEqual([]);
      expect((await units()).cash?.earnings ?? 0).toBe(earnings);
    }
  });

  it("keeps the time of its last change, not that of a repeated call", async () => {
    await add({ status: "pending" });
    await approve(1);
    app.setNow("2026-03-05T00:00:00.000Z");
    await approve(1);
    expect(await stored(1)).toMatchObject({ status_updated_at: NOW });
  });

  it("changes together with the commissions that take it back", async () => {
    await add({ taken_back_by_ids: [2] });
    await add({ amount: -400, takes_back_id: 1 });
    await deny(1);
    expect([(await stored(1))?.status, (await stored(2))?.status]).toEqual(["denied", "denied"]);
    expect(await units()).toEqual({});
    await approve(1);
    expect(await units()).toMatchObject({ cash: { earnings: 600 } });
    expect(errors(await deny(2))).toEqual(["2: Commission 2 takes back commission 1 and follows it"]);
    expect(await units()).toMatchObject({ cash: { earnings: 600 } });
  });

  it("is approved in one batch with those that take it back, whichever comes first", async () => {
    await add({ status: "pending", taken_back_by_ids: [2] });
    await add({ status: "pending", amount: -400, takes_back_id: 1 });
    const { body } = await company(app, "POST /commissions/approve", { ids: [2, 1] });
    expect(body).toMatchObject({ processed_count: 2, failed_count: 0 });
  });

  it("stays if one that takes it back is paid", async () => {
    const payout = await addPayout(app.context, jane, { status: "completed" });
    await add({ taken_back_by_ids: [2] });
    await add({ amount: -400, takes_back_id: 1, payout_id: payout.id });
    expect(errors(await deny(1))).toEqual(["1: Commission 2 is paid and can't be changed"]);
    expect(await stored(1)).toMatchObject({ status: "approved" });
  });

  it.each(["completed", "processing", "failed"] as const)("stays in a %s payout", async (status) => {
    const payout = await addPayout(app.context, jane, { status });
    await add({ payout_id: payout.id });
    const reason =
      status === "completed"
        ? "is paid and can't be changed"
        : "belongs to a payout that is under way or has failed";
    expect(errors(await deny(1))).toEqual([`1: Commission 1 ${reason}`]);
    expect(errors(await approve(1))).toEqual([`1: Commission 1 ${reason}`]);
    expect(await stored(1)).toMatchObject({ status: "approved", payout_id: payout.id });
  });

  it("stays in a pending payout that a payments batch pays", async () => {
    const payout = await addPayout(app.context, jane, { payments_batch_id: 4 });
    await add({ payout_id: payout.id });
    expect(errors(await deny(1))).toHaveLength(1);
  });

  it("takes it out of its pending payout if it is denied", async () => {
    await addPayout(app.context, jane, { amount: 1_600, total_incl_tax: 1_920 });
    await add({ payout_id: 1, taken_back_by_ids: [2] });
    await add({ payout_id: 1, amount: -400, takes_back_id: 1 });
    await add({ payout_id: 1, amount: 1_000 });
    await approve(1);
    expect(await storedPayout(1)).toMatchObject({ amount: 1_600 });
    await deny(1);
    expect(await storedPayout(1)).toMatchObject({ amount: 1_000, total_incl_tax: 1_200 });
    expect([
      (await stored(1))?.payout_id,
      (await stored(2))?.payout_id,
      (await stored(3))?.payout_id,
    ]).toEqual([null, null, 1]);
  });

  it("removes a pending payout with nothing left to pay, and frees its other commissions", async () => {
    await addPayout(app.context, jane, { amount: 600, total_incl_tax: 720 });
    await add({ payout_id: 1 });
    await add({ payout_id: 1, amount: -400 });
    await deny(1);
    expect(await storedPayout(1)).toBeNull();
    expect(await stored(2)).toMatchObject({ status: "approved", payout_id: null });
    expect(await units()).toEqual({ cash: { earnings: -400, current: -400, paid: 0 } });
  });
});
