import fc from "fast-check";
import { expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { rounds } from "../../support/rounds.ts";
import { company, join } from "../../support/v2.ts";

/** What happens to a customer, in the order in which the server learns of it. Sales are dated as they please. */
type Deed =
  | { kind: "sale"; month: number; isMonthly: boolean }
  | { kind: "refund"; sale: number; part: 3_000 | 10_000 }
  | { kind: "denial" | "pardon" };

const AMOUNT = 10_000;

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("sale" as const),
      month: fc.integer({ min: 1, max: 9 }),
      isMonthly: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      sale: fc.nat(9),
      part: fc.constantFrom(3_000 as const, 10_000 as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("denial" as const, "pardon" as const) }) },
);

/** The rewards of the program, in the order in which they are chosen. The first is for monthly sales alone. */
const REWARDS = [
  { name: "first month", percentage: 60, duration: "once" },
  { name: "welcome", percentage: 50, duration: "once" },
  { name: "quarter", percentage: 20, duration: "repeating", months: 3 },
  { name: "always", percentage: 10, duration: "forever" },
] as const;

/** The points for a sale that is the customer's second one, refunded ones left out. */
const POINTS = 10;

/** A sale as the model knows it. */
interface Sold {
  month: number;
  reward: (typeof REWARDS)[number] | null;
  points: number;
  left: number;
}

/** Cents and points that are left of what a sale earned. */
type Left = [cash: number, points: number];

/** What each sale has left of what it earned, by the written rules alone. */
function expected(deeds: Deed[]): Left[] {
  const sold: Sold[] = [];
  let isDenied = false;
  const isOver = (reward: (typeof REWARDS)[number], month: number) => {
    const former = sold.filter((each) => each.reward === reward);
    if (reward.duration === "once") return former.some(({ left }) => left > 0);
    if (reward.duration === "forever") return false;
    return month - Math.min(month, ...former.map((each) => each.month)) >= reward.months;
  };
  for (const each of deeds) {
    if (each.kind === "denial") isDenied = true;
    if (each.kind === "pardon") isDenied = false;
    if (each.kind === "sale") {
      const offered = each.isMonthly ? REWARDS : REWARDS.slice(1);
      const reward = isDenied ? null : offered.find((one) => !isOver(one, each.month))!;
      const isSecond = sold.filter(({ left }) => left > 0).length === 1;
      sold.push({ month: each.month, reward, points: isSecond && !isDenied ? POINTS : 0, left: AMOUNT });
    }
    const refunded = each.kind === "refund" ? sold[each.sale] : undefined;
    if (each.kind === "refund" && refunded !== undefined) refunded.left -= Math.min(refunded.left, each.part);
  }
  return sold.map(({ reward, points, left }) => [
    (left * (reward?.percentage ?? 0)) / 100,
    (left * points) / AMOUNT,
  ]);
}

/** What each sale has left by the server's commissions. */
async function leftAfter(app: TestApp, deeds: Deed[]): Promise<Left[]> {
  const leftOf: number[] = [];
  for (const [at, each] of deeds.entries()) {
    const who = { email: "lead@example.com" };
    if (each.kind === "sale") {
      const event_id = `sale ${leftOf.length}`;
      const created_at = `2026-0${each.month}-10T12:00:00.000Z`;
      const billing_period = each.isMonthly ? "monthly" : "yearly";
      const sale = { ...who, event_id, amount: AMOUNT, created_at, billing_period };
      expect((await trackV2(app, "sale", sale)).status).toBe(200);
      leftOf.push(AMOUNT);
    } else if (each.kind === "refund") {
      const amount = Math.min(leftOf[each.sale] ?? 0, each.part);
      if (amount === 0) continue;
      const refund = { ...who, event_id: `refund ${at}`, sale_event_id: `sale ${each.sale}`, amount };
      expect((await trackV2(app, "refund", refund)).status).toBe(200);
      leftOf[each.sale]! -= amount;
    } else {
      const action = each.kind === "denial" ? "disable" : "enable";
      expect((await company(app, `POST /referrals/${action}`, { ids: [1] })).status).toBe(200);
    }
  }
  const sums = leftOf.map((): Left => [0, 0]);
  const eventOf = new Map((await app.records.all("sale")).map(({ id, event_id }) => [id, event_id]));
  for (const { sale_id, unit, amount } of await app.records.all("commission"))
    sums[Number(eventOf.get(sale_id!)!.slice(5))]![unit === "cash" ? 0 : 1] += amount;
  return sums;
}

it("one-time, repeating and counting rewards give what the written rules say, in whichever order sales and refunds are recorded", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 14 }), async (deeds) => {
      const app = await startApp();
      await join(app, "jane@example.com", { ref_id: "jane" });
      await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
      const entries: object[] = [];
      for (const [at, { percentage, ...reward }] of REWARDS.entries()) {
        const { months: duration_in_months, ...more } = { months: undefined, ...reward };
        const reward_id = await makeReward(app, [{ amount: percentage }], { ...more, duration_in_months });
        entries.push({ reward_id, ...(at === 0 && { apply_on: "monthly" }) });
      }
      const rules = [{ type: "customer_sales_count", value: 2 }];
      const second = { unit: "points", amount: POINTS, flat_amount: true, rules };
      entries.push({ reward_id: await makeReward(app, [second]) });
      await offer(app, ...(entries as Record<string, unknown>[]));
      expect(await leftAfter(app, deeds)).toEqual(expected(deeds));
      expect([await lastingBreaches(app.services.store, app.account_id), app.bugs]).toEqual([[], []]);
      await app.close();
    }),
    { numRuns: rounds(15, 200) },
  );
});
