import { createHmac } from "node:crypto";
import Stripe from "stripe";
import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../server/domain/context.ts";
import { connectBilling, type ConnectionInput } from "../../server/domain/ledger/billing/connection.ts";
import { receivedEvents, sweepReceived } from "../../server/domain/ledger/billing/received.ts";
import { commissions } from "../../server/domain/ledger/commission/commission.ts";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { refunds, sales } from "../../server/domain/ledger/sale/sale.ts";
import { answerOf, startApp, type TestApp } from "./app.ts";
import { makeReward, offer } from "./money.ts";
import { SECONDS } from "./stripe-events.ts";

export const STRIPE_SECRET = "whsec_test_secret";

/** How many events have become what, before there were any. */
export const NO_OUTCOMES = {
  sale: 0,
  signup: 0,
  refund: 0,
  cancellation: 0,
  known: 0,
  waiting: 0,
  ignored: 0,
  other_mode: 0,
};

/** An app in which Jane earns by sales and has referred Sam, whom billing providers know as `cus_1`. */
export async function startWithSam(): Promise<TestApp> {
  const app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { email: "sam@example.net", uid: "cus_1", ref_id: "jane" });
  return app;
}

/** Connects the account with Stripe. */
export function connectStripe(app: TestApp, over: Partial<ConnectionInput> = {}) {
  return connect(app, { provider: "stripe", secret: STRIPE_SECRET, ...over });
}

/** Sends an event with the signature that Stripe's own package makes. */
export async function tellStripe(app: TestApp, event: object, timestamp = SECONDS) {
  const payload = JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRET, timestamp });
  const init = { method: "POST", headers: { "stripe-signature": signature }, body: payload };
  const { status, body } = await answerOf(await app.request("/hooks/stripe/acme", init));
  return { status, body };
}

/** What became of an event. */
export async function outcomeOf(answer: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await answer;
  return status === 200 ? (body as { outcome: string }).outcome : { status, body };
}

/** Everything that sales left in the store, in short. */
export async function booksOf({ services: { store }, account_id }: TestApp) {
  const all = { limit: 1_000 };
  return {
    sales: (await store.page(sales, "id", account_id, [], all)).map(
      ({ event_id, amount_cents, refunded_cents }) => [event_id, amount_cents, refunded_cents],
    ),
    refunds: (await store.page(refunds, "id", account_id, [], all)).map(({ event_id, amount_cents }) => [
      event_id,
      amount_cents,
    ]),
    earned: (await store.page(commissions, "id", account_id, [], all)).reduce(
      (sum, { amount }) => sum + amount,
      0,
    ),
    leads: (await store.page(leads, "id", account_id, [], all)).map(({ email, uid, state }) => [
      email,
      uid,
      state,
    ]),
  };
}

/** The account of the app. */
export async function accountOf({ services: { store }, account_id }: TestApp) {
  return (await store.get(accounts, SYSTEM, account_id))!;
}

export const PADDLE_SECRET = "pdl_ntfset_test_secret";

/** Connects the account with Paddle. */
export function connectPaddle(app: TestApp, over: Partial<ConnectionInput> = {}) {
  return connect(app, { provider: "paddle", secret: PADDLE_SECRET, ...over });
}

/** Sends an event as Paddle signs it. Its package goes by the system's clock. */
export async function tellPaddle(app: TestApp, event: object, ageSeconds = 0) {
  // Loading the package takes a while, and it refuses what is older than five seconds.
  await import("@paddle/paddle-node-sdk");
  const body = JSON.stringify(event);
  const ts = Math.floor(Date.now() / 1_000) - ageSeconds;
  const h1 = createHmac("sha256", PADDLE_SECRET).update(`${ts}:${body}`).digest("hex");
  const init = { method: "POST", headers: { "paddle-signature": `ts=${ts};h1=${h1}` }, body };
  const { status, body: answer } = await answerOf(await app.request("/hooks/paddle/acme", init));
  return { status, body: answer };
}

/** The notes on events that billing providers sent. */
export function receivedIn({ services: { store }, account_id }: TestApp) {
  return store.page(receivedEvents, "id", account_id, [], { limit: 2_000 });
}

/** Repeats the only note as those of further events, one a second. */
export async function repeatReceived(app: TestApp, count: number): Promise<void> {
  const [first] = await receivedIn(app);
  await app.services.store.transact(async (tx) => {
    for (let id = 1; id <= count; id++) {
      const lastAt = new Date(Date.parse(first!.last_at) + id * 1_000).toISOString();
      await tx.put(receivedEvents, { ...first!, id, last_at: lastAt });
    }
  });
}

/** Removes the notes that are too many or too old at an instant. */
export async function sweepReceivedAt({ services: { store } }: TestApp, instant: string): Promise<void> {
  const clock = () => new Date(instant);
  for await (const _ of sweepReceived({ store, clock, guard: async () => {} }));
}

/** The numbers of sales and notes after each commit from now on. */
export function countNotes(app: TestApp): Set<string> {
  const { store } = app.services;
  const counts = new Set<string>();
  app.services.store = {
    ...store,
    transact: async (work) => {
      const result = await store.transact(work);
      const made = await store.count(sales, "id", app.account_id, []);
      counts.add(`${made} sales, ${(await receivedIn(app)).length} noted`);
      return result;
    },
  };
  return counts;
}

function connect({ context, account_id }: TestApp, input: ConnectionInput) {
  return context.store.transact((tx) => connectBilling(tx, context, account_id, input));
}
