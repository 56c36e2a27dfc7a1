import { afterEach, expect, it } from "vitest";
import { firstpromoter } from "../../../server/transfer/migration/sources/firstpromoter.ts";
import { startFirstPromoter } from "../../support/sources/firstpromoter.ts";
import { readStandIn } from "../../support/sources/reading.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function read(change: (standIn: StandIn) => void = () => {}) {
  const standIn = await startFirstPromoter();
  open.push(standIn);
  change(standIn);
  return { standIn, ...(await readStandIn(firstpromoter, standIn)) };
}

it("says rewards that our rules can say, and remarks the others", async () => {
  const { of } = await read();
  const common = { is_flat: false, currency: null, unit: "cash" };
  expect(
    of("campaign").map(({ id, rewards }) => [
      id,
      rewards.toSorted((one, two) => one.tier_level - two.tier_level),
    ]),
  ).toEqual(
    expect.arrayContaining([
      [
        "1",
        [
          {
            ...common,
            id: "1",
            name: "A fifth",
            amount_ten_thousandths: 200_000,
            duration: "repeating",
            duration_months: 12,
            tier_level: 1,
          },
          {
            ...common,
            id: "10",
            name: "Parents",
            amount_ten_thousandths: 20_000,
            duration: "forever",
            duration_months: null,
            tier_level: 2,
          },
        ],
      ],
      [
        "2",
        [
          {
            ...common,
            id: "2",
            name: "An eighth",
            amount_ten_thousandths: 125_000,
            duration: "forever",
            duration_months: null,
            tier_level: 1,
          },
        ],
      ],
      [
        "3",
        [
          {
            id: "3",
            name: "Points",
            unit: "points",
            amount_ten_thousandths: 300_000,
            is_flat: true,
            currency: null,
            duration: "once",
            duration_months: null,
            tier_level: 1,
          },
        ],
      ],
    ]),
  );
  const texts = of("remark").map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([
      'Campaign "Agencies": the reward "Parents\' share" has conditions that can\'t be imported. Make it by hand.',
      'Campaign "Standard": referred customers get the reward "Welcome". Make it by hand.',
    ]),
  );
});

it("says promoters with parents, selected payout methods, archived ones and own fields", async () => {
  const { of } = await read();
  const promoters = new Map(of("promoter").map((promoter) => [promoter.id, promoter]));
  expect(promoters.get("2")).toEqual({
    kind: "promoter",
    id: "2",
    email: "promoter-2@example.com",
    first_name: "Pia2",
    last_name: "Muster2",
    company_name: null,
    country: "DE",
    contact: { website: null, phone_number: null, address: null, company_number: null, vat_id: null },
    cust_id: null,
    note: "Likes tea",
    custom_fields: null,
    parentId: null,
    isArchived: false,
    payoutMethod: { method: "paypal", details: { wallet_email: "pay-2@example.com" } },
    counts: { clicks: expect.any(Number), leads: null, customers: null },
    created_at: "2025-01-01T02:00:00.000Z",
  });
  expect(promoters.get("3")!.cust_id).toBe("own-3");
  expect(promoters.get("4")!.custom_fields).toEqual({ audience: "cooks" });
  expect(promoters.get("7")!.isArchived).toBe(true);
  expect(promoters.get("10")!.parentId).toBe("1");
  expect(of("promoter")).toHaveLength(14);
});

it("says every link of a promoter once, and remarks a link that names no promoter", async () => {
  const { of, standIn } = await read(({ lists }) => {
    const link = { name: "More", is_default: false, source: null, sub_id: null };
    lists["referral_links"]!.push(
      { ...link, id: 1, place: 1_003, url: "https://shop.example/?fpr=token-3&sid=again" },
      { ...link, id: 2, place: 1_003, url: "https://shop.example/plain" },
    );
  });
  const [usual, second, third] = standIn.lists["referral_links"]!.filter(({ place }) => place === 1_003);
  const tokenOf = (row: typeof usual) => new URL(String(row!["url"])).searchParams.get("fpr");
  expect(of("promoter_campaign").find(({ id }) => id === "1003")!.links).toEqual([
    {
      id: "1003",
      token: tokenOf(usual),
      url: `https://shop.example/?fpr=${tokenOf(usual)}`,
      clicks: expect.any(Number),
    },
    { id: `link:${third!["id"]}`, token: tokenOf(third), url: third!["url"], clicks: 0 },
    { id: `link:${second!["id"]}`, token: tokenOf(second), url: second!["url"], clicks: 0 },
  ]);
  expect(of("remark").map(({ text }) => text)).toContain(
    "The link https://shop.example/plain names no promoter, so it does not come over.",
  );
});

it("says codes, and coupons that are no codes", async () => {
  const { of } = await read();
  const codes = of("code").toSorted((one, two) => (one.code < two.code ? -1 : 1));
  const place = { kind: "code", ext_id: null, archived_at: null };
  expect(codes.map(({ code, ext_id, archived_at }) => [code, ext_id, archived_at])).toEqual([
    ["CODE12", "promo_12", null],
    ["CODE4", "promo_4", "2025-01-01T04:00:00.000Z"],
    ["CODE8", "promo_8", null],
    ["LONE12", null, null],
    ["token-8", "promo_1", null],
  ]);
  expect(codes[3]).toEqual({
    ...place,
    id: "1012:coupon",
    code: "LONE12",
    promoter_id: "12",
    campaign_id: "1",
  });
});

it("takes a moved person for the one they are now, and leaves out those without a promoter", async () => {
  const { of } = await read(({ lists }) => {
    lists["commissions"]!.push({
      ...lists["commissions"]![0],
      id: 77_777,
      event_id: null,
      referral: { id: 900_001 },
    });
  });
  expect(of("customer").filter(({ email }) => email?.startsWith("customer-5@"))).toHaveLength(1);
  expect(of("commission").find(({ id }) => id === "77777")!.customerId).toBe("5");
  expect(of("customer").filter(({ email }) => email?.startsWith("nobodys"))).toEqual([]);
  expect(of("remark").map(({ text }) => text)).toContain(
    "Referrals that are left out, because they belong to no promoter: 1.",
  );
});

it("makes one sale of the commissions of an event, for each tier and part, and of its refunds", async () => {
  const { of } = await read(({ lists }) => {
    const row = { ...lists["commissions"]![4]!, event_id: "evt_family", is_paid: false, payout_id: null };
    const plain = { ...row, original_sale_amount: null, original_sale_currency: null, sale_amount: 9_000 };
    const parent = { promoter: { id: 1 }, campaign: { id: 2 } };
    lists["commissions"]!.push(
      { ...plain, id: 80_001, tier: 2, amount: 180, promoter_campaign: parent },
      { ...plain, id: 80_002, tier: 1, amount: 1_800 },
      { ...plain, id: 80_003, tier: 1, amount: -600, sale_amount: -3_000 },
      { ...plain, id: 80_004, tier: 2, amount: -60, sale_amount: -3_000, promoter_campaign: parent },
    );
  });
  const sales = of("sale").filter(({ id }) => id === "evt_family");
  expect(sales.map(({ amount, refunded, currency }) => ({ amount, refunded, currency }))).toEqual([
    { amount: 9_000, refunded: 3_000, currency: null },
  ]);
  const commissions = of("commission").filter(({ sale_id }) => sale_id === "evt_family");
  expect(commissions.map(({ amount, tier_level }) => [amount, tier_level])).toEqual([
    [180, 2],
    [1_800, 1],
    [-600, 1],
    [-60, 2],
  ]);
  expect(sales[0]!.promoter_id).toBe(commissions[1]!.promoter_id);
});

it("says a sale in its original currency if FirstPromoter names it", async () => {
  const { of, standIn } = await read();
  const row = standIn.lists["commissions"]!.find(({ original_sale_currency: code }) => code === "jpy")!;
  expect(of("sale").find(({ id }) => id === row["event_id"])).toMatchObject({
    amount: row["original_sale_amount"],
    currency: "JPY",
  });
});

it("says payouts in cents, whether FirstPromoter counts cents or dollars", async () => {
  const inDollars = await read();
  const inCents = await read(({ lists }) => {
    for (const row of lists["payouts"]!) row["amount"] = Math.round(Number(row["amount"]) * 100);
  });
  expect(inCents.of("payout")).toEqual(inDollars.of("payout"));
  expect(inCents.of("remark").filter(({ id }) => id.startsWith("payout:"))).toEqual([]);
});

it("reads everything though the source has smaller pages than it says", async () => {
  const { of } = await read((standIn) => {
    standIn.before = (_, query) => {
      if (Number(query.get("per_page")) > 30) query.set("per_page", "30");
    };
  });
  expect(of("customer")).toHaveLength(72);
});
