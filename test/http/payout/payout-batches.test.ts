import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { markAsPaidOperation } from "../../../server/v2/payout/payout-batches.ts";
import { NOW, NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import {
  addCommission,
  addPayout,
  addPromoter,
  changeAccount,
  runPayouts,
  selectMethod,
  movePayout,
  month,
} from "../../support/payouts.ts";
import { addUser, callAs } from "../../support/users.ts";
import type { RecordOf } from "../../support/records.ts";
import { balancesOf } from "../../support/money.ts";

const ALLOWED = new Set([
  "pending → processing",
  "pending → completed",
  "pending → cancelled",
  "processing → completed",
  "processing → failed",
  "failed → processing",
  "failed → pending",
  "failed → cancelled",
  "completed → pending",
]);

const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;

describe.each(STORAGES)("batches of payouts on %s", (storage) => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp(storage);
    const account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
  });
  afterEach(() => app.close());

  const payout = async (id: number) => {
    const { body } = await app.v2("GET", `/payouts?ids[]=${id}`);
    return (body as Record<string, unknown>[])[0]!;
  };

  it("marks payouts as paid where it can, once, and reports the rest", async () => {
    const method = await selectMethod(app.context, jane, { method: "wise" });
    await addPayout(app.context, jane);
    await addPayout(app.context, jane, { status: "cancelled" });
    const { status, body } = await app.v2("POST", "/payouts/mark_as_paid", { ids: [1, "2", 99, 1] });
    expect(status).toBe(200);
    expect(markAsPaidOperation.answer.safeParse(body).error).toBeUndefined();
    expect(body).toEqual({
      data: {
        id: 1,
        status: "completed",
        total: 3,
        selected_total: 3,
        processed_count: 1,
        failed_count: 2,
        action_label: "payout/mark_as_paid",
        created_at: NOW,
        updated_at: NOW,
        meta: {},
        progress: 100,
        processing_errors: [
          { id: 2, message: "A cancelled payout can't become completed" },
          { id: 99, message: "Payout not found." },
        ],
      },
      meta: { total: 10_000, promoters_count: 1, total_incl_tax: 12_000, all_promoters_count: 1 },
    });
    expect(await payout(1)).toMatchObject({
      status: "completed",
      paid_at: NOW_SECOND,
      payout_method: { id: method.id },
    });
    const again = await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
    expect(again.body).toMatchObject({ data: { failed_count: 1 }, meta: { total: 0, promoters_count: 0 } });
    const units = await balancesOf(app, jane.id);
    expect(units).toEqual({ cash: { earnings: 0, current: -10_000, paid: 10_000 } });
  });

  it("marks payouts as unpaid, and gives the balance back", async () => {
    await addPayout(app.context, jane, { status: "completed", paid_at: NOW, payments_batch_id: 4 });
    const units = async () => await balancesOf(app, jane.id);
    expect(await units()).toEqual({ cash: { earnings: 0, current: -10_000, paid: 10_000 } });
    await app.v2("POST", "/payouts/mark_as_unpaid", { ids: 1 });
    expect(await payout(1)).toMatchObject({ status: "pending", paid_at: null, payments_batch_id: null });
    expect(await units()).toEqual({});
  });

  it("marks payouts as failed with the reason, and cancels them", async () => {
    await addPayout(app.context, jane, { status: "processing" });
    await addPayout(app.context, jane);
    const failed = await app.v2("POST", "/payouts/mark_as_failed", { ids: [1, 2], error: "account closed" });
    expect(failed.body).toMatchObject({
      data: {
        action_label: "payout/mark_as_failed",
        processed_count: 1,
        processing_errors: [{ id: 2, message: "A pending payout can't become failed" }],
      },
      meta: { total: 10_000, promoters_count: 1 },
    });
    expect(await payout(1)).toMatchObject({
      status: "failed",
      error: "account closed",
      failed_at: NOW_SECOND,
    });
    await app.v2("POST", "/payouts/cancel", { ids: [1, 2] });
    expect(await payout(1)).toMatchObject({ status: "cancelled", error: null });
    expect(await payout(2)).toMatchObject({ status: "cancelled" });
  });

  it("removes payouts that moved no money, and keeps the others", async () => {
    for (const status of PAYOUT_STATUSES) await addPayout(app.context, jane, { status });
    const { body } = await app.v2("DELETE", "/payouts/destroy", { ids: [1, 2, 3, 4, 5] });
    expect((body as { data: { processing_errors: object[] } }).data.processing_errors).toEqual([
      { id: 2, message: "A completed payout can't be removed" },
      { id: 4, message: "A processing payout can't be removed" },
    ]);
    const left = await app.v2("GET", "/payouts");
    expect((left.body as { id: number }[]).map(({ id }) => id)).toEqual([2, 4]);
    expect(left.headers.get("total")).toBe("2");
  });

  it.each([[{}], [{ ids: [] }], [{ ids: ["x"] }]])("refuses %j", async (body) => {
    const { status, body: answer } = await app.v2("POST", "/payouts/mark_as_paid", body);
    expect([status, (answer as { code: string }).code]).toEqual([422, "invalid_params"]);
  });

  it.each(PAYOUT_STATUSES.flatMap((from) => PAYOUT_STATUSES.map((to) => [from, to] as const)))(
    "moves from %s to %s only where the rules allow it",
    async (from, to) => {
      const { id } = await addPayout(app.context, jane, { status: from });
      const before = await payout(id);
      const moved = movePayout(app, { id, to, error: "refused by the bank" });
      if (!ALLOWED.has(`${from} → ${to}`)) {
        // V1, which alone can set this status, accepts the present one.
        if (from !== "processing" || to !== from) await expect(moved).rejects.toThrow("can't become");
        await moved.catch(() => {});
        expect(await payout(id)).toEqual(before);
        return;
      }
      await moved;
      expect(await payout(id)).toMatchObject({
        status: to,
        paid_at: to === "completed" ? NOW_SECOND : null,
        failed_at: to === "failed" ? NOW_SECOND : null,
        error: to === "failed" ? "refused by the bank" : null,
        ...(to === "processing" && { processing_started_at: NOW_SECOND }),
      });
    },
  );

  it("lets owners set a promoter's tax and due day, which the next payouts have", async () => {
    const call = (role: "manager" | "owner") => addUser(app, role).then((user) => callAs(app, user));
    const path = `PUT /promoters/${jane.id}`;
    const [manager, owner] = [await call("manager"), await call("owner")];
    expect((await manager(path, { tax_rate: 100 })).status).toBe(403);
    expect((await manager(path, { net_payout_days: 1 })).status).toBe(403);
    const given = { tax_rate: "7.75", net_payout_days: 3 };
    expect((await owner(path, given)).body).toMatchObject({ tax_rate: 7.75, net_payout_days: 3 });
    for (const tax_rate of [100.01, -1, 7.755, "x"])
      expect((await owner(path, { tax_rate })).status).toBe(422);
    await addCommission(app.context, jane, { amount: 1_000 });
    const account = await changeAccount(app.context, app.account_id, {});
    await runPayouts(app.context, account, month("2026-01"));
    const last = (await app.records.all("payout")).at(-1);
    expect(last).toMatchObject({ total_incl_tax: 1_078, due_date: "2026-02-03", has_own_terms: true });
    expect((await owner(path, { net_payout_days: null })).body).toMatchObject({
      tax_rate: 7.75,
      net_payout_days: null,
    });
  });

  it("lets the company approve or deny invoice details", async () => {
    const path = `/promoters/${jane.id}`;
    expect((await app.v2("PUT", path, { invoice_details_status: "approved" })).body).toMatchObject({
      invoice_details_status: "approved",
    });
    expect((await app.v2("PUT", path, { invoice_details_status: "fine" })).status).toBe(422);
    expect((await app.v2("GET", path)).body).toMatchObject({ invoice_details_status: "approved" });
  });
});
