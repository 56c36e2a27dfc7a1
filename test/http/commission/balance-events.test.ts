import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";

const LEAD = "lead@example.com";
const NOTHING = { cash: 0, credits: 0, points: 0, free_months: 0, discount: 0 };

/** The balances of someone who earned and was paid these amounts. */
function balances(earned: Partial<typeof NOTHING>, paid: Partial<typeof NOTHING> = {}) {
  const [earnings, settled] = [earned, paid].map((given) => ({ ...NOTHING, ...given })) as [
    typeof NOTHING,
    typeof NOTHING,
  ];
  const left = Object.entries(earnings).map(([unit, sum]) => [
    unit,
    sum - settled[unit as keyof typeof NOTHING],
  ]);
  const current = Object.fromEntries(left);
  return { ...current, current_balance: current, earnings_balance: earnings, paid_balance: settled };
}

describe("a changed balance", () => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp("memory", { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    outbox = appOutbox(app);
    await join(app, "parent@example.com");
    await join(app, "jane@example.com", { ref_id: "jane", parent_promoter_id: "1" });
    await app.v1("/track/signup", { email: LEAD, ref_id: "jane" });
    await offer(app, await makeReward(app));
    await company(app, "POST /webhooks", { url: receiver.url, event_types: ["promoter.balance.updated"] });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    await receiver.close();
    await app.close();
  });

  const sell = (eventId: string, amount = 10_000) =>
    trackV2(app, "sale", { email: LEAD, event_id: eventId, amount });
  const waiting = () => app.records.count("fact");
  /** The promoter and the old and new balances of each event that was sent. */
  const told = async () => {
    await workOff(outbox);
    return receiver.received
      .splice(0)
      .map(({ body }) => [
        body["entity_id"],
        ...(body as { changes: { balances: object[] } }).changes.balances,
      ]);
  };

  it("is told with the whole promoter, once for a commit that earned several units", async () => {
    await offer(
      app,
      await makeReward(app, [{ amount: 10 }, { unit: "credits", amount: 3, flat_amount: true }]),
    );
    await sell("s-1");
    const { body: jane } = await company(app, "GET /promoters/2");
    await workOff(outbox);
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        event_id: expect.any(String),
        event_type: "promoter.balance.updated",
        action: "updated",
        entity_type: "promoter",
        entity_id: 2,
        changes: { balances: [balances({}), balances({ cash: 1_000, credits: 3 })] },
        // A reader of the link could choose the password, so events leave it out.
        data: {
          ...without(jane as Record<string, unknown>, "parent_promoter"),
          password_setup_url: null,
        },
        timestamp: NOW,
      },
    ]);
  });

  it("is told of each promoter that one sale pays", async () => {
    const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
    await offer(app, await makeReward(app), await makeReward(app, [{ amount: 5 }], tier));
    await sell("s-1");
    expect(await told()).toEqual([
      [1, balances({}), balances({ cash: 500 })],
      [2, balances({}), balances({ cash: 1_000 })],
    ]);
  });

  it("is told when commissions are refunded, denied, approved, paid and unpaid", async () => {
    await sell("s-1");
    await trackV2(app, "refund", { email: LEAD, event_id: "r-1", sale_event_id: "s-1", amount: 4_000 });
    await company(app, "POST /commissions/deny", { ids: [1] });
    await company(app, "POST /commissions/approve", { ids: [1] });
    await company(app, "POST /commissions/generate_payouts", { ids: [1, 2] });
    await company(app, "POST /payouts/mark_as_paid", { ids: [1] });
    await company(app, "POST /payouts/mark_as_unpaid", { ids: [1] });
    const steps = [
      balances({}),
      balances({ cash: 1_000 }),
      balances({ cash: 600 }),
      balances({}),
      balances({ cash: 600 }),
      balances({ cash: 600 }, { cash: 600 }),
      balances({ cash: 600 }),
    ];
    expect(await told()).toEqual(steps.slice(1).map((after, at) => [2, steps[at], after]));
  });

  it("is not told if nothing changed in the end", async () => {
    await sell("s-1");
    await trackV2(app, "refund", { email: LEAD, event_id: "r-1", sale_event_id: "s-1", amount: 10_000 });
    await told();
    await company(app, "POST /commissions/deny", { ids: [1] });
    expect(await told()).toEqual([]);
    expect(await waiting()).toBe(0);
  });

  it("follows from the one before, however many commits meet", async () => {
    const sums = await Promise.all(Array.from({ length: 12 }, (_, at) => sell(`s-${at}`, 1_000)));
    expect(sums.map(({ status }) => status)).toEqual(sums.map(() => 200));
    const steps = Array.from({ length: 13 }, (_, at) => balances({ cash: 100 * at }));
    expect(await told()).toEqual(steps.slice(1).map((after, at) => [2, steps[at], after]));
  });

  it("leaves no fact where nobody wants it", async () => {
    await company(app, "PUT /webhooks/1", { event_types: ["payout.created"] });
    await sell("s-1");
    expect(await waiting()).toBe(0);
  });
});

function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([field]) => field !== name));
}
