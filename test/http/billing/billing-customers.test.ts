import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import {
  booksOf,
  connectPaddle,
  connectStripe,
  outcomeOf,
  tellPaddle,
  tellStripe,
} from "../../support/billing.ts";
import { findFaults } from "../../support/consistency.ts";
import { makeReward, offer } from "../../support/money.ts";
import { paddleEvent, transaction } from "../../support/paddle-events.ts";
import { customer, invoice, stripeEvent } from "../../support/stripe-events.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const OTHER_TID = "8f1b2c3d-1111-4222-8333-444455556666";
const UNNAMED = {
  status: 200,
  body: { outcome: "ignored", reason: "The customer's metadata names neither a visit nor a person" },
};

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
  await offer(app, await makeReward(app));
  await connectStripe(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  expect(await findFaults(app.stored.engine)).toEqual([]);
  await app.close();
});

const click = (tid = TID, ref_id = "jane") =>
  app.browser("/t/click", { tid, ref_id, url: "https://www.acme.example/" });
const named = (metadata: Record<string, string>, type = "customer.created") =>
  outcomeOf(tellStripe(app, stripeEvent(type, customer({ metadata }), { id: `evt_${type}` })));
/** An invoice that names the customer alone, as events do without an API key. */
const paid = (over: Record<string, unknown> = {}) =>
  outcomeOf(
    tellStripe(app, stripeEvent("invoice.paid", invoice({ customer_email: "billing@example.net", ...over }))),
  );
const leads = async () =>
  (await app.records.all("lead")).map(({ email, uid, promoter_id, state }) => [
    email,
    uid,
    promoter_id,
    state,
  ]);

describe("a customer of Stripe whose metadata", () => {
  it("names the visit is a sign-up, and the first invoice finds the lead", async () => {
    await click();
    expect(await named({ svc_tid: TID })).toBe("signup");
    expect(await leads()).toEqual([["sam@example.net", "cus_1", 1, "signup"]]);
    expect(await paid()).toBe("sale");
    expect(await booksOf(app)).toMatchObject({ sales: [["in_1", 10_000, 0]], earned: 1_000 });
    expect(await leads()).toEqual([["sam@example.net", "cus_1", 1, "active"]]);
  });

  it("names visit and person by the former names is the lead with that uid, which the invoice finds", async () => {
    await click();
    expect(await named({ fp_tid: TID, fp_uid: "user-7" })).toBe("signup");
    expect(await paid()).toBe("sale");
    expect(await leads()).toEqual([["sam@example.net", "user-7", 1, "active"]]);
  });

  it("names a lead leads all later invoices to it, also after one that was left out", async () => {
    await app.v1("/track/signup", { ref_id: "jane", uid: "user-7", email: "other@example.net" });
    expect(await named({ svc_uid: "user-7" }, "customer.updated")).toBe("known");
    await app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" });
    expect(await paid()).toBe("ignored");
    await app.v2("PUT", "/promoter_campaigns/1", { state: "accepted" });
    expect(await paid({ id: "in_2" })).toBe("sale");
    expect(await leads()).toEqual([["other@example.net", "user-7", 1, "active"]]);
  });

  it("names the lead of a trial leads the first invoice to it, too", async () => {
    await app.v1("/track/signup", { ref_id: "jane", uid: "user-7", email: "other@example.net" });
    const trial = { id: "in_0", amount_paid: 0, total: 0, total_excluding_tax: 0 };
    expect(await paid({ ...trial, metadata: { svc_uid: "user-7" } })).toBe("known");
    expect(await paid()).toBe("sale");
    expect(await leads()).toEqual([["other@example.net", "user-7", 1, "active"]]);
  });

  it("is told again and again, at one time too, makes one lead", async () => {
    await click();
    const metadata = { svc_tid: TID, svc_uid: "user-7" };
    const told = await Promise.all([named(metadata), named(metadata, "customer.updated"), named(metadata)]);
    expect(told.toSorted()).toEqual(["known", "known", "signup"]);
    expect(await named(metadata, "customer.updated")).toBe("known");
    await paid();
    expect(await named({ ...metadata, svc_tid: OTHER_TID }, "customer.updated")).toBe("known");
    expect(await leads()).toEqual([["sam@example.net", "user-7", 1, "active"]]);
  });

  it("names the visit takes over what only a page has claimed", async () => {
    await app.browser("/t/signup", { tid: OTHER_TID, ref_id: "bob", email: "sam@example.net" });
    expect(await leads()).toMatchObject([["sam@example.net", null, 2, "signup"]]);
    await click();
    expect(await named({ svc_tid: TID }, "customer.updated")).toBe("known");
    expect(await leads()).toMatchObject([["sam@example.net", "cus_1", 1, "signup"]]);
    expect(await paid()).toBe("sale");
    expect(await booksOf(app)).toMatchObject({ earned: 1_000 });
  });

  it.each([[{}], [{ plan: "pro" }], [{ svc_uid: " ", fp_tid: "" }], [null]])(
    "is %j leaves nothing",
    async (metadata) => {
      await click();
      for (const type of ["customer.created", "customer.updated"])
        expect(await tellStripe(app, stripeEvent(type, customer({ metadata })))).toEqual(UNNAMED);
      expect(await leads()).toEqual([]);
    },
  );

  it.each([[{ svc_tid: OTHER_TID }], [{ svc_uid: "user-9" }]])(
    "is %j, which nobody knows, leaves nothing",
    async (metadata) => {
      expect(await named(metadata)).toBe("ignored");
      expect(await leads()).toEqual([]);
    },
  );
});

it("keeps the names in the custom data of a customer of Paddle", async () => {
  await connectPaddle(app);
  await click();
  const data = { id: "ctm_1", email: "sam@example.net", custom_data: { svc_tid: TID, svc_uid: "user-7" } };
  const tell = (event: object) => outcomeOf(tellPaddle(app, event));
  expect(await tell(paddleEvent("customer.created", data))).toBe("signup");
  expect(await tell(paddleEvent("customer.updated", data))).toBe("known");
  expect(await tell(paddleEvent("transaction.completed", transaction()))).toBe("sale");
  expect(await leads()).toEqual([["sam@example.net", "user-7", 1, "active"]]);
});
