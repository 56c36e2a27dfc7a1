import { describe, expect, it } from "vitest";
import { earningsOf, type EarningInput } from "../../server/domain/ledger/commission/earnings.ts";
import { rulesHold } from "../../server/domain/program/reward/reward.ts";
import { entry, flat, percent, reward, tier, tierReward } from "../support/rewards.ts";

const SALE = {
  amount_cents: 10_000,
  currencyDigits: 2,
  quantity: 1,
  product_id: null,
  plan_id: null,
  billing_period: null,
} as const;
const HISTORY = { ageInMonths: 0, sales_count: 1, once_reward_ids: [] };

/** Each amount as `level: amount unit (reward) to promoter campaign`. */
function earned(
  input: Partial<Omit<EarningInput, "sale">> & { sale?: Partial<EarningInput["sale"]> },
): string[] {
  const { tiers = [], history = HISTORY, splits = [] } = input;
  return earningsOf({ sale: { ...SALE, ...input.sale }, tiers, history, splits }).map(
    ({ tier_level, amount, unit, reward: { id }, promoter_campaign_id }) =>
      `${tier_level}: ${amount} ${unit} (${id}) to ${promoter_campaign_id}`,
  );
}

type Row = [what: string, input: Parameters<typeof earned>[0], amounts: string[]];

const ten = reward(1, [percent(10)]);
const own = (...entries: ReturnType<typeof entry>[]) => [tier(1, entries)];

describe("a sale earns", () => {
  it.each<Row>([
    ["nothing without a reward", { tiers: own() }, []],
    ["nothing without a promoter who may earn", { tiers: [] }, []],
    ["a percentage", { tiers: own(entry(ten)) }, ["1: 1000 cash (1) to 1"]],
    [
      "half a cent as a cent",
      { tiers: own(entry(reward(1, [percent(12.5)]))), sale: { amount_cents: 4 } },
      ["1: 1 cash (1) to 1"],
    ],
    ["nothing of less than half a cent", { tiers: own(entry(ten)), sale: { amount_cents: 4 } }, []],
    [
      "a percentage of four decimals",
      { tiers: own(entry(reward(1, [percent(33.3333)]))), sale: { amount_cents: 1_000_000 } },
      ["1: 333333 cash (1) to 1"],
    ],
    [
      "a flat amount for each piece",
      { tiers: own(entry(reward(1, [flat(1.5)]))), sale: { quantity: 3 } },
      ["1: 450 cash (1) to 1"],
    ],
    [
      "a flat amount of a currency without decimals",
      { tiers: own(entry(reward(1, [flat(150)]))), sale: { currencyDigits: 0 } },
      ["1: 150 cash (1) to 1"],
    ],
    [
      "one commission for each schema",
      { tiers: own(entry(reward(1, [percent(10), flat(5, "points"), flat(2, "credits")]))) },
      ["1: 1000 cash (1) to 1", "1: 5 points (1) to 1", "1: 2 credits (1) to 1"],
    ],
    [
      "points by the whole units of the currency",
      { tiers: own(entry(reward(1, [{ ...percent(10), unit: "points" }]))) },
      ["1: 10 points (1) to 1"],
    ],
  ])("%s", (_, input, amounts) => {
    expect(earned(input)).toEqual(amounts);
  });
});

describe("of several rewards", () => {
  const twenty = reward(2, [percent(20)]);
  const nothing = reward(3, [percent(0)]);
  const points = reward(4, [flat(5, "points")]);
  const specific = { apply_on: "specific", product_ids: [7] } as const;
  const monthly = { apply_on: "monthly" } as const;
  it.each<Row>([
    ["the first is given", { tiers: own(entry(ten), entry(twenty)) }, ["1: 1000 cash (1) to 1"]],
    [
      "one for each unit is given",
      { tiers: own(entry(ten), entry(points)) },
      ["1: 1000 cash (1) to 1", "1: 5 points (4) to 1"],
    ],
    [
      "the one for the product is given",
      {
        tiers: own(entry(ten), entry(ten, monthly), entry(twenty, { ...specific, product_ids: [7] })),
        sale: { product_id: 7, billing_period: "monthly" },
      },
      ["1: 2000 cash (2) to 1"],
    ],
    [
      "the one for another product is not",
      { tiers: own(entry(twenty, { ...specific, product_ids: [7] })), sale: { product_id: 8 } },
      [],
    ],
    ...(["monthly", "yearly", "one_time"] as const).map((billingPeriod): Row => [
      `the one for ${billingPeriod} sales is given`,
      {
        tiers: own(entry(ten), entry(twenty, { apply_on: billingPeriod })),
        sale: { billing_period: billingPeriod },
      },
      ["1: 2000 cash (2) to 1"],
    ]),
    [
      "the one for another billing period is not",
      { tiers: own(entry(ten), entry(twenty, monthly)), sale: { billing_period: "yearly" } },
      ["1: 1000 cash (1) to 1"],
    ],
    [
      "one of zero excludes the sale",
      { tiers: own(entry(ten), entry(nothing, { ...specific, product_ids: [7] })), sale: { product_id: 7 } },
      [],
    ],
  ])("%s", (_, input, amounts) => {
    expect(earned(input)).toEqual(amounts);
  });
});

describe("a reward", () => {
  const once = reward(5, [percent(50)], { duration: "once" });
  const year = reward(6, [percent(30)], { duration: "repeating", duration_months: 12 });
  const target = reward(7, [flat(100, "cash", [rule("promoter_campaign_customers_count", ">=", 10)])], {
    promoter_reward_type: "target",
  });
  const reached = (customersCount: number, targetsReached: { reward_id: number; at: string }[] = []) => {
    const made = tier(1, [entry(target)], { customersCount });
    return [{ ...made, promoterCampaign: { ...made.promoterCampaign, targets_reached: targetsReached } }];
  };
  it.each<Row>([
    ["given once is given with the first sale", { tiers: own(entry(once)) }, ["1: 5000 cash (5) to 1"]],
    [
      "given once leaves later sales to the next reward",
      { tiers: own(entry(once), entry(ten)), history: { ...HISTORY, once_reward_ids: [5] } },
      ["1: 1000 cash (1) to 1"],
    ],
    [
      "that repeats is given in its last month",
      { tiers: own(entry(year)), history: { ...HISTORY, ageInMonths: 11 } },
      ["1: 3000 cash (6) to 1"],
    ],
    [
      "that is given for ever never ends",
      {
        tiers: own(entry(reward(8, [percent(30)], { duration: "forever" }))),
        history: { ...HISTORY, ageInMonths: 999 },
      },
      ["1: 3000 cash (8) to 1"],
    ],
    ["that repeats ends", { tiers: own(entry(year)), history: { ...HISTORY, ageInMonths: 12 } }, []],
    ["for a target waits for it", { tiers: reached(9) }, []],
    ["for a target is given when it is reached", { tiers: reached(10) }, ["1: 10000 cash (7) to 1"]],
    [
      "for a target is given once for a sale of several pieces",
      { tiers: reached(10), sale: { quantity: 3 } },
      ["1: 10000 cash (7) to 1"],
    ],
    ["for a target is given once", { tiers: reached(11, [{ reward_id: 7, at: "" }]) }, []],
    [
      "for a target needs a rule",
      { tiers: own(entry(reward(8, [flat(1)], { promoter_reward_type: "target" }))) },
      [],
    ],
    [
      "with two rates pays the one whose rule holds",
      {
        tiers: own(
          entry(
            reward(9, [
              percent(30, [rule("customer_sales_count", "<=", 3)]),
              percent(10, [rule("customer_sales_count", ">", 3)]),
            ]),
          ),
        ),
        history: { ...HISTORY, sales_count: 4 },
      },
      ["1: 1000 cash (9) to 1"],
    ],
  ])("%s", (_, input, amounts) => {
    expect(earned(input)).toEqual(amounts);
  });
});

describe("tiers", () => {
  const three = (mode: "tier_commission_mode" | "tier_override_mode" | "tier_net_override_mode") => [
    tier(1, [entry(ten)]),
    tier(2, [entry(tierReward([2, 2], [percent(10)], mode))]),
    tier(3, [entry(tierReward([3, 3], [percent(50)], mode))]),
  ];
  it.each([
    ["tier_commission_mode", ["1: 1000 cash (1) to 1", "2: 100 cash (2) to 2", "3: 50 cash (3) to 3"]],
    ["tier_override_mode", ["1: 1000 cash (1) to 1", "2: 1000 cash (2) to 2", "3: 5000 cash (3) to 3"]],
    // 10 % of 9,000, then 50 % of 8,100.
    ["tier_net_override_mode", ["1: 1000 cash (1) to 1", "2: 900 cash (2) to 2", "3: 4050 cash (3) to 3"]],
  ] as const)("are paid by %s", (mode, amounts) => {
    expect(earned({ tiers: three(mode) })).toEqual(amounts);
  });

  it("never get a negative part of the rest", () => {
    const tiers = [
      tier(1, [entry(reward(1, [flat(150)]))]),
      tier(2, [entry(tierReward([2, 2], [percent(10)], "tier_net_override_mode"))]),
    ];
    expect(earned({ tiers })).toEqual(["1: 15000 cash (1) to 1"]);
  });

  it("are paid nothing if the level below earns nothing", () => {
    const [first, , third] = three("tier_commission_mode");
    expect(earned({ tiers: [first!, third!] })).toEqual(["1: 1000 cash (1) to 1"]);
  });

  it("are not paid by the reward of another level", () => {
    const tiers = [
      tier(1, [entry(ten)]),
      tier(2, [entry(ten), entry(tierReward([3, 3], [percent(50)], null))]),
    ];
    expect(earned({ tiers })).toEqual(["1: 1000 cash (1) to 1"]);
  });
});

describe("splits", () => {
  const splits = [
    { promoter_campaign_id: 8, percent_ten_thousandths: 333_333 },
    { promoter_campaign_id: 9, percent_ten_thousandths: 333_333 },
  ];
  const tiers = [
    tier(1, [entry(ten)]),
    tier(2, [entry(tierReward([2, 2], [percent(10)], "tier_commission_mode"))]),
  ];

  it("share a commission to the cent, and leave its tiers whole", () => {
    expect(earned({ tiers, splits, sale: { amount_cents: 1_000 } })).toEqual([
      "1: 33 cash (1) to 8",
      "1: 34 cash (1) to 9",
      "1: 33 cash (1) to 1",
      "2: 10 cash (2) to 2",
    ]);
  });

  it("may leave nothing to the lead's own promoter", () => {
    const all = [{ promoter_campaign_id: 8, percent_ten_thousandths: 1_000_000 }];
    expect(earned({ tiers: tiers.slice(0, 1), splits: all })).toEqual(["1: 1000 cash (1) to 8"]);
  });
});

describe("rules", () => {
  const facts = {
    counts: {
      customer_age_in_months: 3,
      customer_sales_count: 6,
      promoter_campaign_customers_count: 10,
      promoter_campaign_revenue: 50_000,
    },
    plan_id: "price_1",
  };
  it.each([
    ["less than", "<", [0, 2]],
    ["less than or equal to", "<=", [0, 2, 3]],
    ["equal to", "=", [3]],
    ["equal to", "==", [3]],
    ["equal to", undefined, [3]],
    ["greater than or equal to", ">=", [3, 4, 6]],
    ["greater than", ">", [4, 6]],
    ["multiple of", "%", [3, 6]],
  ])("of the operator %s, or %s, hold for %j beside 3", (words, sign, counts) => {
    const holdFor = (operator: string | undefined) =>
      [0, 2, 3, 4, 6].filter((count) =>
        rulesHold([rule("customer_sales_count", operator, "3")], {
          ...facts,
          counts: { ...facts.counts, customer_sales_count: count },
        }),
      );
    for (const operator of [words, words.replaceAll(" ", "_"), sign])
      expect(holdFor(operator)).toEqual(counts);
  });

  it.each([
    [true, []],
    [true, [rule("customer_sales_count", "=", 6)]],
    [true, [rule("customer_age_in_months", "=", 3)]],
    [true, [rule("promoter_campaign_customers_count", "=", 10)]],
    [true, [rule("promoter_campaign_revenue", "=", 50_000)]],
    [false, [rule("customer_sales_count", "multiple of", 0)]],
    [false, [rule("customer_sales_count", ">", 1), rule("customer_age_in_months", ">", 5)]],
    [true, [rule("customer_sales_count", ">", 1), rule("customer_age_in_months", ">", 5, { join: "or" })]],
    [true, [rule("customer_sales_count", ">", 1, { filter_by: "price_1" })]],
    [false, [rule("customer_sales_count", ">", 1, { filter_by: "price_2" })]],
    [false, [rule("gone", ">", 1)]],
    [false, [rule("customer_sales_count", "about", 6)]],
    [false, [rule("customer_sales_count", ">", "")]],
    [false, ["x"]],
  ])("hold: %s for %j", (holds, rules) => {
    expect(rulesHold(rules, facts)).toBe(holds);
  });
});

function rule(type: string, operator: string | undefined, value: unknown, more: object = {}) {
  return { type, ...(operator === undefined ? {} : { operator }), value, ...more };
}
