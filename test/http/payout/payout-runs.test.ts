import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import {
  addCommission,
  addPromoter,
  changeAccount,
  commissionIdsOf,
  runPayouts,
  selectMethod,
  month,
  payoutSteps,
} from "../../support/payouts.ts";
import { racesAtEachStep } from "../../support/race.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";
import { balancesOf } from "../../support/money.ts";

const JANUARY = month("2026-01");
const FEBRUARY = month("2026-02");
const MARCH = month("2026-03");

describe("a run of payouts", () => {
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
  const sums = async () => (await made()).map(({ promoter_id, amount }) => [promoter_id, amount]);
  const run = (period = JANUARY) => runPayouts(app.context, account, period);
  const approve = (commission: { id: number }, status: "approved" | "denied" = "approved") =>
    app.records.change("commission", commission.id, { status });

  it("pays commissions made by the end of its period, with tax and a due date, and V2 shows the payouts", async () => {
    await addCommission(app.context, jane, { amount: 1_001, created_at: "2025-11-30T10:00:00.000Z" });
    await addCommission(app.context, jane, { amount: 500, created_at: "2026-01-31T23:59:59.999Z" });
    await addCommission(app.context, jane, { amount: 7, created_at: "2026-02-01T00:00:00.000Z" });
    await addCommission(app.context, jane, { amount: 9, status: "pending" });
    await addCommission(app.context, jane, { amount: 11, is_paid_elsewhere: true });
    expect(await run()).toEqual({
      account_id: app.account_id,
      id: 1,
      group_ref: "2026-01",
      period_start: "2026-01-01T00:00:00.000Z",
      period_end: "2026-01-31T23:59:59.999Z",
      started_at: NOW,
      finished_at: NOW,
    });
    const { body } = await app.v2("GET", "/payouts?filters[group_ref]=2026-01");
    expect(body).toEqual([
      {
        id: 1,
        status: "pending",
        amount: 1_501,
        payments_batch_id: null,
        tax_rate: 19,
        unit: "cash",
        period_start: "2026-01-01T00:00:00Z",
        period_end: "2026-01-31T23:59:59Z",
        paid_at: null,
        processing_started_at: null,
        failed_at: null,
        error: null,
        total_incl_tax: 1_786,
        created_at: NOW_SECOND,
        payout_method: null,
        promoter: { id: 1, email: "jane@example.com", name: "jane@example.com" },
        campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
      },
    ]);
    const [payout] = await made();
    expect(payout).toMatchObject({ due_date: "2026-03-02", has_own_terms: false, run_id: 1 });
    expect(await commissionIdsOf(app.context, payout!)).toEqual([1, 2]);
    const units = await balancesOf(app, jane.id);
    expect(units).toEqual({ cash: { earnings: 1_519, current: 1_508, paid: 11 } });
  });

  it("makes one payout for each promoter, campaign and unit", async () => {
    const other = await addCampaign(app, { name: "Other" });
    const joe = await addPromoter(app.context, account, { email: "joe@example.com", net_payout_days: 5 });
    for (const promoter of [jane, joe, jane]) await addCommission(app.context, promoter);
    await addCommission(app.context, jane, { campaign_id: other.id, amount: 20 });
    await addCommission(app.context, jane, { unit: "credits", amount: 3 });
    await run();
    const rows = (await made()).map(
      ({ promoter_id, campaign_id, unit, amount, total_incl_tax, due_date }) => [
        promoter_id,
        campaign_id,
        unit,
        amount,
        total_incl_tax,
        due_date,
      ],
    );
    expect(rows).toEqual([
      [jane.id, 1, "cash", 2_000, 2_380, "2026-03-02"],
      [jane.id, 1, "credits", 3, 3, "2026-03-02"],
      [jane.id, other.id, "cash", 20, 24, "2026-03-02"],
      [joe.id, 1, "cash", 1_000, 1_000, "2026-02-05"],
    ]);
  });

  it("carries over a negative sum, and the next run subtracts it", async () => {
    await addCommission(app.context, jane, { amount: -400 });
    await run();
    expect(await made()).toEqual([]);
    await addCommission(app.context, jane, { amount: 1_000, created_at: "2026-02-10T00:00:00.000Z" });
    await run(FEBRUARY);
    expect(await sums()).toEqual([[jane.id, 600]]);
  });

  it("carries over a sum below the minimum, without counting pending payouts", async () => {
    account = await changeAccount(app.context, app.account_id, { min_payment_cents: 1_000 });
    await addCommission(app.context, jane, { amount: 1_000 });
    await run();
    await addCommission(app.context, jane, { amount: 999, created_at: "2026-02-10T00:00:00.000Z" });
    await run(FEBRUARY);
    expect(await sums()).toEqual([[jane.id, 1_000]]);
  });

  it("carries over the sums of promoters with too few active customers, or without a usable method", async () => {
    account = await changeAccount(app.context, app.account_id, {
      min_paying_customers: 1,
      requires_payout_method: true,
    });
    await addCommission(app.context, jane);
    await run();
    await app.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
    await app.v1("/leads/update", { email: "sam@example.net", customer_since: NOW, state: "active" });
    await run();
    const { id } = await selectMethod(app.context, jane, { method: "wise", is_disabled: true });
    await run();
    expect(await made()).toEqual([]);
    await app.v2("PUT", `/payout_methods/${id}`, { is_disabled: false });
    await run();
    expect(await sums()).toEqual([[jane.id, 1_000]]);
  });

  it("changes no payout when it is repeated, and pays new commissions, but nobody twice", async () => {
    const joe = await addPromoter(app.context, account, { email: "joe@example.com" });
    await addCommission(app.context, jane);
    const late = [
      await addCommission(app.context, jane, { status: "pending", amount: 30 }),
      await addCommission(app.context, joe, { status: "pending", amount: 40 }),
    ];
    const first = await run();
    const [payout] = await made();
    for (const commission of late) await approve(commission);
    app.setNow("2026-03-09T00:00:00.000Z");
    expect(await run()).toEqual(first);
    expect((await made())[0]).toEqual(payout);
    expect(await sums()).toEqual([
      [jane.id, 1_000],
      [joe.id, 40],
    ]);
    await run(FEBRUARY);
    expect((await sums()).at(-1)).toEqual([jane.id, 30]);
  });

  it("continues after an interruption, next to another run of the same period", async () => {
    const promoters = [jane];
    for (let count = 1; count < 40; count++) {
      promoters.push(await addPromoter(app.context, account, { email: `p${count}@example.com` }));
    }
    for (const promoter of promoters) await addCommission(app.context, promoter);
    const cut = payoutSteps(app.context, account, JANUARY);
    for (let step = 0; step < 3; step++) await cut.next();
    await cut.return(undefined as never);
    expect(await app.records.all("payoutRun")).toMatchObject([{ finished_at: null }]);
    const before = await made();
    // Thirty-one more were under way.
    expect(before).toHaveLength(34);
    await Promise.all([run(), run()]);
    const after = await made();
    expect(after.slice(0, 34)).toEqual(before);
    expect(new Set(after.map(({ promoter_id }) => promoter_id))).toEqual(
      new Set(promoters.map(({ id }) => id)),
    );
    expect(after).toHaveLength(promoters.length);
    expect(await app.records.all("payoutRun")).toMatchObject([{ id: 1, finished_at: NOW }]);
  });

  it("puts five thousand commissions into one payout, in one commit", async () => {
    const first = await addCommission(app.context, jane, { amount: 0 });
    const more = Array.from({ length: 4_999 }, (_, at) => ({
      ...first,
      id: first.id + at + 1,
      amount: at + 1,
    }));
    await app.records.put("commission", ...more);
    await run();
    const [payout, ...others] = await made();
    expect([payout?.amount, others]).toEqual([(4_999 * 5_000) / 2, []]);
    expect(await commissionIdsOf(app.context, payout!)).toHaveLength(5_000);
  });

  it("refuses a period that is not over", async () => {
    await expect(run(MARCH)).rejects.toMatchObject({
      kind: "refused",
      message: "The period 2026-03 is not over yet",
    });
  });

  it("announces each payout", async () => {
    await app.v2("POST", "/webhooks", {
      url: "https://hooks.acme.example/",
      event_types: ["payout.created", "payout.commissions.added"],
    });
    await addCommission(app.context, jane);
    await run();
    expect(await app.records.all("fact")).toMatchObject([{ entity: "payout", entity_id: 1 }]);
  });
});

it("a run of payouts leaves out a commission that is denied at any moment of the run", async () => {
  const outcomes = await racesAtEachStep<RecordOf<"payout">[]>(async (app) => {
    const account = await changeAccount(app.context, app.account_id, {});
    const jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    await addCommission(app.context, jane, { amount: 1 });
    const denied = await addCommission(app.context, jane, { amount: 20 });
    return {
      call: async () => {
        await runPayouts(app.context, account, JANUARY);
        return app.records.all("payout");
      },
      meanwhile: async () => {
        const current = (await app.records.get("commission", denied.id))!;
        // Once it is in a payout, denying it must lower that payout, which is another test.
        if (current.payout_id === null)
          await app.records.put("commission", { ...current, status: "denied" as const });
      },
      look: () => app.records.all("commission"),
    };
  });
  for (const { answer, seen } of outcomes) {
    const [payout, ...others] = answer;
    const paid = (seen as { amount: number; status: string; payout_id: number | null }[]).filter(
      ({ payout_id }) => payout_id === payout?.id,
    );
    expect(others).toEqual([]);
    expect(paid.every(({ status }) => status === "approved")).toBe(true);
    expect(payout?.amount).toBe(paid.reduce((sum, { amount }) => sum + amount, 0));
  }
  expect(new Set(outcomes.map(({ answer }) => answer[0]?.amount))).toEqual(new Set([1, 21]));
});
