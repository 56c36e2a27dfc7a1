import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProblems } from "../../../server/cli/doctor.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { KEY, NOW, startApp, type TestApp } from "../../support/app.ts";
import { booksOf, connectStripe, outcomeOf, tellStripe } from "../../support/billing.ts";
import { failCommits } from "../../support/edge.ts";
import { cashOf, makeReward, offer, trackV2 } from "../../support/money.ts";
import {
  SECONDS,
  charge,
  dispute,
  formerInvoice,
  invoice,
  refundedFrom,
  session,
  stripeEvent,
  subscription,
} from "../../support/stripe-events.ts";
import { outcome } from "../../support/v2.ts";
import { V1_LEAD, V1_PROMOTER } from "../../support/v1-records.ts";
import { eraseLead, storeServerRates, startWith } from "../../support/operations.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const LEAD = { email: "lead@example.com" };
const SALE = { ...LEAD, event_id: "inv_1", amount: "10000", currency: "EUR" };
const REFUND = { ...LEAD, event_id: "re_1", amount: "4000", sale_event_id: "inv_1" };
const MISSING = "There is no exchange rate from EUR to USD for 2026-03-04";
const WAITING_FOR = {
  currency: "EUR",
  date: "2026-03-04",
  message: `${MISSING}. The event is kept, and recorded when there is one.`,
};
const RATES = { date: "2026-03-04", base: "EUR", rates: { USD: "1.1" } };

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { ...LEAD, ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const sell = (params: Record<string, string> = {}) => outcome(app.v1("/track/sale", { ...SALE, ...params }));
const refund = (params: Record<string, string> = {}) =>
  outcome(app.v1("/track/refund", { ...REFUND, ...params }));
const storeRates = async (rates: object = RATES) =>
  expect((await app.v2("POST", "/rates", rates)).status).toBe(200);
/** The operator's rates, without anything that records what waits. */
const importRates = () => storeServerRates(app, { day: "2026-03-04", base: "EUR", rates: { USD: "1.1" } });
const waiting = async () => (await app.v2("GET", "/waiting_events")).body as Record<string, unknown>[];
const tasks = async () => {
  const { body } = await app.v2("GET", "/home?start_date=2026-03-01&end_date=2026-03-31");
  return (body as { tasks: { waiting_events: unknown } }).tasks.waiting_events;
};
const runJobs = async (given: TestApp = app) => {
  const jobs = newJobs(given.services, () => 0);
  await jobs.pass();
  await jobs.stop();
};
const repeated = (kind: string, eventId: string) => ({
  status: 409,
  body: { message: `The '${kind}' event with the id '${eventId}' already exists.` },
});

describe("a sale without an exchange rate", () => {
  it("waits, and V1 answers 202 with what it waits for", async () => {
    expect(await sell()).toEqual({
      status: 202,
      body: {
        id: expect.any(Number),
        type: "sale",
        amount_cents: null,
        reward: null,
        lead: V1_LEAD,
        promoter: { ...V1_PROMOTER, status: "active" },
        waiting_for: WAITING_FOR,
      },
    });
    expect(await booksOf(app)).toMatchObject({ sales: [], earned: 0 });
  });

  it("waits, and V2 answers 202 with what it waits for", async () => {
    expect(await outcome(trackV2(app, "sale", { ...SALE, plan: "pro", quantity: 2 }))).toEqual({
      status: 202,
      body: {
        id: expect.any(Number),
        etype: "sale",
        sale_amount: null,
        original_sale_amount: 10_000,
        original_sale_currency: "EUR",
        event_id: "inv_1",
        plan_id: "pro",
        billing_period: null,
        quantity: 2,
        mrr: null,
        referral_reward: null,
        created_at: NOW,
        referral: { id: 1, email: "lead@example.com", uid: null },
        commissions: [],
        waiting_for: WAITING_FOR,
      },
    });
  });

  it("is recorded with its own date when the account stores the rate", async () => {
    const created_at = "2026-02-20T12:00:00.000Z";
    const answer = (await sell({ created_at, uid: "cus_1" })) as { body: { id: number } };
    app.setNow("2026-03-20T00:00:00.000Z");
    await storeRates({ ...RATES, date: "2026-02-18" });
    const { body } = await app.v2("GET", "/commissions");
    const commission = { sale_amount: 11_000, amount: 1_100, created_at: "2026-02-20T12:00:00Z" };
    expect(body).toMatchObject([{ ...commission, event_id: "inv_1" }]);
    expect(await outcome(app.v1("/leads/show", LEAD))).toMatchObject({
      body: { state: "active", customer_since: created_at, uid: "cus_1" },
    });
    expect(await waiting()).toEqual([]);
    expect(answer.body.id).toEqual(expect.any(Number));
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 0]], earned: 1_100 });
  });

  it("is recorded by the job of the process, once, whatever repeats", async () => {
    await sell();
    await runJobs();
    expect(await booksOf(app)).toMatchObject({ sales: [] });
    expect(await sell()).toEqual(repeated("sale", "inv_1"));
    expect(await outcome(trackV2(app, "sale", SALE))).toEqual(repeated("sale", "inv_1"));
    await importRates();
    await Promise.all([runJobs(), runJobs(), storeRates()]);
    expect(await sell()).toEqual(repeated("sale", "inv_1"));
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 0]], earned: 1_100 });
  });

  it("keeps the lead of a visit that has expired when the rate comes", async () => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane" });
    expect((await sell({ email: "new@example.com", tid: TID })).status).toBe(202);
    expect((await booksOf(app)).leads).toContainEqual(["new@example.com", null, "signup"]);
    app.setNow("2028-03-04T00:00:00.000Z");
    await storeRates();
    expect((await booksOf(app)).leads).toContainEqual(["new@example.com", null, "active"]);
    expect(await cashOf(app, 1)).toEqual([1_100, 1_100, 0]);
  });

  it("does not wait for a person whom nobody referred, in an unknown currency, or if the amount is faulty", async () => {
    expect(await sell({ email: "stranger@example.com" })).toEqual({ status: 204, body: "" });
    expect(await sell({ currency: "EURO" })).toMatchObject({ status: 400 });
    expect(await sell({ amount: "0" })).toMatchObject({ status: 400 });
    expect(await waiting()).toEqual([]);
  });

  it("is shown by home, doctor and the list, with what to do", async () => {
    await startWith(app, {
      public_url: "https://track.acme.example",
      trust_proxy_hops: 1,
      has_mail: true,
      started_at: NOW,
    });
    await app.request("/svc.js", {
      headers: {
        host: "track.acme.example",
        "x-forwarded-for": "203.0.113.7",
        referer: "https://www.acme.example/",
      },
    });
    await app.services.sightings.write();
    await sell();
    await sell({ event_id: "inv_2", currency: "GBP" });
    await refund();
    expect(await tasks()).toEqual({ count: 3, failed_count: 0, currencies: ["EUR", "GBP"] });
    expect(await findProblems(app.services.store, new Date(NOW))).toEqual([
      "Account acme: 3 sales and refunds wait for exchange rates of EUR, GBP: get them with tidemark rates import FILE.",
    ]);
    const common = {
      id: expect.any(Number),
      waiting_for: { currency: "EUR", date: "2026-03-04" },
      error: null,
      referral: { id: 1, email: "lead@example.com", uid: null },
      created_at: NOW,
      received_at: NOW,
    };
    const sale = { ...common, type: "sale", sale_event_id: null, amount: 10_000 };
    expect(await waiting()).toEqual([
      { ...sale, event_id: "inv_1", currency: "EUR" },
      { ...sale, event_id: "inv_2", currency: "GBP", waiting_for: { currency: "GBP", date: "2026-03-04" } },
      { ...common, type: "refund", event_id: "re_1", sale_event_id: "inv_1", amount: 4_000, currency: "EUR" },
    ]);
  });

  it("is recorded if its lead was erased meanwhile, and brings no name back", async () => {
    await sell({ subscription_id: "sub_secret" });
    await eraseLead(app, "1");
    expect(await app.stored.placesOf("sub_secret")).toEqual([]);
    expect(await app.stored.placesOf("lead@example.com")).toEqual([]);
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 0]], earned: 1_100 });
    expect(await app.stored.placesOf("sub_secret")).toEqual([]);
  });

  it("is recorded if its lead was deleted meanwhile, and brings it back to no list", async () => {
    await sell();
    const init = { method: "DELETE", headers: { "x-api-key": KEY } };
    expect((await app.request("/api/v1/leads/delete?id=1", init)).status).toBe(200);
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 0]], earned: 1_100 });
    expect((await app.v2("GET", "/referrals")).body).toEqual([]);
  });

  it("stays with the reason if it is refused later, and is recorded when the cause is gone", async () => {
    await sell();
    await app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" });
    await storeRates();
    const error = "Referral corresponding to email or uid parameter not found or promoter is banned.";
    expect(await waiting()).toMatchObject([{ event_id: "inv_1", error }]);
    expect(await tasks()).toEqual({ count: 1, failed_count: 1, currencies: [] });
    expect((await findProblems(app.services.store, new Date(NOW))).join()).not.toContain("inv_1");
    await startWith(app, {
      public_url: "https://track.acme.example",
      trust_proxy_hops: 1,
      has_mail: true,
      started_at: NOW,
    });
    const [{ id } = { id: 0 }] = (await waiting()) as { id: number }[];
    expect(await findProblems(app.services.store, new Date(NOW))).toContain(
      `Account acme: the sale inv_1 waited for a rate and can't be recorded: ${error} ` +
        `Correct the cause, or drop it with DELETE /api/v2/company/waiting_events/${id}.`,
    );
    expect(await sell()).toEqual(repeated("sale", "inv_1"));
    await app.v2("PUT", "/promoter_campaigns/1", { state: "accepted" });
    await runJobs();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 0]], earned: 1_100 });
    expect(await tasks()).toEqual({ count: 0, failed_count: 0, currencies: [] });
  });

  it("can be dropped, and sent again", async () => {
    await sell();
    const [{ id } = { id: 0 }] = (await waiting()) as { id: number }[];
    expect(await app.v2("DELETE", `/waiting_events/${id}`)).toMatchObject({
      status: 200,
      body: { id, event_id: "inv_1" },
    });
    expect(await app.v2("DELETE", `/waiting_events/${id}`)).toMatchObject({
      status: 404,
      body: { message: "Waiting event not found." },
    });
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [] });
    expect((await sell()).status).toBe(200);
  });

  it("gives the reward of its promo code, and its instalments", async () => {
    const reward_id = await makeReward(app, [{ amount: 20 }], { is_promoter_reward: false, name: "welcome" });
    await app.v2("POST", "/promo_codes", { code: "JANE10", reward_id, promoter_campaign_id: 1 });
    await sell({ promo_code: "JANE10", recurring_reward_frequency: "30", max_recurring: "1" });
    await storeRates();
    app.setNow("2026-04-20T00:00:00.000Z");
    await runJobs();
    expect(await cashOf(app, 1)).toEqual([2_200, 2_200, 0]);
    const { body } = await app.v2("GET", "/referrals/1/timeline");
    expect(JSON.stringify(body)).toContain("welcome");
  });
});

describe("a refund of a sale that waits", () => {
  it("waits with it, and is recorded after it", async () => {
    await sell();
    expect(await refund()).toEqual({
      status: 202,
      body: {
        id: expect.any(Number),
        type: "refund",
        amount_cents: null,
        reward: null,
        lead: V1_LEAD,
        promoter: { ...V1_PROMOTER, status: "active" },
        waiting_for: WAITING_FOR,
      },
    });
    expect(await refund()).toEqual(repeated("refund", "re_1"));
    await storeRates();
    expect(await booksOf(app)).toMatchObject({
      sales: [["inv_1", 11_000, 4_400]],
      refunds: [["re_1", 4_400]],
      earned: 660,
    });
    expect(await waiting()).toEqual([]);
  });

  it("is at most that sale", async () => {
    await sell();
    const tooMuch = {
      status: 400,
      body: { message: "Error. Amount blank or invalid: it is more than what is left of the sale." },
    };
    expect(await refund({ amount: "10001" })).toEqual(tooMuch);
    expect((await refund({ amount: "6000" })).status).toBe(202);
    expect(await refund({ event_id: "re_2", amount: "4001" })).toEqual(tooMuch);
    expect((await refund({ event_id: "re_2", amount: "4000" })).status).toBe(202);
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 11_000]], earned: 0 });
  });

  it("is at most that sale, even if several come at once", async () => {
    await sell();
    const all = ["re_1", "re_2", "re_3"].map((event_id) => refund({ event_id, amount: "6000" }));
    expect((await Promise.all(all)).map(({ status }) => status).toSorted()).toEqual([202, 400, 400]);
  });

  it("waits for a rate of its own when its sale is recorded", async () => {
    await sell();
    expect((await refund({ currency: "GBP", amount: "1000" })).status).toBe(202);
    expect((await refund({ event_id: "re_2", currency: "USD", amount: "5000" })).status).toBe(202);
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 5_000]], earned: 600 });
    expect(await waiting()).toMatchObject([
      { event_id: "re_1", waiting_for: { currency: "GBP", date: "2026-03-04" }, error: null },
    ]);
    // A day has one base, so the rate of the euro is gone.
    await storeRates({ date: "2026-03-04", base: "GBP", rates: { USD: "1.3" } });
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 6_300]], earned: 470 });
    expect(await waiting()).toEqual([]);
  });

  it("goes along when the lead has moved meanwhile, and so does its sale", async () => {
    await app.v1("/promoters/create", { email: "zoe@example.com" });
    await sell();
    await refund();
    await app.v2("POST", "/referrals/move_to_promoter", { ids: [1], promoter_campaign_id: 2 });
    await storeRates();
    expect([await cashOf(app, 1), await cashOf(app, 2)]).toEqual([
      [0, 0, 0],
      [660, 660, 0],
    ]);
  });

  it("means the latest sale, whether it waits or not, also when the rate is there", async () => {
    await sell({ event_id: "old", currency: "USD", created_at: "2026-03-01T00:00:00.000Z" });
    await sell({ created_at: "2026-03-04T00:00:00.000Z" });
    expect((await refund({ sale_event_id: "", amount: "10000" })).status).toBe(202);
    // The waiting one is refunded whole, so the next refund means the one before.
    expect((await refund({ sale_event_id: "", event_id: "re_2", amount: "1000" })).status).toBe(200);
    await storeRates();
    expect((await booksOf(app)).sales.toSorted()).toEqual([
      ["inv_1", 11_000, 11_000],
      ["old", 10_000, 1_000],
    ]);
  });

  it("is refused for another customer's waiting sale", async () => {
    await sell();
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "jane" });
    expect(await refund({ email: "other@example.com" })).toEqual({
      status: 400,
      body: { message: "Error. The 'sale' event with the id 'inv_1' was not found." },
    });
  });

  it("finds an erased lead by the sale that waits", async () => {
    await sell();
    await eraseLead(app, "1");
    expect((await refund()).status).toBe(202);
    await storeRates();
    expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 11_000, 4_400]] });
  });
});

it("keeps a refund that lacks a rate itself, until there is one", async () => {
  await sell({ currency: "USD" });
  expect(await refund({ currency: "EUR" })).toMatchObject({
    status: 202,
    body: { waiting_for: WAITING_FOR },
  });
  expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 10_000, 0]] });
  await storeRates();
  expect(await booksOf(app)).toMatchObject({ sales: [["inv_1", 10_000, 4_400]], earned: 560 });
});

it("shows a refund that is too large when its rate comes", async () => {
  await sell({ currency: "USD" });
  await refund({ currency: "EUR", amount: "5000" });
  await refund({ event_id: "re_2", currency: "USD", amount: "9000" });
  await storeRates();
  expect(await waiting()).toMatchObject([
    {
      event_id: "re_1",
      error: "Error. Amount blank or invalid: it is more than what is left of the sale.",
    },
  ]);
});

describe("what waits", () => {
  it("survives a restart, and a process that dies at any commit", async () => {
    const first = await startApp();
    const restart = () => startApp("memory", { store: first.stored.store, isFilled: true });
    await first.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await offer(first, await makeReward(first));
    await first.v1("/track/signup", { ...LEAD, ref_id: "jane" });
    await first.v1("/track/sale", SALE);
    await first.v1("/track/refund", REFUND);
    for (let commits = 0; commits < 12; commits++) {
      const revive = failCommits(first, new Error("killed"), (at) => at >= commits);
      const process = await restart();
      await process.v2("POST", "/rates", RATES).catch(() => {});
      await runJobs(process).catch(() => {});
      revive();
    }
    const last = await restart();
    await runJobs(last);
    expect(await booksOf(last)).toMatchObject({
      sales: [["inv_1", 11_000, 4_400]],
      refunds: [["re_1", 4_400]],
      earned: 660,
    });
    expect((await last.v2("GET", "/waiting_events")).body).toEqual([]);
  });
});

describe("Stripe", () => {
  beforeEach(() => connectStripe(app));
  const tell = (type: string, object: Record<string, unknown>) => tellStripe(app, stripeEvent(type, object));
  const euros = { currency: "eur", customer_email: LEAD.email };

  it("gets 200 for a payment without a rate, and need not repeat it", async () => {
    expect(await tell("invoice.paid", invoice(euros))).toEqual({
      status: 200,
      body: { outcome: "waiting", reason: MISSING },
    });
    expect(await outcomeOf(tell("invoice.paid", invoice(euros)))).toBe("known");
    // The next payment names the customer alone, whom only the first one has named.
    const next = invoice({ id: "in_2", currency: "eur", customer_email: null });
    expect(await outcomeOf(tell("invoice.paid", next))).toBe("waiting");
    await storeRates();
    expect(await booksOf(app)).toMatchObject({
      sales: [
        ["in_1", 11_000, 0],
        ["in_2", 11_000, 0],
      ],
      earned: 2_200,
    });
  });

  it.each([
    ["a charge, then its checkout", 5_500, ["charge", "checkout", "refund"]],
    ["a checkout, then its charge", 5_500, ["checkout", "refund", "charge"]],
    ["an invoice and a charge that a checkout joins", 0, ["invoice", "charge", "joining checkout"]],
    ["a dispute that is won", 0, ["charge", "checkout", "dispute", "won"]],
  ])("makes one sale of all that it reported meanwhile: %s", async (_, refunded, told) => {
    const own = { currency: "eur", invoice: null };
    const events: Record<string, object> = {
      charge: stripeEvent("charge.succeeded", charge(own)),
      checkout: stripeEvent(
        "checkout.session.completed",
        session({ ...own, subscription: null, payment_intent: "pi_1" }),
      ),
      invoice: stripeEvent("invoice.paid", invoice({ ...euros, parent: null })),
      "joining checkout": stripeEvent(
        "checkout.session.completed",
        session({ currency: "eur", subscription: null, payment_intent: "pi_1" }),
      ),
      refund: refundedFrom(0, 6_000, own),
      dispute: stripeEvent("charge.dispute.created", dispute({ currency: "eur" })),
      won: stripeEvent("charge.dispute.funds_reinstated", dispute({ currency: "eur", status: "won" })),
    };
    await app.v1("/leads/update", { ...LEAD, new_uid: "cus_1" });
    for (const name of [...told, ...told])
      expect(await tellStripe(app, events[name]!)).toMatchObject({ status: 200 });
    await storeRates();
    expect(await waiting()).toEqual([]);
    const { sales, earned } = await booksOf(app);
    expect(sales.filter(([, amount]) => amount !== 0)).toEqual([[expect.any(String), 11_000, refunded]]);
    expect(earned).toBe(1_100 - refunded / 10);
  });

  it("takes back what it reported before the rate came, even months later", async () => {
    await tell("invoice.paid", formerInvoice(euros));
    const back = refundedFrom(0, 6_000, { invoice: "in_1", currency: "eur" });
    expect(await outcomeOf(tellStripe(app, back))).toBe("waiting");
    const ended = subscription({ ended_at: SECONDS + 60 });
    expect(await outcomeOf(tell("customer.subscription.deleted", ended))).toBe("cancellation");
    // A refund without a sale makes room for itself: others are dropped after forty days.
    app.setNow("2026-05-04T05:06:07.890Z");
    const created = SECONDS + 61 * 86_400;
    const other = {
      ...refundedFrom(0, 1_000, { id: "ch_9", invoice: "in_9", payment_intent: "pi_9" }),
      created,
    };
    expect(await outcomeOf(tellStripe(app, other, created))).toBe("waiting");
    await storeRates();
    expect(await booksOf(app)).toMatchObject({
      sales: [["in_1", 11_000, 5_500]],
      earned: 550,
      leads: [["lead@example.com", "cus_1", "cancelled"]],
    });
  });
});
