import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { balanceFaults } from "../../support/balance-laws.ts";
import { bookFaults, shownToday } from "../../support/book-laws.ts";
import { findFaults } from "../../support/consistency.ts";
import { v1 } from "../../support/calls.ts";
import { failCommits } from "../../support/edge.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { addCommission, changeAccount, month, payoutSteps, runPayouts } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { rounds } from "../../support/rounds.ts";
import { addCampaign, company, outcome } from "../../support/v2.ts";

const JANUARY = month("2026-01");
const FEBRUARY = month("2026-02");
const IN_JANUARY = "2026-01-15T12:00:00.000Z";
const IN_FEBRUARY = "2026-02-15T12:00:00.000Z";

/** Jane and Joe in three campaigns. The promoter campaigns of Jane are 1, 3 and 5. */
async function startProgram(): Promise<TestApp> {
  const app = await startApp();
  for (const name of ["jane", "joe"])
    await app.v1("/promoters/create", { email: `${name}@example.com`, first_name: name });
  for (const name of ["Pro", "Team"]) {
    const { id } = await addCampaign(app, { name });
    await app.v2("POST", "/promoters/add_to_campaign", { ids: [1, 2], campaign_id: id });
  }
  return app;
}

/** The promoter campaign of a promoter in a campaign. */
async function membership(app: TestApp, promoterId: number, campaignId: number): Promise<number> {
  const all = await app.records.all("promoterCampaign");
  return all.find((each) => each.promoter_id === promoterId && each.campaign_id === campaignId)!.id;
}

async function give(
  app: TestApp,
  { promoter_id = 1, campaign_id, amount, at = IN_JANUARY }: Given,
): Promise<void> {
  const { status } = await app.v2("POST", "/commissions", {
    commission_type: "custom",
    unit: "cash",
    amount,
    promoter_campaign_id: await membership(app, promoter_id, campaign_id),
    event_date: at,
  });
  expect(status).toBe(200);
}

interface Given {
  promoter_id?: number;
  campaign_id: number;
  amount: number;
  at?: string;
}

async function faultsOf(app: TestApp): Promise<string[]> {
  return [
    ...(await lastingBreaches(app.services.store, app.account_id)),
    ...(await balanceFaults(app)),
    ...(await findFaults(app.stored.engine)),
    ...(await bookFaults(app, [await shownToday(app, [1, 2])])),
  ];
}

describe("a debt in one campaign", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  beforeEach(async () => {
    app = await startProgram();
    account = await changeAccount(app.context, app.account_id, {});
  });
  afterEach(async () => {
    expect(await faultsOf(app)).toEqual([]);
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const run = (period = JANUARY) => runPayouts(app.context, account, period);
  const payouts = async () =>
    (await app.records.all("payout")).map(({ campaign_id, unit, amount, set_offs }) => [
      campaign_id,
      unit,
      amount,
      ...(set_offs ?? []).map((each) => `${each.amount} of ${each.campaign_id}`),
    ]);
  const gives = async (...all: [campaignId: number, amount: number, at?: string][]) => {
    for (const [campaignId, amount, at] of all)
      await give(app, { campaign_id: campaignId, amount, ...(at && { at }) });
  };
  const call = (request: string, body?: unknown) => outcome(company(app, request, body));

  it("is set off against the largest sum in others, and the payout says so", async () => {
    await gives([1, -500], [2, 2_000], [3, 700]);
    await run();
    expect(await payouts()).toEqual([
      [2, "cash", 1_500, "500 of 1"],
      [3, "cash", 700],
    ]);
    const { body } = await call("GET /payouts?filters[campaign_id][]=2");
    expect(body).toMatchObject([{ amount: 1_500, set_off: [{ campaign_id: 1, amount: 500 }] }]);
    const others = (await call("GET /payouts?filters[campaign_id][]=3")).body as object[];
    expect(others).toHaveLength(1);
    expect(others[0]).not.toHaveProperty("set_off");
    // What is owed is paid, so later earnings in the campaign are paid whole.
    await gives([1, 300, IN_FEBRUARY]);
    await run(FEBRUARY);
    expect((await payouts()).slice(2)).toEqual([[1, "cash", 300]]);
  });

  it("takes further sums if the largest is not enough, and each debt its part", async () => {
    await gives([1, -900], [2, 600], [3, 500]);
    await run();
    expect(await payouts()).toEqual([[3, "cash", 200, "300 of 1"]]);
    // The sum that is used up waits beside the rest of the debt, and stays worth nothing.
    await gives([2, 1_000, IN_FEBRUARY]);
    await run(FEBRUARY);
    expect((await payouts()).slice(1)).toEqual([[2, "cash", 1_000, "600 of 1"]]);
  });

  it("takes the payouts of several debts together", async () => {
    await gives([1, -300], [2, -200], [3, 1_000]);
    await run();
    expect(await payouts()).toEqual([[3, "cash", 500, "300 of 1", "200 of 2"]]);
  });

  it.each([[-2_000], [-2_700], [-2_701]])(
    "of %i leaves no payout while the sum is not above zero",
    async (debt) => {
      await gives([1, debt], [2, 2_000], [3, 700]);
      await run();
      expect(await payouts()).toEqual(debt === -2_000 ? [[3, "cash", 700]] : []);
      await gives([1, 2_701 + 100, IN_FEBRUARY]);
      await run(FEBRUARY);
      const paid = (await app.records.all("payout")).reduce((sum, { amount }) => sum + amount, 0);
      expect(paid).toBe(2_000 + 700 + 2_801 + debt);
    },
  );

  it("is another promoter's own, and another unit's", async () => {
    await gives([1, -500]);
    await give(app, { promoter_id: 2, campaign_id: 2, amount: 800 });
    const jane = (await app.records.get("promoter", 1))!;
    await addCommission(app.context, jane, { campaign_id: 2, amount: 9, unit: "points" });
    await run();
    expect(await payouts()).toEqual([
      [2, "points", 9],
      [2, "cash", 800],
    ]);
  });

  it("is set off in other units, too, and new points wait for it", async () => {
    const jane = (await app.records.get("promoter", 1))!;
    await addCommission(app.context, jane, { campaign_id: 2, amount: -5, unit: "points" });
    const points = { commission_type: "custom", unit: "points", promoter_campaign_id: 1 };
    await call("POST /commissions", { ...points, amount: 8, event_date: IN_JANUARY });
    expect(await payouts()).toEqual([]);
    await run();
    expect(await payouts()).toEqual([[1, "points", 3, "5 of 2"]]);
    await call("POST /commissions", { ...points, amount: 4 });
    expect((await payouts()).slice(1)).toEqual([[1, "points", 4]]);
  });

  it("waits with a sum that stays below the minimum", async () => {
    account = await changeAccount(app.context, app.account_id, { min_payment_cents: 400 });
    await gives([1, -300], [2, 600], [3, 500]);
    await run();
    expect(await payouts()).toEqual([[3, "cash", 500]]);
    await gives([2, 200, IN_FEBRUARY]);
    await run(FEBRUARY);
    expect((await payouts()).slice(1)).toEqual([[2, "cash", 500, "300 of 1"]]);
  });

  it("is shown before the run", async () => {
    await gives([1, -500], [2, 2_000], [3, 400]);
    const { body } = await call("GET /payout_runs/preview");
    const shown = (body as { data: Record<string, unknown>[] }).data.map(
      ({ id, amount, set_off, not_paid_because }) => [id, amount, set_off, not_paid_because],
    );
    expect(shown).toEqual([
      ["1-1-cash", -500, 0, "There is nothing to pay: the sum is not above zero"],
      ["1-2-cash", 2_000, 500, null],
      ["1-3-cash", 400, 0, null],
    ]);
  });

  it("is set off again by the next run if the payout is cancelled, and nothing of it can be changed", async () => {
    await gives([1, -500], [2, 2_000]);
    await run();
    const [{ id }] = (await app.records.all("payout")) as [RecordOf<"payout">];
    const pair = (await app.records.all("commission")).filter(({ set_off }) => set_off !== undefined);
    expect(
      pair.map(({ campaign_id, amount, payout_id, set_off }) => [campaign_id, amount, payout_id, set_off]),
    ).toEqual([
      [2, -500, id, { campaign_id: 1 }],
      [1, 500, null, { campaign_id: 2 }],
    ]);
    const before = await app.records.all("commission");
    for (const each of pair) {
      const refused = `Commission ${each.id} sets a debt in another campaign off and can't be changed`;
      const said = { ids: [each.id] };
      for (const action of ["deny", "destroy"]) {
        const method = action === "destroy" ? "DELETE" : "POST";
        const { body } = await app.v2(method, `/commissions/${action}`, said);
        expect(JSON.stringify(body)).toContain(refused);
      }
      const { body } = await app.v2("POST", "/commissions/generate_payouts", said);
      expect(JSON.stringify(body)).toContain("It sets off a debt in another campaign");
    }
    expect(await app.records.all("commission")).toEqual(before);
    await call("POST /payouts/cancel", { ids: [id] });
    await run(FEBRUARY);
    expect((await payouts()).slice(1)).toEqual([[2, "cash", 1_500]]);
  });

  it("counts nothing in reports, and moves in the books from one campaign to the other", async () => {
    await gives([1, -500], [2, 2_000]);
    const report = async () =>
      (await v1(app, "GET", "/reports/campaigns", { start_date: "2026-01-01", end_date: "2026-03-31" })).body;
    const before = await report();
    await run();
    expect(await report()).toEqual(before);
    const books = (await call("GET /books?from=2026-01-01&to=2026-03-31")).body;
    expect(books).toMatchObject({
      meta: { total: { earned: 2_000, reversed: 500, moved: 0, closing: 1_500 } },
    });
  });

  it("is set off once if the run is killed at any commit, and goes on beside another", async () => {
    for (let commits = 0; commits < 6; commits++) {
      const killed = await startProgram();
      const own = await changeAccount(killed.context, killed.account_id, {});
      for (const [campaignId, amount] of [
        [1, -900],
        [2, 600],
        [3, 500],
      ] as const)
        await give(killed, { campaign_id: campaignId, amount });
      const revive = failCommits(killed, new Error("killed"), (at) => at >= commits);
      await runPayouts(killed.context, own, JANUARY).catch(() => {});
      revive();
      const again = () => runPayouts(killed.context, own, JANUARY);
      await Promise.all([again(), again()]);
      const made = await killed.records.all("payout");
      expect(made.map(({ campaign_id, amount }) => [campaign_id, amount])).toEqual([[3, 200]]);
      expect(await faultsOf(killed)).toEqual([]);
      await killed.close();
    }
  });
});

const group = fc.record({
  promoter_id: fc.constantFrom(1, 2),
  campaign_id: fc.constantFrom(1, 2, 3),
  amount: fc.constantFrom(-1_500, -700, -1, 1, 300, 700, 2_000),
  at: fc.constantFrom(IN_JANUARY, IN_FEBRUARY),
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("give" as const), group }) },
  fc.record({ kind: fc.constant("deny" as const), at: fc.nat(30) }),
  fc.record({
    kind: fc.constantFrom("mark_as_paid", "mark_as_unpaid", "cancel", "destroy"),
    at: fc.nat(10),
  }),
);

it("whatever is given, denied, cancelled and paid, a run pays what is left of all campaigns, and the laws hold", async () => {
  const months = ["2025-12", "2026-01", "2026-02"].map(month);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 8 }), { minLength: 3, maxLength: 3 }),
      async (parts) => {
        const app = await startProgram();
        const account = await changeAccount(app.context, app.account_id, {});
        for (const [at, steps] of parts.entries()) {
          for (const each of steps) await take(app, each);
          const owed = await unpaidOf(app, months[at]!.end);
          const known = new Set((await app.records.all("payout")).map(({ id }) => id));
          for await (const _ of payoutSteps(app.context, account, months[at]!));
          const made = (await app.records.all("payout")).filter(({ id }) => !known.has(id));
          for (const id of [1, 2]) {
            const own = made.filter(({ promoter_id }) => promoter_id === id);
            const paid = own.reduce((sum, { amount }) => sum + amount, 0);
            expect(paid).toBe(Math.max(0, owed[id]!));
          }
          expect([...(await faultsOf(app)), ...(await setOffFaults(app))]).toEqual([]);
        }
        await app.close();
      },
    ),
    { numRuns: rounds(6, 40) },
  );
});

async function take(
  app: TestApp,
  each: typeof step extends fc.Arbitrary<infer S> ? S : never,
): Promise<void> {
  if (each.kind === "give") return give(app, each.group);
  const method = each.kind === "destroy" ? "DELETE" : "POST";
  const from = each.kind === "deny" ? "commissions" : "payouts";
  const all = await app.records.all(each.kind === "deny" ? "commission" : "payout");
  const id = all[each.at % Math.max(1, all.length)]?.id;
  if (id !== undefined) await app.v2(method, `/${from}/${each.kind}`, { ids: [id] });
}

/** What each promoter has in no payout, of all campaigns, made until an instant. */
async function unpaidOf(app: TestApp, until: string): Promise<Record<number, number>> {
  const owed: Record<number, number> = { 1: 0, 2: 0 };
  for (const { promoter_id, amount, status, payout_id, created_at } of await app.records.all("commission"))
    if (status === "approved" && payout_id === null && created_at <= until) owed[promoter_id]! += amount;
  return owed;
}

/** Where what payouts say was set off differs from their commissions, or a pair from zero. */
async function setOffFaults(app: TestApp): Promise<string[]> {
  const pairs = (await app.records.all("commission")).filter(({ set_off }) => set_off !== undefined);
  const sum = pairs.reduce((total, { amount }) => total + amount, 0);
  const payouts = (await app.records.all("payout")).filter(({ status }) => status !== "cancelled");
  return [
    ...(sum === 0 ? [] : [`the pairs add up to ${sum}`]),
    ...payouts.flatMap(({ id, set_offs = [] }) => {
      const said = set_offs.reduce((total, { amount }) => total + amount, 0);
      const own = pairs.filter(({ payout_id, amount }) => payout_id === id && amount < 0);
      const written = own.reduce((total, { amount }) => total - amount, 0);
      return said <= written ? [] : [`payout ${id} says ${said}, and its commissions ${written}`];
    }),
  ];
}
