import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { connectStripe, outcomeOf, tellStripe } from "../../support/billing.ts";
import { reward } from "../../support/v2.ts";
import { invoice, stripeEvent } from "../../support/stripe-events.ts";

const STRANGER = "7f1b2c3d-1111-4222-8333-444455556666";
const VISITOR = "8f1b2c3d-1111-4222-8333-444455556666";
const CEO = "ceo@big.example";
const DUPLICATE = {
  status: 422,
  body: { transaction_id: "there is already a signup event registered on this lead" },
};

describe.each(STORAGES)("a sign-up that only a page has claimed, on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    expect(await app.v2("PUT", "/campaigns/1", { rewards_for_promoters: [await entryOf(10)] })).toMatchObject(
      {
        status: 200,
      },
    );
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  /** A reward of so many percent. Returns its entry. */
  const entryOf = async (amount: number) => ({
    reward_id: await reward(app, { schemas: [{ unit: "cash", amount, flat_amount: false }] }),
  });
  const claim = (params: Record<string, string>) =>
    app.browser("/t/signup", { tid: STRANGER, ref_id: "bob", ...params });
  const signup = async (params: Record<string, string>) => {
    const { status, body } = await app.v1("/track/signup", params);
    return { status, body };
  };
  const sale = (params: Record<string, string>) =>
    app.v1("/track/sale", { email: CEO, event_id: "order-1", amount: "10000", ...params });
  const leads = async () =>
    (await app.records.all("lead")).map(({ email, uid, promoter_id, tid, fraud_check, is_claim }) => ({
      email,
      uid,
      promoter_id,
      tid,
      suspicion: fraud_check,
      is_claim,
    }));
  const earned = async () =>
    (await app.records.all("commission")).map(({ promoter_id, amount, status, tier }) => [
      promoter_id,
      amount,
      status,
      tier,
    ]);
  const logged = async () => {
    const { body } = await app.v2("GET", "/audit_log?filters[entity]=referral");
    return (body as { actor: unknown; action: string }[]).map(({ actor, action }) => ({ actor, action }));
  };

  it("gives way to a key that names another promoter, with an entry in the log", async () => {
    await claim({ email: CEO });
    await app.browser("/t/click", { tid: VISITOR, ref_id: "jane" });
    const answer = await signup({ email: CEO, uid: "cus_1", tid: VISITOR });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        type: "signup",
        lead: { id: 1, email: CEO, uid: "cus_1" },
        promoter: { email: "jane@example.com" },
      },
    });
    expect(await leads()).toEqual([
      {
        email: CEO,
        uid: "cus_1",
        promoter_id: 1,
        tid: VISITOR,
        suspicion: "no_suspicion",
        is_claim: undefined,
      },
    ]);
    expect(await logged()).toEqual([
      { actor: { kind: "key", id: null, name: expect.any(String) }, action: "updated" },
    ]);
    await sale({});
    expect(await earned()).toEqual([[1, 1000, "approved", 1]]);
  });

  it("gives way to a ref id without a visit as well", async () => {
    await claim({ email: CEO });
    expect(await signup({ email: CEO, ref_id: "jane" })).toMatchObject({ status: 200 });
    expect(await leads()).toMatchObject([{ promoter_id: 1, tid: null, suspicion: "no_suspicion" }]);
  });

  it.each([[{ tid: STRANGER }], [{ ref_id: "bob" }]])(
    "is confirmed by a key that names the same one (%o), and stays a repetition from then on",
    async (same) => {
      await claim({ email: CEO });
      expect(await signup({ email: CEO, ...(same as Record<string, string>) })).toEqual(DUPLICATE);
      expect(await leads()).toEqual([
        {
          email: CEO,
          uid: null,
          promoter_id: 2,
          tid: STRANGER,
          suspicion: "no_suspicion",
          is_claim: undefined,
        },
      ]);
      expect(await signup({ email: CEO, ref_id: "jane" })).toEqual(DUPLICATE);
      expect(await leads()).toMatchObject([{ promoter_id: 2 }]);
    },
  );

  it("is taken over once", async () => {
    await claim({ email: CEO });
    await signup({ email: CEO, ref_id: "jane" });
    expect(await signup({ email: CEO, ref_id: "bob" })).toEqual(DUPLICATE);
    await claim({ email: CEO });
    expect(await leads()).toMatchObject([{ promoter_id: 1 }]);
  });

  it("stays with the promoter whom the company has named by an update", async () => {
    await claim({ email: CEO });
    await app.v2("PUT", "/referrals/1", { promoter_campaign_id: 1 });
    expect(await signup({ email: CEO, ref_id: "bob" })).toEqual(DUPLICATE);
    expect(await leads()).toMatchObject([{ promoter_id: 1, is_claim: undefined }]);
  });

  it("stays if its commission is paid", async () => {
    await claim({ email: CEO });
    await sale({});
    await app.records.change("commission", 1, { status: "approved", is_paid_elsewhere: true });
    expect(await signup({ email: CEO, ref_id: "jane" })).toEqual(DUPLICATE);
    expect(await leads()).toMatchObject([{ promoter_id: 2 }]);
    expect(await earned()).toEqual([[2, 1000, "approved", 1]]);
  });

  it("has its commissions made again by the rewards and the parents of the right promoter", async () => {
    const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
    const schemas = [{ unit: "cash", amount: 5, flat_amount: false }];
    const ofParents = { reward_id: await reward(app, { ...tier, schemas }) };
    await app.v2("PUT", "/campaigns/1", { rewards_for_promoters: [await entryOf(10), ofParents] });
    await app.v2("PUT", "/promoter_campaigns/1", {
      rewards_for_promoters: [await entryOf(30)],
      promoter_rewards_customized: true,
    });
    await app.v1("/promoters/create", { email: "pia@example.com", first_name: "Pia" });
    await app.v1("/promoters/create", { email: "max@example.com", first_name: "Max" });
    await app.records.change("promoter", 1, { parent_promoter_id: 3 });
    await app.records.change("promoter", 2, { parent_promoter_id: 4 });
    await claim({ email: CEO });
    await sale({});
    await sale({ event_id: "order-2", amount: "5000" });
    await app.v1("/track/refund", {
      email: CEO,
      event_id: "refund-1",
      sale_event_id: "order-2",
      amount: "2500",
    });
    expect(await earned()).toEqual([
      [2, 1000, "pending", 1],
      [4, 500, "pending", 2],
      [2, 500, "pending", 1],
      [4, 250, "pending", 2],
      [2, -250, "pending", 1],
      [4, -125, "pending", 2],
    ]);
    await signup({ email: CEO, ref_id: "jane" });
    expect(await earned()).toEqual([
      [1, 3000, "approved", 1],
      [3, 500, "approved", 2],
      [1, 750, "approved", 1],
      [3, 125, "approved", 2],
    ]);
    expect((await app.records.all("sale")).map(({ promoter_id }) => promoter_id)).toEqual([1, 1]);
    await app.v1("/track/refund", {
      email: CEO,
      event_id: "refund-2",
      sale_event_id: "order-2",
      amount: "2500",
    });
    await app.v1("/track/refund", {
      email: CEO,
      event_id: "refund-3",
      sale_event_id: "order-1",
      amount: "10000",
    });
    expect((await earned()).reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(0);
  });

  it("gives up a name, so that two claims can't refuse a true sign-up", async () => {
    await claim({ email: CEO });
    await claim({ uid: "cus_1", tid: "9f1b2c3d-1111-4222-8333-444455556666" });
    expect(await signup({ email: CEO, uid: "cus_1", ref_id: "jane" })).toMatchObject({ status: 200 });
    expect(await leads()).toMatchObject([{ email: CEO, uid: "cus_1", promoter_id: 1 }]);
    expect(await logged()).toMatchObject([{ action: "updated" }, { action: "deleted" }]);
  });

  it("gives way to the visitor in a signed event, before the sale earns anything", async () => {
    await connectStripe(app);
    await claim({ email: CEO });
    await app.browser("/t/click", { tid: VISITOR, ref_id: "jane" });
    const paid = invoice({ customer_email: CEO, metadata: { svc_tid: VISITOR } });
    expect(await outcomeOf(tellStripe(app, stripeEvent("invoice.paid", paid)))).toBe("sale");
    expect(await leads()).toMatchObject([{ email: CEO, promoter_id: 1, is_claim: undefined }]);
    expect((await earned()).map(([promoterId]) => promoterId)).toEqual([1]);
    expect(await logged()).toEqual([{ actor: { kind: "process", id: null, name: null }, action: "updated" }]);
  });

  it("is marked if no visit of its visitor was recorded, and earns pending", async () => {
    await claim({ email: CEO });
    expect(await leads()).toMatchObject([{ suspicion: "unseen_visitor", is_claim: true }]);
    await sale({});
    expect(await earned()).toEqual([[2, 1000, "pending", 1]]);
    expect(await app.records.get("promoter", 2)).toMatchObject({ fraud_suspicions: [] });
  });

  it("is not marked if its visitor has clicked before", async () => {
    await app.browser("/t/click", { tid: STRANGER, ref_id: "bob" });
    await claim({ email: CEO });
    expect(await leads()).toMatchObject([{ suspicion: "no_suspicion", is_claim: true }]);
  });

  it("is not recorded if sign-ups come from the server, and the page gets the usual answer", async () => {
    await app.v2("PUT", "/account", { signup_source: "server" });
    const { status, body } = await claim({ email: CEO });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: "recorded", tid: STRANGER, ref_id: "bob", cookie_days: 60, has_cookies: false },
    });
    expect(await leads()).toEqual([]);
    expect(await signup({ email: CEO, tid: STRANGER })).toMatchObject({ status: 200 });
    expect(await leads()).toMatchObject([{ promoter_id: 2, tid: STRANGER }]);
  });

  it("is final if sign-ups come from browsers, and keys still record who is unknown", async () => {
    await app.v2("PUT", "/account", { signup_source: "browser" });
    await claim({ email: CEO });
    expect(await signup({ email: CEO, ref_id: "jane" })).toEqual(DUPLICATE);
    expect(await signup({ email: "new@big.example", ref_id: "jane" })).toMatchObject({ status: 200 });
    expect(await leads()).toMatchObject([{ promoter_id: 2, is_claim: undefined }, { promoter_id: 1 }]);
  });

  it("is recorded at one time, and taken over at another", async () => {
    await claim({ email: CEO });
    app.setNow("2026-03-05T05:06:07.890Z");
    await signup({ email: CEO, ref_id: "jane" });
    const { body } = await app.v2("GET", "/referrals/1");
    expect(body).toMatchObject({ created_at: NOW_SECOND });
  });
});
