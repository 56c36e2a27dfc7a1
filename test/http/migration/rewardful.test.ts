import { afterEach, expect, it } from "vitest";
import { rewardful } from "../../../server/transfer/migration/sources/rewardful.ts";
import { readStandIn, sorted, truthIn } from "../../support/sources/reading.ts";
import { startRewardful, uuid } from "../../support/sources/rewardful.ts";
import type { StandIn, StandInOptions } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function started(options?: StandInOptions): Promise<StandIn> {
  const standIn = await startRewardful(options);
  open.push(standIn);
  return standIn;
}

it("gives each promoter what they have in Rewardful, to the cent", async () => {
  const standIn = await started();
  const { all, kinds } = await readStandIn(rewardful, standIn);
  expect(sorted(truthIn(all))).toEqual(sorted(standIn.truth));
  expect(kinds).toEqual([
    "campaign",
    "promoter",
    "promoter_campaign",
    "code",
    "customer",
    "sale",
    "commission",
    "payout",
    "remark",
  ]);
});

it("says campaigns with the rewards that our rules can say", async () => {
  const { of } = await readStandIn(rewardful, await started());
  const common = { landing_url: "https://shop.example/pricing", cookieDays: 60, holdDays: 30 };
  const minPayment = { amount: 5_000, currency: "USD" };
  const percent = { unit: "cash", is_flat: false, currency: null, tier_level: 1 };
  expect(of("campaign").toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    {
      ...common,
      kind: "campaign",
      id: uuid("cam", 1),
      name: "Standard",
      is_default: true,
      is_private: false,
      minPayment,
      rewards: [
        {
          ...percent,
          id: uuid("cam", 1),
          name: "Standard",
          amount_ten_thousandths: 200_000,
          duration: "repeating",
          duration_months: 12,
        },
      ],
    },
    {
      ...common,
      kind: "campaign",
      id: uuid("cam", 2),
      name: "Agencies",
      is_default: false,
      is_private: false,
      minPayment,
      rewards: [],
    },
    {
      ...common,
      kind: "campaign",
      id: uuid("cam", 3),
      name: "Friends",
      is_default: false,
      is_private: true,
      minPayment,
      rewards: [
        {
          ...percent,
          id: uuid("cam", 3),
          name: "Friends",
          amount_ten_thousandths: 150_000,
          is_flat: true,
          currency: "EUR",
          duration: "forever",
          duration_months: null,
        },
      ],
    },
  ]);
  const texts = of("remark").map(({ text }) => text);
  expect(texts).toContain(
    'Campaign "Agencies": a reward of 12.5 %, at most 3 commissions a customer can\'t be expressed by our rules. Make one by hand.',
  );
  expect(texts).toContain(
    'Campaign "Standard": referred customers get the Stripe coupon welcome10. Make a reward for referrals of it.',
  );
});

it("says promoters in all states, with their links, codes and ways to be paid", async () => {
  const { of } = await readStandIn(rewardful, await started());
  const promoters = new Map(of("promoter").map((promoter) => [promoter.id, promoter]));
  expect(promoters.get(uuid("aff", 2))).toMatchObject({
    email: "promoter-2@example.com",
    first_name: "Pia2",
    last_name: "Muster2",
    payoutMethod: { method: "paypal", details: { wallet_email: "pay-2@example.com" } },
    created_at: "2025-01-01T02:00:00.000Z",
  });
  expect(promoters.get(uuid("aff", 3))!.payoutMethod).toEqual({
    method: "wise",
    details: { wise_email: "wise-3@example.com" },
  });
  expect(promoters.get(uuid("aff", 6))!.last_name).toBeNull();
  const places = new Map(of("promoter_campaign").map((place) => [place.id, place]));
  const states = [1, 2, 3, 4, 5].map((n) => places.get(uuid("aff", n))!.state);
  expect(states).toEqual(["accepted", "pending", "blocked", "blocked", "blocked"]);
  expect(places.get(uuid("aff", 3))!.links.map(({ token, url }) => ({ token, url }))).toEqual([
    { token: "token-3", url: "https://shop.example/?via=token-3" },
    { token: "token-3-2", url: "https://shop.example/?via=token-3-2" },
    { token: "token-3-3", url: "https://shop.example/?via=token-3-3" },
  ]);
  const codes = new Map(of("code").map((code) => [code.id, code]));
  expect(codes.get(uuid("cou", 1))).toEqual({
    kind: "code",
    id: uuid("cou", 1),
    code: "token-8",
    promoter_id: uuid("aff", 1),
    campaign_id: uuid("cam", 2),
    ext_id: "promo_1",
    archived_at: null,
  });
  expect(codes.get(uuid("cou", 4))!.archived_at).toBe("2025-01-01T04:00:00.000Z");
});

it("gives a moved promoter an inactive place in the campaign of their earlier commissions", async () => {
  const { of } = await readStandIn(rewardful, await started());
  const places = of("promoter_campaign").filter(({ promoter_id }) => promoter_id === uuid("aff", 9));
  expect(places.map(({ campaign_id, state }) => ({ campaign_id, state }))).toEqual([
    { campaign_id: uuid("cam", 2), state: "accepted" },
    { campaign_id: uuid("cam", 1), state: "inactive" },
  ]);
});

it("says customers without e-mail address, without billing id, and with an id as name", async () => {
  const { of } = await readStandIn(rewardful, await started());
  const customers = new Map(of("customer").map((customer) => [customer.id, customer]));
  const shown = [1, 2, 3, 4].map((n) => {
    const { email, uid, billingId, name, state } = customers.get(uuid("ref", n))!;
    return { email, uid, billingId, name, state };
  });
  expect(shown).toEqual([
    { email: null, uid: null, billingId: "cus_00000001", name: null, state: "active" },
    { email: "customer-2@example.org", uid: null, billingId: null, name: "Kim 2", state: "active" },
    { email: "customer-3@example.org", uid: null, billingId: "cus_00000003", name: null, state: "active" },
    { email: "customer-4@example.org", uid: null, billingId: null, name: "Kim 4", state: "signup" },
  ]);
  expect(of("customer")).toHaveLength(72);
});

it("says a sale once though two equal commissions are of it, and refunds without their tax", async () => {
  const standIn = await started();
  const { of } = await readStandIn(rewardful, standIn);
  const first = of("sale").filter(({ id }) => id === uuid("sal", 1));
  expect(first).toHaveLength(1);
  expect(first[0]).toMatchObject({ event_id: "ch_1", currency: "EUR" });
  expect(of("commission").filter(({ sale_id }) => sale_id === first[0]!.id)).toHaveLength(2);
  const whole = of("sale").find(({ id }) => id === uuid("sal", 3))!;
  expect(whole.refunded).toBe(whole.amount);
  const shownInEuros = standIn.lists["commissions"]!.map(
    ({ sale }) => sale as Record<string, number | string>,
  );
  const taxed = shownInEuros.find(({ id }) => id === uuid("sal", 13))!;
  const partly = of("sale").find(({ id }) => id === uuid("sal", 13))!;
  expect(partly.refunded).toBe(
    Math.round((Number(taxed["refund_amount_cents"]) * partly.amount) / Number(taxed["charge_amount_cents"])),
  );
});

it("says payouts with their commissions", async () => {
  const { of } = await readStandIn(rewardful, await started());
  expect(new Set(of("payout").map(({ status }) => status))).toEqual(
    new Set(["pending", "processing", "completed"]),
  );
  for (const { id, amount } of of("payout")) {
    const within = of("commission").filter(({ payout_id }) => payout_id === id);
    expect(within.reduce((sum, commission) => sum + commission.amount, 0)).toBe(amount);
  }
});

it("makes remarks of rows that can't be read", async () => {
  const standIn = await started();
  standIn.lists["affiliates"]!.push({ first_name: "No", last_name: "Id" });
  standIn.lists["campaigns"]!.push({ id: "c", extra: { unknown: true } });
  const { of } = await readStandIn(rewardful, standIn);
  const lost = of("remark").find(({ id }) => id.startsWith("affiliates:"));
  expect(lost!.text).toContain("can't be read (id: Invalid input; email:");
  expect(of("remark").filter(({ isUnread }) => isUnread)).toEqual([lost]);
  expect(of("campaign").find(({ id }) => id === "c")!.name).toBe("Campaign c");
});

it("takes the key as one word", async () => {
  const standIn = await started();
  await expect(readStandIn(rewardful, standIn, { key: "two words" })).rejects.toThrow(
    "The key must be only the API secret",
  );
});
