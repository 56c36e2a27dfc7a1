import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { connectPaddle, connectStripe, tellPaddle, tellStripe } from "../../support/billing.ts";
import { canceledSubscription, paddleEvent, transaction } from "../../support/paddle-events.ts";
import { invoice, SECONDS, stripeEvent, subscription } from "../../support/stripe-events.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startProgram();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

async function startProgram(): Promise<TestApp> {
  const started = await startApp();
  await join(started, "jane@example.com", { ref_id: "jane" });
  await started.v1("/track/signup", { ref_id: "jane", email: "sam@example.net", uid: "cus_1" });
  await connectStripe(started);
  return started;
}

const DAY = 24 * 60 * 60;
/** An instant some days before now, in seconds as Stripe tells it. */
const daysAgo = (days: number) => SECONDS - days * DAY;
const shown = (days: number) => new Date(daysAgo(days) * 1_000).toISOString();

/** A paid invoice of a subscription. */
function paid(sub: string, days: number) {
  const of = { subscription: sub, metadata: {} };
  return stripeEvent(
    "invoice.paid",
    invoice({
      id: `in_${sub}_${days}`,
      created: daysAgo(days),
      status_transitions: { paid_at: daysAgo(days) },
      parent: { type: "subscription_details", subscription_details: of },
    }),
    { created: daysAgo(days) },
  );
}

function ended(sub: string, days: number) {
  const object = subscription({ id: sub, canceled_at: daysAgo(days), ended_at: daysAgo(days) });
  return stripeEvent("customer.subscription.deleted", object, { created: daysAgo(days) });
}

/** How the lead stands, and when it left and returned by the reports. */
async function customer(of = app) {
  const [lead] = await of.records.all("lead");
  const { body } = await of.v1("/leads/show", { email: "sam@example.net" });
  const { state, cancelled_at } = body as { state: string; cancelled_at: string | null };
  return { state, cancelled_at, history: lead!.customer_history!.map(({ kind, at }) => `${kind} ${at}`) };
}

const ACTIVE = { state: "active", cancelled_at: null, history: [] };
const left = (days: number) => ({
  state: "cancelled",
  cancelled_at: shown(days),
  history: [`cancelled ${shown(days)}`, `left ${shown(days)}`],
});

async function tell(...events: object[]): Promise<void> {
  for (const event of events) expect(await tellStripe(app, event)).toMatchObject({ status: 200 });
}

describe("a customer with two subscriptions", () => {
  it("leaves when the last one ends, once", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 20), ended("sub_1", 10));
    expect(await customer()).toEqual(ACTIVE);
    await tell(ended("sub_1", 10), paid("sub_2", 9), ended("sub_2", 5), ended("sub_1", 10));
    expect(await customer()).toEqual(left(5));
  });

  it("leaves when the first one ends last", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 20), ended("sub_2", 10));
    expect(await customer()).toEqual(ACTIVE);
    await tell(ended("sub_1", 5));
    expect(await customer()).toEqual(left(5));
  });

  it("leaves once if both end in one second", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 20), ended("sub_1", 5), ended("sub_2", 5));
    expect(await customer()).toEqual(left(5));
  });

  it("stays when a plan is changed by a new subscription", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 10), ended("sub_1", 10));
    expect(await customer()).toEqual(ACTIVE);
  });

  it("stays when a trial ends that was never paid", async () => {
    await tell(paid("sub_1", 30), ended("sub_2", 10));
    expect(await customer()).toEqual(ACTIVE);
  });

  it("leaves and returns if the second one begins after the first has ended", async () => {
    await tell(paid("sub_1", 30), ended("sub_1", 20), paid("sub_2", 10), ended("sub_2", 5));
    expect(await customer()).toEqual({
      state: "cancelled",
      cancelled_at: shown(5),
      history: [
        `cancelled ${shown(20)}`,
        `left ${shown(20)}`,
        `returned ${shown(10)}`,
        `cancelled ${shown(5)}`,
        `left ${shown(5)}`,
      ],
    });
  });

  it.each([
    ["overlap", [paid("sub_1", 30), paid("sub_2", 20), ended("sub_1", 10), ended("sub_2", 5)]],
    ["contain each other", [paid("sub_1", 30), paid("sub_2", 20), ended("sub_2", 10), ended("sub_1", 5)]],
    ["follow each other", [paid("sub_1", 30), ended("sub_1", 20), paid("sub_2", 10), ended("sub_2", 5)]],
    ["are paid on", [paid("sub_1", 30), paid("sub_2", 20), ended("sub_1", 15), paid("sub_2", 10)]],
  ])("is the same in every order of the events, if they %s", async (_, events) => {
    const found = new Set<string>();
    // A customer is one since the first recorded payment.
    const [first, ...later] = events.filter((event) => event["type"] === "invoice.paid");
    const isFirst = (order: typeof events) => order.indexOf(first!) < order.indexOf(later[0]!);
    for (const order of permutations(events).filter(isFirst)) {
      const other = await startProgram();
      for (const event of order) expect((await tellStripe(other, event)).status).toBe(200);
      const { history, ...stands } = await customer(other);
      found.add(JSON.stringify({ ...stands, history: history.toSorted() }));
      expect(other.bugs).toEqual([]);
      await other.close();
    }
    await tell(...events);
    const { history, ...stands } = await customer();
    expect([...found]).toEqual([JSON.stringify({ ...stands, history: history.toSorted() })]);
  });

  it("leaves by a cancellation that names no subscription, and not again when they end", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 20));
    const cancellation = { email: "sam@example.net", created_at: shown(10) };
    expect((await app.v1("/track/cancellation", cancellation)).status).toBe(200);
    expect(await customer()).toEqual(left(10));
    await tell(ended("sub_1", 9), ended("sub_2", 5));
    expect(await customer()).toEqual(left(10));
    await tell(paid("sub_2", 25));
    expect(await customer()).toEqual(left(10));
    await tell(paid("sub_3", 3), ended("sub_3", 1));
    const again = [`returned ${shown(3)}`, `cancelled ${shown(1)}`, `left ${shown(1)}`];
    const { history } = left(10);
    expect(await customer()).toEqual({ ...left(1), history: [...history, ...again] });
  });

  it("leaves by a cancellation that names no subscription, if it comes first", async () => {
    const cancellation = { email: "sam@example.net", created_at: shown(10) };
    await tell(paid("sub_1", 30), ended("sub_1", 15));
    await app.v1("/track/cancellation", cancellation);
    await tell(paid("sub_2", 20));
    expect(await customer()).toEqual(left(10));
  });

  it("is not refunded or denied any less", async () => {
    await tell(paid("sub_1", 30), paid("sub_2", 20), ended("sub_1", 10));
    await company(app, "POST /referrals/disable", { ids: [1] });
    await tell(ended("sub_2", 5));
    expect(await customer()).toMatchObject({ state: "denied", cancelled_at: shown(5) });
  });
});

it("the account's own sales and cancellations name subscriptions, too", async () => {
  const sell = (subscription_id: string, days: number) =>
    app.v1("/track/sale", {
      email: "sam@example.net",
      event_id: `order ${subscription_id}`,
      amount: "1000",
      subscription_id,
      created_at: shown(days),
    });
  await sell("one", 30);
  await sell("two", 20);
  const end = (more: object, days: number) =>
    app.v2("POST", "/../track/cancellation", {
      email: "sam@example.net",
      created_at: shown(days),
      ...more,
    });
  expect((await end({ subscription_id: "one" }, 10)).status).toBe(200);
  expect(await customer()).toEqual(ACTIVE);
  expect((await end({ event_id: "two" }, 5)).status).toBe(200);
  expect(await customer()).toEqual(left(5));
});

it("at Paddle the last subscription decides, too", async () => {
  await connectPaddle(app);
  const bought = (id: string, sub: string) =>
    paddleEvent(
      "transaction.completed",
      transaction({ id, subscription_id: sub, custom_data: { svc_uid: "cus_1" } }),
    );
  const over = (id: string) =>
    paddleEvent("subscription.canceled", canceledSubscription({ id, canceled_at: "2026-05-04T05:06:07Z" }));
  for (const event of [bought("txn_1", "sub_a"), bought("txn_2", "sub_b"), over("sub_a")])
    expect((await tellPaddle(app, event)).status).toBe(200);
  expect((await customer()).state).toBe("active");
  expect((await tellPaddle(app, over("sub_b"))).status).toBe(200);
  expect((await customer()).state).toBe("cancelled");
});

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
