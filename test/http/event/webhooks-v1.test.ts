import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { V1_EVENT_TYPES } from "../../support/event-types.ts";
import { KEY, NOW, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";
import { V1_PROMOTION, V1_ZERO } from "../../support/v1-records.ts";

const LEAD = "lead@example.com";
const SOCIAL = ["twitter", "youtube", "facebook", "linkedin", "instagram"];
const PROFILE_TEXTS = [
  "last_name",
  "website",
  "company_name",
  "phone_number",
  "address",
  "vat_id",
  "country",
];
const EARNING = {
  id: 1,
  amount: 0,
  type: "per_referral",
  unit: "cash",
  name: "ten percent",
  per_of_sale: 10,
};
const REWARD = { ...EARNING, default_promo_code: "" };

/** Jane within an event. */
const JANE = {
  id: 1,
  status: "approved",
  cust_id: "",
  email: "jane@example.com",
  created_at: NOW,
  temp_password: null,
  default_promotion_id: 1,
  pref: null,
  default_ref_id: "jane",
  note: null,
  w8_form_url: null,
  w9_form_url: null,
  parent_promoter_id: null,
  earnings_balance: V1_ZERO,
  current_balance: V1_ZERO,
  paid_balance: V1_ZERO,
  auth_token: expect.stringMatching(/^.{32}$/),
  profile: {
    first_name: "Jane",
    ...Object.fromEntries(PROFILE_TEXTS.map((name) => [name, null])),
    wallet_email: null,
    avatar_url: null,
    description: null,
    social_accounts: Object.fromEntries([...SOCIAL, "tiktok", "twitch"].map((name) => [name, { url: null }])),
    id: 1,
  },
  promotions: [],
};
const PROMOTION = { ...V1_PROMOTION, current_referral_reward: REWARD };
const CAMPAIGN = {
  id: 1,
  name: "Default campaign",
  landing_url: "https://www.acme.example/",
  description: null,
  private: false,
  color: "#2563eb",
  default_webhook_url: null,
  auto_approve_rewards: true,
  auto_approve_promoters: true,
};
const OFFERS = { offer: null, referral_reward: REWARD, promotion_reward: null, target_reward: null };
const SIGNED_UP = {
  id: 1,
  state: "signup",
  email: LEAD,
  uid: null,
  customer_since: null,
  cancelled_at: null,
  plan_name: null,
  suspicion: "no_suspicion",
  username: null,
  website: null,
  created_at: NOW,
  split_promotion_id: null,
  custom_fields: null,
  split_percentage_value: null,
  visitor_sub_id: null,
};

describe("a webhook in V1's form", () => {
  let app: TestApp;
  let receiver: Receiver;
  beforeEach(async () => {
    app = await startApp("memory", { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    await offer(app, await makeReward(app));
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    await receiver.close();
    await app.close();
  });

  const subscribe = async (types: string[] = V1_EVENT_TYPES, over: object = {}) => {
    const body = { url: receiver.url, format: "v1", event_types: types, ...over };
    return (await company(app, "POST /webhooks", body)).body as { secret_key: string };
  };
  const jane = () => join(app, "jane@example.com", { ref_id: "jane", first_name: "Jane" });
  const signUp = () => app.v1("/track/signup", { email: LEAD, ref_id: "jane" });
  const sell = (eventId = "s-1") => trackV2(app, "sale", { email: LEAD, event_id: eventId, amount: 10_000 });
  /** The events that were sent since the last call, in the order of their types. */
  const told = async () => {
    await workOff(appOutbox(app));
    const typeOf = (body: Record<string, unknown>) => (body["event"] as { type: string }).type;
    return receiver.received
      .splice(0)
      .map(({ body }) => body)
      .toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
  };
  const event = (type: string) => ({ id: expect.any(Number), type, created_at: NOW });

  it("tells of a promoter who joins and is accepted", async () => {
    await subscribe();
    await jane();
    expect(await told()).toEqual([
      {
        event: event("promoter_accepted"),
        data: {
          state: "accepted",
          campaign: { ...CAMPAIGN, ...OFFERS },
          promoter: JANE,
          promotion: PROMOTION,
        },
      },
      { event: event("promoter_signed_up"), data: { promoter: JANE, promotions: [PROMOTION] } },
      { event: event("promoter_signs_up"), data: { promoter: JANE, promotions: [PROMOTION] } },
    ]);
  });

  it("tells the first password that the request gave, and no generated one", async () => {
    await subscribe(["promoter_signed_up"]);
    const given = { email: "jane@example.com", ref_id: "jane", first_name: "Jane" };
    await app.v1("/promoters/create", { ...given, temp_password: "start-with-this" });
    const promoter = { ...JANE, temp_password: "start-with-this" };
    const data = { promoter, promotions: [PROMOTION] };
    expect(await told()).toEqual([{ event: event("promoter_signed_up"), data }]);
    await app.v1("/promoters/create", { email: "bob@example.com" });
    expect(await told()).toMatchObject([{ data: { promoter: { temp_password: null } } }]);
    await app.v1("/promoters/update", { id: "1", temp_password: "another-one" });
    expect(await told()).toEqual([]);
  });

  it("tells of a lead who signs up, buys and cancels", async () => {
    await jane();
    await subscribe(["lead_signup", "lead_becomes_referral", "new_customer", "lead_cancelled"]);
    await signUp();
    const promotion = { ...PROMOTION, leads_count: 1 };
    expect(await told()).toEqual([
      { event: event("lead_signup"), data: { ...SIGNED_UP, promotion, promoter: JANE } },
    ]);
    await sell();
    await sell("s-2");
    const earned = { ...V1_ZERO, cash: 2_000 };
    const customer = {
      ...SIGNED_UP,
      state: "active",
      customer_since: NOW,
      promotion: {
        ...promotion,
        customers_count: 1,
        active_customers_count: 1,
        sales_count: 2,
        sales_total: 20_000,
      },
      promoter: { ...JANE, earnings_balance: earned, current_balance: earned },
    };
    expect(await told()).toEqual([
      { event: event("lead_becomes_referral"), data: customer },
      { event: event("new_customer"), data: customer },
    ]);
    await trackV2(app, "cancellation", { email: LEAD });
    expect(await told()).toEqual([
      {
        event: event("lead_cancelled"),
        data: {
          ...customer,
          state: "cancelled",
          cancelled_at: NOW,
          promotion: { ...customer.promotion, active_customers_count: 0, cancellations_count: 1 },
        },
      },
    ]);
  });

  it("tells of each reward, and of what a refund took back", async () => {
    await jane();
    await signUp();
    await subscribe(["reward_created"]);
    await sell();
    await trackV2(app, "refund", { email: LEAD, event_id: "r-1", amount: 10_000 });
    const [made, back] = await told();
    expect(made).toEqual({
      event: event("reward_created"),
      data: {
        id: 1,
        status: "approved",
        amount: 1_000,
        unit: "cash",
        created_at: NOW,
        lead: { ...SIGNED_UP, state: expect.any(String), customer_since: NOW },
        event_id: "s-1",
        conversion_amount: 10_000,
        tier_level: 1,
        split_type: null,
        promoter: JANE,
        promotion: expect.objectContaining({ id: 1, refunds_count: 1 }),
      },
    });
    expect(back).toMatchObject({ data: { amount: -1_000, event_id: "r-1" } });
  });

  describe("that asks for things other than money", () => {
    beforeEach(async () => {
      await jane();
      await signUp();
      await offer(app, await makeReward(app, [{ unit: "credits", amount: 3, flat_amount: true }]));
      await subscribe(["fulfilment_pending"]);
    });
    const statuses = async () => {
      const { body } = await app.v2("GET", "/payouts");
      return (body as { status: string }[]).map(({ status }) => status);
    };

    it("tells what the promoter waits for, and completes it if the receiver answers 200", async () => {
      await sell();
      expect(await statuses()).toEqual(["pending"]);
      const earned = { ...V1_ZERO, credits: 3 };
      const credits = { ...REWARD, id: 2, amount: 3, unit: "credits", per_of_sale: 0 };
      expect(await told()).toEqual([
        {
          event: event("fulfilment_pending"),
          data: {
            id: 1,
            status: "pending",
            amount: 3,
            date_paid: null,
            due_date: expect.any(String),
            unit: "credits",
            created_at: NOW,
            has_issues: false,
            reward: credits,
            promoter: { ...JANE, earnings_balance: earned, current_balance: earned },
            campaign: { ...CAMPAIGN, ...OFFERS, referral_reward: credits },
          },
        },
      ]);
      expect(await statuses()).toEqual(["completed"]);
    });

    it.each([201, 202, 204])("leaves it pending if the receiver answers %i", async (status) => {
      receiver.answer((response) => response.writeHead(status).end());
      await sell();
      expect(await told()).toHaveLength(1);
      expect(await statuses()).toEqual(["pending"]);
    });

    it("tries again after a failure", async () => {
      receiver.answer((response) => response.writeHead(500).end());
      await sell();
      expect(await told()).toHaveLength(1);
      expect(await statuses()).toEqual(["pending"]);
      receiver.answer((response) => response.end());
      app.setNow("2026-03-04T06:00:00.000Z");
      expect(await told()).toHaveLength(1);
      expect(await statuses()).toEqual(["completed"]);
    });

    it("says that the payout has issues once the event is given up", async () => {
      await company(app, "PUT /webhooks/1", { max_retries: 1 });
      receiver.answer((response) => response.writeHead(500).end());
      await sell();
      expect(await told()).toHaveLength(1);
      const { body } = await app.v2("GET", "/payouts");
      expect(body).toMatchObject([{ status: "pending", error: "Fulfilment failed: Answered 500" }]);
      const listed = await app.request("/api/v1/payouts/list", { headers: { "x-api-key": KEY } });
      expect(await listed.json()).toMatchObject([{ status: "pending", has_issues: true }]);
    });

    it("leaves a payout alone that was decided meanwhile", async () => {
      await sell();
      await company(app, "DELETE /payouts/destroy", { ids: [1] });
      expect(await told()).toHaveLength(1);
      expect(await statuses()).toEqual([]);
    });
  });

  it("tells of a lead that a promoter added once the company has approved it", async () => {
    await company(app, "PUT /campaigns/1", { promoters_may_add_leads: true });
    await subscribe(["lead_signup"]);
    const { call } = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
    await call("POST /referrals", { promoter_campaign_id: 1, email: LEAD });
    expect(await told()).toEqual([]);
    await company(app, "POST /referrals/approve", { ids: [1] });
    expect(await told()).toMatchObject([
      { event: event("lead_signup"), data: { email: LEAD, state: "signup" } },
    ]);
    await company(app, "PUT /referrals/1", { username: "sam" });
    expect(await told()).toEqual([]);
  });

  it("gets only the events of its campaigns", async () => {
    await call("POST /campaigns", { name: "Summer", landing_url: "https://acme.example/summer" });
    await subscribe(["lead_signup"], { campaign_ids: [2] });
    await jane();
    await join(app, "joe@example.com", { ref_id: "joe", campaign_id: "2" });
    await signUp();
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "joe" });
    expect(await told()).toMatchObject([{ data: { email: "other@example.com" } }]);
  });

  it("is signed, numbered and listed like any other", async () => {
    app.setNow(new Date().toISOString()); // the package compares with the real time
    await jane();
    const { secret_key: secret } = await subscribe(["lead_signup"]);
    await subscribe(["lead_signup"]);
    await signUp();
    await workOff(appOutbox(app));
    expect(receiver.received).toHaveLength(2);
    const [{ text, headers, body }, other] = receiver.received as [
      Receiver["received"][0],
      { body: unknown },
    ];
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(body);
    const { id } = body["event"] as { id: number };
    expect([headers["x-event-type"], headers["x-event-id"]]).toEqual(["lead_signup", String(id)]);
    // One event has one id, however many webhooks get it.
    expect(other.body).toEqual(body);
    const { body: listed } = await company(app, "GET /webhooks/1/webhook_deliveries");
    expect(listed).toMatchObject([
      { event_id: String(id), event_type: "lead_signup", status: "delivered", payload: body },
    ]);
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));

  it("can be tested", async () => {
    const { body } = await call("POST /webhooks/test", { url: receiver.url, event_type: "lead_signup" });
    expect(body).toMatchObject({ delivered: true, response_code: 200 });
    expect(receiver.received.splice(0).map((each) => each.body)).toEqual([
      { event: { id: 0, type: "lead_signup", created_at: NOW }, data: { test: true } },
    ]);
  });

  it("takes the event types of its format alone", async () => {
    const faults = (format: string) =>
      invalid({ event_types: [`must be event types of the format ${format}`] });
    const given = { url: receiver.url, event_types: ["lead_signup", "referral.created"] };
    expect(await call("POST /webhooks", { ...given, format: "v1" })).toEqual(faults("v1"));
    expect(await call("POST /webhooks", given)).toEqual(faults("v2"));
    expect(await call("POST /webhooks", { ...given, format: "v3" })).toEqual(
      invalid({ format: ["is not one of v2, v1"] }),
    );
    await subscribe(["lead_signup"]);
    const id = ((await call("GET /webhooks")).body as { id: number }[])[0]!.id;
    expect(await call(`PUT /webhooks/${id}`, { format: "v2" })).toEqual(faults("v2"));
    const changed = { format: "v2", event_types: ["referral.created"] };
    expect(await call(`PUT /webhooks/${id}`, changed)).toMatchObject({ status: 200, body: changed });
  });

  it("is tested by an event like any other, which completes no payout", async () => {
    await subscribe(["fulfilment_pending"]);
    const { status, body } = await call("POST /webhooks/1/test");
    const posted = {
      event: { id: expect.any(Number), type: "fulfilment_pending", created_at: NOW },
      data: { test: true },
    };
    expect([status, (body as { payload: unknown }).payload]).toEqual([201, posted]);
    expect(await told()).toEqual([posted]);
    expect((await app.v2("GET", "/payouts")).body).toEqual([]);
  });

  it("has event types of its own", async () => {
    expect(await call("GET /webhooks/event_types?format=v1")).toEqual({
      status: 200,
      body: {
        data: [
          "fulfilment_pending",
          "lead_becomes_referral",
          "lead_cancelled",
          "lead_signup",
          "new_customer",
          "promoter_accepted",
          "promoter_signed_up",
          "promoter_signs_up",
          "reward_created",
        ],
      },
    });
  });
});
