import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { cashOf, makeReward, offer, trackV2, type SchemaInput } from "../../support/money.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await join(app, "jane@example.com", { ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

let sold = 0;
beforeEach(() => void (sold = 0));

/** Sells to a lead of Jane's. Returns the amounts that it earned. */
async function sell(name: string, amount = 10_000, more: object = {}): Promise<number[]> {
  const sale = { email: `${name}@example.com`, ref_id: "jane", event_id: `inv_${++sold}`, amount };
  const { status, body } = await trackV2(app, "sale", { ...sale, ...more });
  expect(status).toBe(200);
  return amountsOf(body);
}

let refunded = 0;
/** Refunds a sale of a lead. Returns the amounts that it takes back. */
async function refund(name: string, sale: number, amount = 10_000): Promise<number[]> {
  const params = { email: `${name}@example.com`, event_id: `re_${++refunded}`, amount };
  const before = await allAmounts();
  const { status } = await trackV2(app, "refund", { ...params, sale_event_id: `inv_${sale}` });
  expect(status).toBe(200);
  return (await allAmounts()).slice(before.length);
}

const amountsOf = (body: unknown) =>
  (body as { commissions: { amount: number }[] }).commissions.map(({ amount }) => amount);
async function allAmounts(): Promise<number[]> {
  const { body } = await app.v2("GET", "/commissions?per_page=100");
  return (body as { amount: number }[]).map(({ amount }) => amount);
}

const customers = (operator: string, value: number) =>
  rule("promoter_campaign_customers_count", operator, value);
const revenue = (operator: string, value: number) => rule("promoter_campaign_revenue", operator, value);
function rule(type: string, operator: string, value: number) {
  return { type, operator, value };
}

/** Offers a bonus of 7.00 beside ten percent of each sale, unless other amounts are given. */
async function offerTarget(rules: object[], ...more: SchemaInput[]): Promise<number> {
  const bonus = [{ amount: 7, flat_amount: true, rules }, ...more];
  const target = await makeReward(app, bonus, { promoter_reward_type: "target" });
  await offer(app, await makeReward(app), target);
  return target;
}

describe("the bonus of a target", () => {
  it("is given once for a sale, however many pieces were sold", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    expect(await sell("ann", 10_000, { quantity: 3 })).toEqual([1_000, 700]);
    expect(await sell("ann", 10_000, { quantity: 3 })).toEqual([1_000]);
  });

  it("stays whole while the target is still reached, whatever part of the sale is refunded", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    expect(await sell("ann", 15_000)).toEqual([1_500, 700]);
    expect(await refund("ann", 1, 5_000)).toEqual([-500]);
    expect(await sell("bob", 10_000)).toEqual([1_000]);
    expect(await refund("ann", 1, 10_000)).toEqual([-1_000]);
    expect(await cashOf(app, 1)).toEqual([1_700, 1_700, 0]);
  });

  it("goes back whole when a refund of its sale leaves too little, and can be reached again, once", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    expect(await sell("ann", 6_000)).toEqual([600]);
    expect(await sell("bob", 6_000)).toEqual([600, 700]);
    expect(await refund("bob", 2, 3_000)).toEqual([-300, -700]);
    expect((await v1Promoter()).promotions[0]!.target_reached_at).toBe(null);
    // The refunded part does not count any more: 9,999 are left with this sale.
    expect(await sell("zoe", 999)).toEqual([100]);
    expect(await refund("bob", 2, 2_000)).toEqual([-200]);
    expect(await sell("zoe", 2_000)).toEqual([200]);
    expect(await sell("zoe", 1)).toEqual([700]);
    expect(await refund("bob", 2, 1_000)).toEqual([-100]);
    expect(await sell("ann", 10_000)).toEqual([1_000]);
  });

  it("stays when another sale is refunded", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    await sell("ann", 6_000);
    expect(await sell("bob", 6_000)).toEqual([600, 700]);
    expect(await refund("ann", 1, 6_000)).toEqual([-600]);
  });

  it("for customers goes back with the customer, and comes with the next one", async () => {
    await offerTarget([customers(">=", 2)]);
    await sell("ann");
    expect(await sell("bob")).toEqual([1_000, 700]);
    expect(await refund("bob", 2, 9_999)).toEqual([-1_000]);
    expect(await refund("bob", 2, 1)).toEqual([-700]);
    // Ann alone is one customer.
    expect(await sell("ann")).toEqual([1_000]);
    expect(await sell("zoe")).toEqual([1_000, 700]);
  });

  it("for customers comes again when the customer buys again", async () => {
    await offerTarget([customers(">=", 2)]);
    await sell("ann");
    await sell("bob");
    expect(await refund("bob", 2)).toEqual([-1_000, -700]);
    expect(await sell("bob")).toEqual([1_000, 700]);
    expect(await refund("bob", 3)).toEqual([-1_000, -700]);
  });

  it.each([
    ["equal to", 2],
    ["multiple of", 2],
    ["less than or equal to", 2],
  ])("stays if the count has grown past a rule with the operator %s", async (operator, value) => {
    await offerTarget([customers(operator, value), revenue(">=", 20_000)]);
    await sell("ann");
    expect(await sell("bob")).toEqual([1_000, 700]);
    await sell("zoe");
    expect(await refund("bob", 2, 1)).toEqual([]);
    expect(await refund("bob", 2, 9_999)).toEqual([-1_000]);
    expect(await cashOf(app, 1)).toEqual([2_700, 2_700, 0]);
  });

  it("goes by the rules of its day, even if they have changed since", async () => {
    const target = await offerTarget([revenue(">=", 10_000)]);
    expect(await sell("ann")).toEqual([1_000, 700]);
    const schemas = [{ unit: "cash", amount: 9, flat_amount: true, rules: [revenue(">=", 1)] }];
    await company(app, `PUT /rewards/${target}`, { schemas });
    expect(await refund("ann", 1, 5_000)).toEqual([-500, -700]);
  });

  it("of several amounts goes back one by one, and can be reached again when all are back", async () => {
    const points = { unit: "points", amount: 3, flat_amount: true, rules: [revenue(">=", 5_000)] };
    await offerTarget([revenue(">=", 10_000)], points);
    expect(await sell("ann")).toEqual([1_000, 700, 3]);
    expect(await refund("ann", 1, 1)).toEqual([-700]);
    expect(await sell("ann", 1_000)).toEqual([100]);
    expect(await refund("ann", 2, 1_000)).toEqual([-100]);
    expect(await refund("ann", 1, 9_999)).toEqual([-1_000, -3]);
    expect(await sell("zoe", 20_000)).toEqual([2_000, 700, 3]);
  });

  it("that was denied is taken back as denied", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    await sell("ann");
    await company(app, "POST /commissions/deny", { ids: [2] });
    expect(await refund("ann", 1)).toEqual([-1_000, -700]);
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
  });

  it("is taken back from the promoter who has it, when its lead has moved", async () => {
    await join(app, "lee@example.com", { ref_id: "lee" });
    await offerTarget([revenue(">=", 10_000)]);
    await sell("ann");
    await app.v1("/leads/update", { email: "ann@example.com", new_ref_id: "lee" });
    expect(await refund("ann", 1)).toEqual([-1_000, -700]);
    expect([await cashOf(app, 1), await cashOf(app, 2)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(await sell("bob")).toEqual([1_000, 700]);
  });
});

describe("what is refunded whole counts for no rule", () => {
  /** A reward of 100.00 beside ten percent, by rules. It is no target. */
  async function offerBy(...rules: object[]): Promise<void> {
    const more = { unit: "points", amount: 100, flat_amount: true };
    await offer(app, await makeReward(app, [{ amount: 10 }, { ...more, rules }]));
  }

  it("two refunded customers and a small sale reach no target for three customers", async () => {
    await offerTarget([customers(">=", 3)]);
    await sell("ann");
    await sell("bob");
    await refund("ann", 1);
    await refund("bob", 2);
    expect(await sell("zoe", 100)).toEqual([10]);
    expect(await sell("ann", 100)).toEqual([10]);
    expect(await sell("bob", 100)).toEqual([10, 700]);
  });

  it("nor revenue, whose refunded parts don't count either", async () => {
    await offerTarget([revenue(">=", 10_000)]);
    await sell("ann", 6_000);
    await refund("ann", 1, 6_000);
    expect(await sell("bob", 6_000)).toEqual([600]);
    await refund("bob", 2, 1);
    expect(await sell("zoe", 4_000)).toEqual([400]);
    expect(await sell("zoe", 1)).toEqual([700]);
  });

  it("neither do customers of rules that are no targets", async () => {
    await offerBy(customers(">=", 2));
    await sell("ann");
    await refund("ann", 1);
    expect(await sell("bob")).toEqual([1_000]);
    expect(await sell("ann")).toEqual([1_000, 100]);
  });

  it("nor their revenue", async () => {
    await offerBy(revenue(">=", 20_000));
    await sell("ann");
    await refund("ann", 1, 9_999);
    expect(await sell("bob")).toEqual([1_000]);
    expect(await sell("bob", 9_999)).toEqual([1_000, 100]);
  });

  it("nor the sales of a customer", async () => {
    await offerBy(rule("customer_sales_count", "equal to", 2));
    await sell("ann");
    await refund("ann", 1);
    expect([await sell("ann"), await sell("ann")]).toEqual([[1_000], [1_000, 100]]);
  });

  it("not even after the customer has moved, cancelled or was deleted", async () => {
    await join(app, "lee@example.com", { ref_id: "lee" });
    await offerBy(customers("equal to", 1));
    await sell("ann");
    await sell("bob");
    for (const [at, name] of ["ann", "bob"].entries()) {
      await app.v1("/track/cancellation", { email: `${name}@example.com` });
      await refund(name, at + 1);
    }
    await app.v1("/leads/update", { email: "bob@example.com", new_ref_id: "lee" });
    await app.v1("/leads/delete", { email: "ann@example.com" });
    expect(await sell("zoe")).toEqual([1_000, 100]);
    expect(await sell("mia", 10_000, { ref_id: "lee" })).toEqual([1_000, 100]);
  });
});

async function v1Promoter() {
  const { body } = await app.v1("/promoters/show", { promoter_email: "jane@example.com" });
  return body as { promotions: { target_reached_at: string | null }[] };
}
