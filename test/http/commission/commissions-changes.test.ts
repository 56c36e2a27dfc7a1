import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { addCommission } from "../../support/commissions.ts";
import { cashOf, makeReward, offer, trackV2 } from "../../support/money.ts";
import { addPayout } from "../../support/payouts.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const OWN = {
  id: 1,
  campaign_id: 1,
  promoter_id: 1,
  created_at: NOW_SECOND,
  promoter: { id: 1, email: "jane@example.com", name: "Jane Doe" },
  campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
};
/** A custom commission of Jane's, as V2 shows it. */
const CUSTOM = {
  id: 1,
  status: "approved",
  metadata: {},
  is_self_referral: null,
  commission_type: "custom",
  created_by_user_email: null,
  created_by_user_at: null,
  sale_amount: 0,
  original_sale_amount: 0,
  original_sale_currency: null,
  event_id: null,
  plan_id: null,
  tier: 1,
  internal_note: null,
  external_note: null,
  unit: "cash",
  fraud_check: null,
  amount: 2_000,
  is_paid: false,
  is_split: false,
  created_at: NOW_SECOND,
  status_updated_at: null,
  promoter_campaign: OWN,
  referral: null,
  reward: null,
  split_details: null,
};

describe("commissions of V2", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    await join(app, "jane@example.com", { ref_id: "jane", first_name: "Jane", last_name: "Doe" });
    await join(app, "bob@example.com", { ref_id: "bob" });
    await app.v1("/track/signup", { email: "lead@example.com", uid: "u-1", ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const create = (body: Record<string, unknown>) => outcome(company(app, "POST /commissions", body));
  const destroy = (...ids: number[]) => company(app, "DELETE /commissions/destroy", { ids });
  const stored = (id: number) => app.records.get("commission", id);
  const jane = async () => (await app.records.get("promoter", 1))!;
  const add = async (changes: Partial<RecordOf<"commission">>) =>
    addCommission(app.context, await jane(), changes);
  const errors = ({ body }: { body: unknown }) => (body as { processing_errors: string[] }).processing_errors;

  describe("that are created by hand", () => {
    const custom = { commission_type: "custom", promoter_campaign_id: 1, amount: 2_000 };
    const sale = { commission_type: "sale", referral_id: 1, sale_amount: 5_000 };

    it("have an exact amount, and are approved", async () => {
      expect(await create(custom)).toEqual({ status: 200, body: [CUSTOM] });
      expect(await cashOf(app, 1)).toEqual([2_000, 2_000, 0]);
    });

    it("are given once for an event, however often and at once they are sent", async () => {
      const bonus = { ...custom, event_id: "talk" };
      const answers = await Promise.all([create(bonus), create(bonus)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
      expect(await create({ ...bonus, amount: 3_000 })).toEqual({
        status: 422,
        body: { message: "A commission with the event id 'talk' already exists.", code: "operation_failed" },
      });
      for (const other of [{ unit: "credits" }, { amount: -500 }, { event_id: "other" }])
        expect(await create({ ...bonus, ...other })).toMatchObject({ status: 200 });
      expect(await cashOf(app, 1)).toEqual([3_500, 3_500, 0]);
      const given = answers.find(({ status }) => status === 200)!.body as [{ id: number }];
      await destroy(given[0].id);
      expect(await create(bonus)).toMatchObject({ status: 200 });
    });

    it("keep everything that was given", async () => {
      const { body } = await create({
        ...custom,
        amount: "3",
        unit: "credits",
        event_id: "talk",
        event_date: "2026-02-01",
        internal_note: "checked",
        external_note: "thanks",
        billing_period: "monthly",
        notify_promoter: true,
      });
      expect(body).toEqual([
        {
          ...CUSTOM,
          amount: 3,
          unit: "credits",
          event_id: "talk",
          created_at: "2026-02-01T00:00:00Z",
          internal_note: "checked",
          external_note: "thanks",
        },
      ]);
      expect(await stored(1)).toMatchObject({ billing_period: "monthly" });
    });

    it("correct an earlier amount of money", async () => {
      await create(custom);
      await create({ ...custom, amount: -500 });
      expect(await cashOf(app, 1)).toEqual([1_500, 1_500, 0]);
    });

    it("of a sale are what the sale earns, for each tier", async () => {
      await app.v1("/promoters/update", { id: "1", parent_promoter_email: "bob@example.com" });
      const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
      await offer(app, await makeReward(app), await makeReward(app, [{ amount: 2 }], tier));
      const { status, body } = await create({
        ...sale,
        plan_id: 7,
        event_id: "order-1",
        internal_note: "by phone",
      });
      expect(status).toBe(200);
      expect(body).toEqual([
        {
          ...CUSTOM,
          commission_type: "sale",
          is_self_referral: false,
          sale_amount: 5_000,
          original_sale_amount: 5_000,
          event_id: "order-1",
          plan_id: "7",
          internal_note: "by phone",
          fraud_check: "no_suspicion",
          amount: 500,
          referral: { id: 1, email: "lead@example.com", uid: "u-1" },
          reward: { id: 1, name: "ten percent" },
        },
        expect.objectContaining({ tier: 2, amount: 100, internal_note: "by phone" }),
      ]);
      expect(await cashOf(app, 1)).toEqual([500, 500, 0]);
      expect((await app.v1("/leads/show", { id: "1" })).body).toMatchObject({ state: "active" });
    });

    it("of a sale need no event id, and can be refunded", async () => {
      await offer(app, await makeReward(app));
      const { body } = await create(sale);
      const [{ event_id }] = body as [{ event_id: string }];
      expect(event_id).toMatch(/^manual-/);
      const refund = { uid: "u-1", event_id: "r-1", sale_event_id: event_id, amount: 5_000 };
      expect(await trackV2(app, "refund", refund)).toMatchObject({ status: 200 });
      expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
    });

    it.each([
      [{}, { commission_type: ["can't be blank"] }],
      [{ commission_type: "bonus" }, { commission_type: ["is not one of sale, custom"] }],
      [
        { commission_type: "custom" },
        { promoter_campaign_id: ["can't be blank"], amount: ["can't be blank"] },
      ],
      [{ ...custom, amount: 0 }, { amount: ["must not be 0"] }],
      [{ ...custom, amount: -1, unit: "points" }, { amount: ["must be positive, unless it is cash"] }],
      [{ ...custom, amount: 1e15 }, { amount: ["is not an integer"] }],
      [{ ...custom, event_date: "2026-02-30" }, { event_date: ["is invalid"] }],
      [{ commission_type: "sale" }, { referral_id: ["can't be blank"], sale_amount: ["can't be blank"] }],
      [{ ...sale, sale_amount: -1 }, { sale_amount: ["is invalid"] }],
    ])("are refused with 422: %o", async (body, faults) => {
      expect(await create(body)).toEqual(invalid(faults as Record<string, string[]>));
    });

    it("are refused where nobody could get them, or for a known event", async () => {
      expect(await create({ ...custom, promoter_campaign_id: 9 })).toEqual({
        status: 404,
        body: { message: "Promotion not found.", code: "not_found" },
      });
      expect(await create({ ...sale, referral_id: 9 })).toMatchObject({ status: 404 });
      await create({ ...sale, event_id: "order-1" });
      expect(await create({ ...sale, event_id: "order-1" })).toEqual({
        status: 422,
        body: { message: "The 'sale' event with the id 'order-1' already exists.", code: "operation_failed" },
      });
    });
  });

  describe("that have notes", () => {
    const update = (id: number | string, body: unknown) =>
      outcome(company(app, `PUT /commissions/${id}`, body));

    it("change them, even once they are paid, and nothing else", async () => {
      await add({ amount: 2_000, is_paid_elsewhere: true });
      const noted = { ...CUSTOM, is_paid: true, internal_note: "checked", external_note: "thanks" };
      expect(await update(1, { internal_note: "checked", external_note: "thanks", amount: 5 })).toEqual({
        status: 200,
        body: noted,
      });
      expect(await update(1, { external_note: "" })).toEqual({
        status: 200,
        body: { ...noted, external_note: null },
      });
      expect(await outcome(company(app, "PATCH /commissions/1", { internal_note: null }))).toMatchObject({
        body: { internal_note: null, amount: 2_000 },
      });
    });

    it("are refused if they are unknown, or a note is too long", async () => {
      const unknown = { status: 404, body: { message: "Commission not found.", code: "not_found" } };
      expect(await update(9, { internal_note: "x" })).toEqual(unknown);
      expect(await update("x", { internal_note: "x" })).toEqual(unknown);
      await add({});
      expect(await update(1, { internal_note: "x".repeat(10_001) })).toEqual(
        invalid({ internal_note: ["is too long (maximum is 10000 characters)"] }),
      );
    });
  });

  describe("that are destroyed", () => {
    it("are gone, and the rest is reported", async () => {
      await add({});
      const completed = await addPayout(app.context, await jane(), { status: "completed" });
      await add({ payout_id: completed.id });
      const { status, body } = await destroy(1, 2, 99);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: "completed",
        processed_count: 1,
        failed_count: 2,
        action_label: "commission/destroy",
        processing_errors: ["2: Commission 2 is paid and can't be changed", "99: Commission not found."],
      });
      expect([await stored(1), await stored(2)]).toMatchObject([null, { id: 2 }]);
      expect(await cashOf(app, 1)).toEqual([1_000, -9_000, 10_000]);
    });

    it("lower their pending payout, and stay in any other", async () => {
      await addPayout(app.context, await jane(), { amount: 1_500, total_incl_tax: 1_800 });
      await addPayout(app.context, await jane(), { status: "processing" });
      await add({ payout_id: 1 });
      await add({ payout_id: 1, amount: 500 });
      await add({ payout_id: 2 });
      expect(errors(await destroy(1, 3))).toEqual([
        "3: Commission 3 belongs to a payout that is under way or has failed",
      ]);
      expect(await app.records.get("payout", 1)).toMatchObject({
        amount: 500,
        total_incl_tax: 600,
      });
      await destroy(2);
      expect(await app.records.get("payout", 1)).toBeNull();
    });

    it("go with those that take them back, and their sale and refund forget them", async () => {
      await offer(app, await makeReward(app));
      await trackV2(app, "sale", { uid: "u-1", event_id: "order-1", amount: 5_000 });
      await trackV2(app, "refund", { uid: "u-1", event_id: "r-1", amount: 2_000 });
      await trackV2(app, "refund", { uid: "u-1", event_id: "r-2", amount: 1_000 });
      expect(await stored(1)).toMatchObject({ taken_back_by_ids: [2, 3] });
      await destroy(3);
      expect(await stored(1)).toMatchObject({ taken_back_by_ids: [2] });
      expect(await cashOf(app, 1)).toEqual([300, 300, 0]);
      await destroy(1);
      expect([await stored(1), await stored(2)]).toEqual([null, null]);
      const [sale] = await app.records.all("sale");
      const made = await app.records.all("refund");
      expect([sale, ...made].map((record) => record?.commission_ids)).toEqual([[], [], []]);
      expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
      expect(await trackV2(app, "refund", { uid: "u-1", event_id: "r-3", amount: 2_000 })).toMatchObject({
        status: 200,
      });
      expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
    });
  });
});
