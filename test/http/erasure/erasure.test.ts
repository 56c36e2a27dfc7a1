import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mailbox } from "../../../server/domain/people/promoter/promoter.ts";
import { hashAddress } from "../../../server/domain/people/lead/suspicion.ts";
import { findVisitor } from "../../../server/domain/people/visitor/visitor.ts";
import { digest } from "../../../server/storage/digests.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { statsOf } from "../../support/stats.ts";
import type { RecordOf } from "../../support/records.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";
import { newCommission } from "../../support/commissions.ts";
import { balancesOf } from "../../support/money.ts";

/** A word that appears only in the person's own data. */
const MARK = "zqxjkvzq";
const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const ADDRESS = "203.0.113.9";

describe.each(STORAGES)("on %s", (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());

  const placesOf = (text: string) => app.stored.placesOf(text);
  const addressHash = async () => hashAddress((await app.records.get("account", app.account_id))!, ADDRESS);

  const joinAs = (email: string, refToken: string) =>
    app.v1("/promoters/create", { email, ref_id: refToken }, { "x-forwarded-for": ADDRESS });

  const click = (refToken: string) =>
    app.browser("/t/click", {
      tid: TID,
      ref_id: refToken,
      url: `https://www.acme.example/?via=${refToken}&sub_id=${MARK}-blog`,
      referrer: `https://${MARK}.example/`,
    });

  /** Makes a promoter with a full profile who has earned, was paid and brought a lead. */
  async function addPromoter(): Promise<void> {
    await joinAs(`${MARK}.first@example.com`, `${MARK}-old`);
    await app.v1("/promoters/update", {
      id: "1",
      new_ref_id: `${MARK}-jane`,
      email: `${MARK}@example.com`,
    });
    await click(`${MARK}-jane`);
    await app.v1("/track/signup", { email: "lead@example.com", tid: TID });
    const own = { account_id: app.account_id, promoter_id: 1 };
    const promoter = (await app.records.get("promoter", 1))!;
    await app.records.put("promoter", {
      ...promoter,
      cust_id: MARK,
      note: MARK,
      temp_password_hash: MARK,
      auth_token: MARK.padEnd(32, "0"),
      profile: Object.fromEntries(
        Object.keys(promoter.profile).map((field) => [field, `${MARK} ${field}`]),
      ) as never,
      custom_fields: { hobby: MARK },
      fraud_suspicions: ["same_ip_suspicion"],
      last_login_at: NOW,
    });
    await app.records.change("promoterCampaign", 1, {
      coupon: `${MARK}10`,
      display_coupon: `${MARK}20`,
      landing_url: `https://www.acme.example/${MARK}`,
      uses_url_tracking: true,
    });
    await app.records.put("promoCode", {
      account_id: app.account_id,
      id: 1,
      code: `${MARK}30`,
      reward_id: 1,
      promoter_campaign_id: 1,
      ext_id: MARK,
      description: MARK,
      metadata: { for: MARK },
      details: { of: MARK },
      created_at: NOW,
      archived_at: null,
    });
    await app.records.put("payoutMethod", {
      ...own,
      id: 1,
      method: "bank",
      details: { account_holder_name: MARK },
      meta: { holder: MARK },
      is_selected: true,
      is_disabled: false,
      is_managed: false,
      created_at: NOW,
    });
    await app.records.put("payout", {
      ...own,
      id: 1,
      promoter_campaign_id: 1,
      campaign_id: 1,
      status: "failed",
      unit: "cash",
      amount: 1_000,
      tax_rate_hundredths: 0,
      total_incl_tax: 1_000,
      period_start: NOW,
      period_end: NOW,
      period_end_date: NOW.slice(0, 10),
      due_date: "2026-04-01",
      has_own_terms: false,
      run_id: null,
      group_ref: null,
      payments_batch_id: null,
      payout_method_id: 1,
      error: `The account of ${MARK} is closed`,
      paid_at: null,
      processing_started_at: null,
      failed_at: NOW,
      created_at: NOW,
    } satisfies RecordOf<"payout">);
    await app.records.put("payment", {
      ...own,
      id: 1,
      order_id: 1,
      payer: "paypal",
      payments_batch_id: 1,
      payout_ids: [1],
      payout_method_id: 1,
      amount: 1_000,
      currency: "USD",
      reference: TID,
      state: "asked",
      steps: [{ state: "asked", at: NOW }],
      provider_id: null,
      fee: null,
      error: null,
      review: { since: NOW, reason: `PayPal does not know ${MARK}` },
      created_at: NOW,
    });
    await app.records.put(
      "commission",
      newCommission({
        ...own,
        id: 1,
        promoter_campaign_id: 1,
        campaign_id: 1,
        lead_id: 1,
        amount: 1_000,
        created_at: NOW,
      }),
    );
  }

  describe("a promoter who is erased", () => {
    it.each([
      ["by e-mail", ` ${MARK}@EXAMPLE.com`.trim()],
      ["by id", "1"],
    ])("%s is nowhere in the store, but money and leads stay", async (_, who) => {
      await addPromoter();
      expect((await placesOf(MARK)).length).toBeGreaterThanOrEqual(10);
      const { store } = app.context;
      const counted = await statsOf(store, app.account_id, 1);
      await erasePromoter(app, who);

      expect(await placesOf(MARK)).toEqual([]);
      for (const hidden of [
        await addressHash(),
        digest(mailbox(`${MARK}@example.com`)),
        digest(mailbox(`${MARK}.first@example.com`)),
      ]) {
        expect((await placesOf(hidden.toLowerCase())).filter((line) => !line.includes('"visitor"'))).toEqual(
          [],
        );
      }
      expect(await app.records.get("promoter", 1)).toMatchObject({
        email: "erased-1@erased.invalid",
        cust_id: null,
        archived_at: NOW,
        fraud_suspicions: [],
        default_promoter_campaign_id: 1,
      });
      expect(await app.records.get("promoterCampaign", 1)).toMatchObject({ state: "blocked" });
      expect(await app.records.get("payout", 1)).toMatchObject({ amount: 1_000, error: "erased" });
      expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 1_000, current: 1_000, paid: 0 } });
      expect(await statsOf(store, app.account_id, 1)).toEqual(counted);
      expect(await app.records.get("lead", 1)).toMatchObject({
        email: "lead@example.com",
        promoter_id: 1,
        tid: TID,
      });
    });

    it("leaves links that lead to nobody, for ever", async () => {
      await addPromoter();
      await erasePromoter(app, "1");
      expect((await click(`${MARK}-jane`)).body).toMatchObject({
        status: "refused",
        tid: null,
        ref_id: null,
      });
      for (const token of [`${MARK}-jane`, `${MARK}-old`]) {
        expect(await joinAs("new@example.com", token)).toMatchObject({
          status: 422,
          body: { ref_id: ["has already been taken"] },
        });
      }
    });

    it("may join again as someone new", async () => {
      await addPromoter();
      await erasePromoter(app, "1");
      const again = await app.v1("/promoters/create", { email: `${MARK}@example.com`, cust_id: MARK });
      expect(again).toMatchObject({ status: 200, body: { email: `${MARK}@example.com` } });
    });

    it("is shown without a name in both generations, and can be erased again", async () => {
      await addPromoter();
      await erasePromoter(app, "1");
      await erasePromoter(app, "1");
      const shown = await app.v2("GET", "/promoters/1");
      expect(shown).toMatchObject({ status: 200, body: { email: "erased-1@erased.invalid" } });
      expect(JSON.stringify(shown.body)).not.toContain(MARK);
    });

    it("is not found if there is none", async () => {
      for (const who of ["1", "nobody@example.com", "x"])
        await expect(erasePromoter(app, who)).rejects.toMatchObject({
          kind: "not_found",
        });
    });
  });

  describe("a lead who is erased", () => {
    async function addLead(): Promise<void> {
      await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
      await app.browser(
        "/t/click",
        { tid: TID, ref_id: "jane", url: `https://www.acme.example/?name=${MARK}` },
        { "x-forwarded-for": ADDRESS },
      );
      await app.v1("/track/signup", {
        email: `${MARK}@example.com`,
        uid: `cus_${MARK}`,
        tid: TID,
        username: MARK,
      });
      const lead = (await app.records.get("lead", 1))!;
      const named = { first_name: MARK, last_name: MARK, website: MARK, sub_id: MARK };
      await app.records.put("lead", { ...lead, ...named, custom_fields: { name: MARK } });
    }

    it.each([
      ["by e-mail", `${MARK}@Example.com`],
      ["by id", "1"],
    ])("%s is nowhere in the store, but the lead's counts stay", async (_, who) => {
      await addLead();
      expect((await placesOf(MARK)).length).toBeGreaterThan(1);
      const { store } = app.context;
      const counted = await statsOf(store, app.account_id, 1);
      const before = (await app.records.get("lead", 1))!;
      await eraseLead(app, who);
      expect(await placesOf(MARK)).toEqual([]);
      expect(await placesOf(TID)).toEqual([]);
      expect(await placesOf((await addressHash()).toLowerCase())).toEqual([]);
      expect(await app.records.get("lead", 1)).toEqual({
        ...before,
        email: "erased-1@erased.invalid",
        uid: null,
        username: null,
        first_name: null,
        last_name: null,
        website: null,
        custom_fields: null,
        tid: null,
        sub_id: null,
        skip_email_notification: true,
      });
      expect(await statsOf(store, app.account_id, 1)).toEqual(counted);
      expect(await findVisitor(store, app.account_id, { tid: TID, now: app.context.now })).toBeNull();
    });

    it("leaves nothing of the links that the browser followed before, whose clicks stay counted", async () => {
      for (const ref_id of ["bob", "jane"])
        await app.v1("/promoters/create", { email: `${ref_id}@example.com`, ref_id });
      const url = `https://www.acme.example/?name=${MARK}`;
      const later = "8f1b2c3d-1111-4222-8333-444455556666";
      await app.browser("/t/click", { tid: TID, ref_id: "bob", url });
      await app.browser("/t/click", { tid: later, ref_id: "jane", url, cookie_tid: TID });
      await app.v1("/track/signup", { email: `${MARK}@example.com`, tid: later });
      await eraseLead(app, "1");
      expect([await placesOf(MARK), await placesOf(TID), await placesOf(later)]).toEqual([[], [], []]);
      expect(await app.records.all("visitor")).toEqual([]);
      expect((await statsOf(app.context.store, app.account_id, 1)).clicks).toBe(1);
    });

    it("may sign up again as someone new", async () => {
      await addLead();
      await eraseLead(app, "1");
      const again = await app.v1("/track/signup", { email: `${MARK}@example.com`, ref_id: "jane" });
      expect(again).toMatchObject({ status: 200 });
      expect(await app.records.count("lead")).toBe(2);
    });

    it("is not found if there is none", async () => {
      for (const who of ["1", "nobody@example.com", "x"])
        await expect(eraseLead(app, who)).rejects.toMatchObject({ kind: "not_found" });
    });
  });
});
