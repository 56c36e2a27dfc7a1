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
  const addressHash = async () => hashAddress((await app.records.get("account", app.accountId))!, ADDRESS);

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
    const own = { accountId: app.accountId, promoterId: 1 };
    const promoter = (await app.records.get("promoter", 1))!;
    await app.records.put("promoter", {
      ...promoter,
      custId: MARK,
      note: MARK,
      tempPasswordHash: MARK,
      authToken: MARK.padEnd(32, "0"),
      profile: Object.fromEntries(
        Object.keys(promoter.profile).map((field) => [field, `${MARK} ${field}`]),
      ) as never,
      customFields: { hobby: MARK },
      fraudSuspicions: ["same_ip_suspicion"],
      lastLoginAt: NOW,
    });
    await app.records.change("promoterCampaign", 1, {
      coupon: `${MARK}10`,
      displayCoupon: `${MARK}20`,
      landingUrl: `https://www.acme.example/${MARK}`,
      usesUrlTracking: true,
    });
    await app.records.put("promoCode", {
      accountId: app.accountId,
      id: 1,
      code: `${MARK}30`,
      rewardId: 1,
      promoterCampaignId: 1,
      extId: MARK,
      description: MARK,
      metadata: { for: MARK },
      details: { of: MARK },
      createdAt: NOW,
      archivedAt: null,
    });
    await app.records.put("payoutMethod", {
      ...own,
      id: 1,
      method: "bank",
      details: { account_holder_name: MARK },
      meta: { holder: MARK },
      isSelected: true,
      isDisabled: false,
      isManaged: false,
      createdAt: NOW,
    });
    await app.records.put("payout", {
      ...own,
      id: 1,
      promoterCampaignId: 1,
      campaignId: 1,
      status: "failed",
      unit: "cash",
      amount: 1_000,
      taxRateHundredths: 0,
      totalInclTax: 1_000,
      periodStart: NOW,
      periodEnd: NOW,
      dueDate: "2026-04-01",
      hasOwnTerms: false,
      runId: null,
      groupRef: null,
      paymentsBatchId: null,
      payoutMethodId: 1,
      error: `The account of ${MARK} is closed`,
      paidAt: null,
      processingStartedAt: null,
      failedAt: NOW,
      createdAt: NOW,
    } satisfies RecordOf<"payout">);
    await app.records.put("payment", {
      ...own,
      id: 1,
      orderId: 1,
      payer: "paypal",
      paymentsBatchId: 1,
      payoutIds: [1],
      payoutMethodId: 1,
      amount: 1_000,
      currency: "USD",
      reference: TID,
      state: "asked",
      steps: [{ state: "asked", at: NOW }],
      providerId: null,
      fee: null,
      error: null,
      review: { since: NOW, reason: `PayPal does not know ${MARK}` },
      createdAt: NOW,
    });
    await app.records.put(
      "commission",
      newCommission({
        ...own,
        id: 1,
        promoterCampaignId: 1,
        campaignId: 1,
        leadId: 1,
        amount: 1_000,
        createdAt: NOW,
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
      const counted = await statsOf(store, app.accountId, 1);
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
        custId: null,
        archivedAt: NOW,
        fraudSuspicions: [],
        defaultPromoterCampaignId: 1,
      });
      expect(await app.records.get("promoterCampaign", 1)).toMatchObject({ state: "blocked" });
      expect(await app.records.get("payout", 1)).toMatchObject({ amount: 1_000, error: "erased" });
      expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 1_000, current: 1_000, paid: 0 } });
      expect(await statsOf(store, app.accountId, 1)).toEqual(counted);
      expect(await app.records.get("lead", 1)).toMatchObject({
        email: "lead@example.com",
        promoterId: 1,
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
      const named = { firstName: MARK, lastName: MARK, website: MARK, subId: MARK };
      await app.records.put("lead", { ...lead, ...named, customFields: { name: MARK } });
    }

    it.each([
      ["by e-mail", `${MARK}@Example.com`],
      ["by id", "1"],
    ])("%s is nowhere in the store, but the lead's counts stay", async (_, who) => {
      await addLead();
      expect((await placesOf(MARK)).length).toBeGreaterThan(1);
      const { store } = app.context;
      const counted = await statsOf(store, app.accountId, 1);
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
        firstName: null,
        lastName: null,
        website: null,
        customFields: null,
        tid: null,
        subId: null,
        skipEmailNotification: true,
      });
      expect(await statsOf(store, app.accountId, 1)).toEqual(counted);
      expect(await findVisitor(store, app.accountId, { tid: TID, now: app.context.now })).toBeNull();
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
      expect((await statsOf(app.context.store, app.accountId, 1)).clicks).toBe(1);
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
