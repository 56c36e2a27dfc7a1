import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import {
  accountOf,
  booksOf,
  connectPaddle,
  connectStripe,
  tellPaddle,
  tellStripe,
} from "../../support/billing.ts";
import { findFaults } from "../../support/consistency.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { adjustment, paddleEvent, transaction } from "../../support/paddle-events.ts";
import { runPayouts, month } from "../../support/payouts.ts";
import { rounds } from "../../support/rounds.ts";
import {
  charge,
  dispute,
  invoice,
  invoiceLine,
  refundedFrom,
  SECONDS,
  session,
  stripeEvent,
} from "../../support/stripe-events.ts";

const OWN = { invoice: null, subscription: null };

/** All that Stripe tells without an API key of one payment: its charge without tax, then two objects with it. */
const CHARGED = stripeEvent("charge.succeeded", charge({ invoice: null }));
const CHECKED_OUT = stripeEvent("checkout.session.completed", session({ ...OWN, payment_intent: "pi_1" }));
const CHECKED_OUT_WITH_INVOICE = stripeEvent(
  "checkout.session.completed",
  session({ payment_intent: "pi_1", subscription: null }),
);
const INVOICED = stripeEvent(
  "invoice.paid",
  invoice({ parent: null, lines: { data: [invoiceLine({ quantity: 3 })] } }),
);
const REFUNDED = refundedFrom(0, 3_001, { invoice: null });
const DISPUTED = stripeEvent("charge.dispute.created", dispute());
const WITHDRAWN = stripeEvent("charge.dispute.funds_withdrawn", dispute());
const REINSTATED = stripeEvent("charge.dispute.funds_reinstated", dispute({ status: "won" }));

/** A parent, a promoter and one who shares; rewards of every kind. */
async function foundProgram(): Promise<TestApp> {
  const app = await startApp();
  await app.v1("/promoters/create", { email: "pam@example.com", first_name: "Pam" });
  await app.v1("/promoters/create", {
    email: "jane@example.com",
    first_name: "Jane",
    parent_promoter_id: "1",
  });
  await app.v1("/promoters/create", { email: "sue@example.com", first_name: "Sue" });
  const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_commission_mode" };
  await offer(
    app,
    await makeReward(app, [{ amount: 13.37 }, { amount: 7, flat_amount: true, unit: "points" }]),
    await makeReward(app, [{ amount: 33.33 }], { name: "tier", ...tier }),
  );
  await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
  const split = { promoter_campaign_id: 3, percentage: 33.3333 };
  await app.v2("PUT", "/referrals/1", { split_details: [split] });
  await connectStripe(app);
  return app;
}

/** What is left when all events have come. */
async function left(app: TestApp) {
  const { sales } = await booksOf(app);
  const { body } = await app.v2("GET", "/promoters/2");
  const { stats } = body as { stats: Record<string, number> };
  const points = [];
  for (const id of [1, 2, 3]) points.push((await app.v2("GET", `/promoters/${id}`)).body);
  return {
    sale: sales.filter(([, amount]) => amount !== 0).map(([, amount, refunded]) => [amount, refunded]),
    cash: [await cashOf(app, 1), await cashOf(app, 2), await cashOf(app, 3)].map(([earned]) => earned),
    points: points.map(
      (each) =>
        (each as { balances: { earnings_balance: { points?: number } } }).balances.earnings_balance.points ??
        0,
    ),
    revenue: [stats["sales_count"], stats["revenue_amount"]],
    breaches: await lastingBreaches(app.services.store, app.account_id),
    bugs: app.bugs,
  };
}

/** Pam's, Jane's and Sue's part of 13.37 % of the sale, by what was refunded of 10,000. */
const LEFT_CASH: Record<number, number[]> = { 0: [446, 891, 446], 2_501: [334, 668, 334], 10_000: [0, 0, 0] };
/** The same of seven points for each piece. 0: of one piece, partly refunded. */
const LEFT_POINTS: Record<number, number[]> = { 0: [0, 4, 1], 1: [0, 5, 2], 3: [0, 14, 7] };

it.each<[string, number, object[]]>([
  ["a charge and a checkout", 0, [CHARGED, CHECKED_OUT]],
  ["a charge, an invoice, and the checkout of both", 0, [CHARGED, INVOICED, CHECKED_OUT_WITH_INVOICE]],
  ["with a refund and a dispute that is won", 2_501, [CHARGED, CHECKED_OUT, REFUNDED, DISPUTED, REINSTATED]],
  [
    "with an invoice, a refund and a dispute",
    10_000,
    [CHARGED, INVOICED, CHECKED_OUT_WITH_INVOICE, REFUNDED, WITHDRAWN],
  ],
  [
    "with an invoice and a dispute that is won",
    0,
    [CHARGED, INVOICED, CHECKED_OUT_WITH_INVOICE, WITHDRAWN, REINSTATED],
  ],
])("ends in the same sums in every order, each event told twice: %s", async (_, refunded, events) => {
  const quantity = events.includes(INVOICED) ? 3 : 1;
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(events, { minLength: events.length }), async (told) => {
      const app = await foundProgram();
      // They come in some order, and then all again.
      for (const event of [...told, ...told]) expect((await tellStripe(app, event)).status).toBe(200);
      expect(await left(app)).toEqual({
        sale: [[10_000, refunded]],
        cash: LEFT_CASH[refunded],
        points: refunded === 10_000 ? [0, 0, 0] : LEFT_POINTS[refunded === 0 ? quantity : 0],
        revenue: [1, 10_000],
        breaches: [],
        bugs: [],
      });
      expect(await findFaults(app.stored.engine)).toEqual([]);
      await app.close();
    }),
    { numRuns: rounds(3, 40) },
  );
});

it("leaves a commission that was paid as it is, and takes the rest of it back by a further one", async () => {
  const app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
  await connectStripe(app);
  const february = SECONDS - 10 * 86_400;
  await tellStripe(app, stripeEvent("charge.succeeded", charge({ invoice: null, created: february })));
  await runPayouts(
    app.context,
    await accountOf(app),
    month(new Date(february * 1_000).toISOString().slice(0, 7)),
  );
  await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
  const list = async (path: string) => (await app.v2("GET", path)).body as Record<string, unknown>[];
  const [paid] = await list("/commissions");
  expect(paid).toMatchObject({ amount: 1_200, sale_amount: 12_000, is_paid: true });

  expect(await tellStripe(app, CHECKED_OUT)).toMatchObject({
    body: { outcome: "known", reason: "It was recorded before, and its amount is corrected" },
  });
  expect(await tellStripe(app, CHECKED_OUT)).toMatchObject({
    body: { outcome: "known", reason: "It was recorded before" },
  });
  const [correction, first] = await list("/commissions?sorting[created_at]=desc");
  expect([first, correction].map((each) => [each!["amount"], each!["status"], each!["is_paid"]])).toEqual([
    [1_200, "approved", true],
    [-200, "approved", false],
  ]);
  expect(await list("/commissions?filters[refunded]=true")).toEqual([]);
  expect((await list("/payouts")).map((payout) => payout["amount"])).toEqual([1_200]);
  expect(await cashOf(app, 1)).toEqual([1_000, -200, 1_200]);
  expect([await lastingBreaches(app.services.store, app.account_id), app.bugs]).toEqual([[], []]);
  await app.close();
});

describe("what a sale counts of a payment", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await offer(app, await makeReward(app));
    await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net", uid: "ctm_1" });
    await connectStripe(app);
    await connectPaddle(app);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const choose = (base: object) => app.v2("PUT", "/account", { commission_base: base });
  const books = async () => {
    const { sales, earned } = await booksOf(app);
    return { sales: sales.map(([, amount, refunded]) => [amount, refunded]), earned };
  };

  /** 120.00, of which 20.00 are tax and 15.00 are shipping without its tax. */
  const SHIPPED = { amount_total: 1_800, amount_subtotal: 1_500, amount_tax: 300 };
  const SHIPPED_CHECKOUT = stripeEvent(
    "checkout.session.completed",
    session({ ...OWN, payment_intent: "pi_1", shipping_cost: SHIPPED }),
  );
  const SHIPPED_INVOICE = stripeEvent("invoice.paid", invoice({ shipping_cost: SHIPPED }));

  it.each<[string, object, number]>([
    ["less tax, as usual", {}, 10_000],
    ["all of it", { less_tax: false }, 12_000],
    ["less tax and shipping", { less_shipping: true }, 8_500],
    ["less shipping", { less_tax: false, less_shipping: true }, 10_500],
    ["less tax, shipping and fees", { less_shipping: true, fee_percentage: 2.9 }, 8_254],
    ["less tax and fees", { fee_percentage: 10 }, 9_000],
  ])("is %s, and a refund takes back its part of that", async (_, base, amount) => {
    await choose(base);
    for (const event of [SHIPPED_CHECKOUT, SHIPPED_INVOICE]) await tellStripe(app, event);
    expect((await books()).sales).toEqual([
      [amount, 0],
      [amount, 0],
    ]);
    await tellStripe(app, refundedFrom(0, 6_000));
    expect((await books()).sales).toEqual([
      [amount, amount / 2],
      [amount, 0],
    ]);
    await tellStripe(app, refundedFrom(6_000, 12_000));
    expect(await books()).toEqual({
      sales: [
        [amount, amount],
        [amount, 0],
      ],
      earned: Math.round(amount / 10),
    });
  });

  it("is corrected by the terms of the sale, whatever the account chose since", async () => {
    await choose({ less_shipping: true, fee_percentage: 10 });
    await tellStripe(app, CHARGED);
    expect(await books()).toEqual({ sales: [[10_800, 0]], earned: 1_080 });
    await choose({ less_tax: false, less_shipping: false, fee_percentage: 0 });
    await tellStripe(app, SHIPPED_CHECKOUT);
    expect(await books()).toEqual({ sales: [[7_650, 0]], earned: 765 });
    await tellStripe(app, REFUNDED);
    expect(await books()).toEqual({ sales: [[7_650, 1_913]], earned: 574 });
  });

  it("is chosen for Paddle, too, where a refund says its own tax", async () => {
    await choose({ fee_percentage: 10 });
    await tellPaddle(app, paddleEvent("transaction.completed", transaction()));
    await choose({ fee_percentage: 50 });
    await tellPaddle(app, paddleEvent("adjustment.updated", adjustment()));
    expect(await books()).toEqual({ sales: [[9_000, 3_600]], earned: 540 });
    await choose({ less_tax: false, fee_percentage: 0 });
    await tellPaddle(app, paddleEvent("transaction.completed", transaction({ id: "txn_2" })));
    const refund = adjustment({ id: "adj_2", transaction_id: "txn_2" });
    await tellPaddle(app, paddleEvent("adjustment.updated", refund));
    expect((await books()).sales[1]).toEqual([11_900, 4_760]);
  });

  it("leaves sales as they are that the account sends itself", async () => {
    await choose({ less_shipping: true, fee_percentage: 10 });
    await app.v1("/track/sale", { email: "sam@example.net", event_id: "s1", amount: "1000" });
    expect((await books()).sales).toEqual([[1_000, 0]]);
  });

  it("makes a payment for shipping alone a sale of nothing", async () => {
    await choose({ less_shipping: true });
    const only = { amount_total: 12_000, amount_subtotal: 10_000, amount_tax: 2_000 };
    const checkout = session({ ...OWN, payment_intent: "pi_1", shipping_cost: only });
    await tellStripe(app, CHARGED);
    await tellStripe(app, stripeEvent("checkout.session.completed", checkout));
    expect(await books()).toEqual({ sales: [[0, 0]], earned: 0 });
  });
});

it("a reward that is given once stays with the payment that has it, through corrections, and is free when it is refunded", async () => {
  const app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  const once = await makeReward(app, [{ amount: 50 }], { duration: "once" });
  await offer(app, once, await makeReward(app));
  await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
  await connectStripe(app);
  const earned = async () => (await cashOf(app, 1))[0];
  await tellStripe(app, CHARGED);
  expect(await earned()).toBe(6_000);
  const sell = (event_id: string) =>
    app.v1("/track/sale", {
      email: "sam@example.net",
      event_id,
      amount: "1000",
      created_at: "2026-01-01",
    });
  expect((await sell("early")).status).toBe(200);
  expect(await earned()).toBe(100 + 6_000);
  await tellStripe(app, CHECKED_OUT);
  expect(await earned()).toBe(100 + 5_000);
  await tellStripe(app, refundedFrom(0, 12_000, { invoice: null }));
  expect(await earned()).toBe(100);
  expect((await sell("again")).status).toBe(200);
  expect([await earned(), await lastingBreaches(app.services.store, app.account_id), app.bugs]).toEqual([
    100 + 500,
    [],
    [],
  ]);
  await app.close();
});

describe("a reported payment", () => {
  let app: TestApp;
  /** Pam is above Jane, who has the lead. Lee gets a part of what Jane earns. */
  beforeEach(async () => {
    app = await startApp();
    for (const name of ["jane", "pam", "lee", "zoe"])
      await app.v1("/promoters/create", { email: `${name}@example.com`, first_name: name });
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net", uid: "cus_1" });
    await connectStripe(app);
  });
  afterEach(async () => {
    expect([await lastingBreaches(app.services.store, app.account_id), app.bugs]).toEqual([[], []]);
    await app.close();
  });

  /** What Jane, Pam, Lee and Zoe have earned. */
  const earned = async () => {
    const balances = [];
    for (const id of [1, 2, 3, 4]) balances.push((await cashOf(app, id))[0]);
    return balances;
  };
  const tell = async (...events: object[]) => {
    for (const event of events) expect(await tellStripe(app, event)).toMatchObject({ status: 200 });
  };
  const split = (percentage: number) =>
    app.v2("PUT", "/referrals/1", { split_details: [{ promoter_campaign_id: 3, percentage }] });
  const half = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_commission_mode" };
  const target = (revenue: number) => {
    const rules = [{ type: "promoter_campaign_revenue", operator: ">=", value: revenue }];
    const bonus = [{ amount: 7, flat_amount: true, rules }];
    return makeReward(app, bonus, { promoter_reward_type: "target" });
  };

  it("that is disputed frees a reward that is given once; if it is won, it earns by it again", async () => {
    const once = await makeReward(app, [{ amount: 50 }], { duration: "once" });
    await offer(app, once, await makeReward(app), await makeReward(app, [{ amount: 50 }], half));
    await split(25);
    const sell = async (event_id: string) => {
      const sale = { email: "sam@example.net", event_id, amount: "1000", created_at: "2026-01-01" };
      expect((await app.v1("/track/sale", sale)).status).toBe(200);
    };
    await tell(CHARGED, DISPUTED);
    expect(await earned()).toEqual([0, 0, 0, 0]);
    await sell("second");
    expect(await earned()).toEqual([375, 250, 125, 0]);
    await tell(REINSTATED);
    expect(await earned()).toEqual([375 + 4_500, 250 + 3_000, 125 + 1_500, 0]);
    const refund = { email: "sam@example.net", event_id: "re", sale_event_id: "second", amount: "1000" };
    await app.v1("/track/refund", refund);
    // The payment has it again, so the next sale has not.
    await sell("third");
    expect(await earned()).toEqual([75 + 4_500, 50 + 3_000, 25 + 1_500, 0]);
  });

  it.each([
    ["before", [CHARGED, INVOICED, CHECKED_OUT_WITH_INVOICE]],
    ["after", [INVOICED, CHARGED, CHECKED_OUT_WITH_INVOICE]],
  ])("pays for each item, and one bonus, if its charge comes %s its invoice", async (_, events) => {
    const each = await makeReward(app, [{ amount: 5, flat_amount: true }]);
    await offer(app, each, await target(10_000), await makeReward(app, [{ amount: 50 }], half));
    await split(50);
    await tell(...events);
    // Three times 5.00, of which Lee gets half. Pam gets half of all, the bonus included.
    expect(await earned()).toEqual([750 + 700, 1_100, 750, 0]);
    await tell(DISPUTED);
    expect(await earned()).toEqual([0, 0, 0, 0]);
    await tell(REINSTATED);
    expect(await earned()).toEqual([750 + 700, 1_100, 750, 0]);
  });

  it.each([
    ["before", [CHARGED, CHECKED_OUT]],
    ["after", [CHECKED_OUT, CHARGED]],
  ])("reaches no target with its tax, if its charge comes %s its checkout", async (_, events) => {
    await offer(app, await makeReward(app), await target(11_000));
    await tell(...events);
    expect(await earned()).toEqual([1_000, 0, 0, 0]);
  });

  it.each([
    [true, [0, 500, 250, 750]],
    [false, [750, 500, 250, 0]],
  ])("is corrected where its commissions are (they moved with the lead: %s)", async (isMoved, expected) => {
    await offer(app, await makeReward(app), await makeReward(app, [{ amount: 50 }], half));
    await split(25);
    await tell(CHARGED);
    const moved = { ids: [1], promoter_campaign_id: 4, move_associated_commissions: isMoved };
    await app.v2("POST", "/referrals/move_to_promoter", moved);
    await tell(CHECKED_OUT);
    expect(await earned()).toEqual(expected);
    await tell(DISPUTED, REINSTATED);
    expect(await earned()).toEqual(expected);
  });
});
