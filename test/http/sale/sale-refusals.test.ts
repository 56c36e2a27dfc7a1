import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { booksOf } from "../../support/billing.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { outcome } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

const LEAD = { email: "lead@example.com" };
const SALE = { ...LEAD, event_id: "inv_1", amount: "10000" };
const REFUND = { ...LEAD, event_id: "re_1", amount: "10000" };

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

type Call = (name: string, params: Record<string, string>) => Promise<{ status: number; body: unknown }>;
const CALLS: [generation: string, call: Call][] = [
  ["V1", (name, params) => outcome(app.v1(`/track/${name}`, params))],
  ["V2", (name, params) => outcome(trackV2(app, name, params))],
];

describe("the lead of a blocked promoter", () => {
  const block = () => app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" });
  const REFUSED = {
    V1: { status: 204, body: "" },
    V2: {
      status: 404,
      body: {
        message: "Referral corresponding to email or uid parameter not found or promoter is banned.",
        code: "not_found",
      },
    },
  };

  it.each(CALLS)("buys without a record, in %s", async (generation, call) => {
    await block();
    const before = await booksOf(app);
    expect(await call("sale", SALE)).toEqual(REFUSED[generation as keyof typeof REFUSED]);
    // The code of a blocked promoter makes no lead either.
    const stranger = { ...SALE, email: "new@example.com", ref_id: "jane" };
    expect(await call("sale", stranger)).toEqual(REFUSED[generation as keyof typeof REFUSED]);
    expect(await booksOf(app)).toEqual(before);
  });

  it.each(CALLS)(
    "gets money back for an earlier sale, which takes back what it earned, in %s",
    async (_, call) => {
      await call("sale", SALE);
      await block();
      expect(await call("refund", REFUND)).toMatchObject({
        status: 200,
        body: { type: "refund", amount_cents: -10_000, reward: { amount: -1_000, status: "approved" } },
      });
      expect(await booksOf(app)).toEqual({
        sales: [["inv_1", 10_000, 10_000]],
        refunds: [["re_1", 10_000]],
        earned: 0,
        leads: [["lead@example.com", null, "refunded"]],
      });
    },
  );
});

describe("an event that is repeated", () => {
  const CANCELLATION = { ...LEAD, event_id: "ca_1" };
  const EVENTS: [name: string, params: Record<string, string>][] = [
    ["sale", SALE],
    ["refund", { ...REFUND, amount: "4000" }],
    ["cancellation", CANCELLATION],
  ];
  /** A repeated cancellation has the answer of the first one, as long as its lead can be shown. */
  const FATES: [what: string, happen: () => Promise<unknown>, cancellation: number][] = [
    ["promoter was blocked", () => app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" }), 200],
    ["promoter was archived", () => app.v2("POST", "/promoters/archive", { ids: [1] }), 200],
    ["promoter was erased", () => erasePromoter(app, "1"), 200],
    ["lead was denied", () => app.v2("PUT", "/referrals/1", { state: "denied" }), 200],
    ["lead was erased", () => eraseLead(app, "1"), 409],
    ["lead got another address", () => app.v2("PUT", "/referrals/1", { email: "new@example.com" }), 409],
    ["lead was moved to a promoter who was deleted", moveToDeleted, 409],
  ];

  async function moveToDeleted() {
    await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
    await app.v1("/leads/update", { ...LEAD, new_ref_id: "bob", soft_switch: "true" });
    const init = { method: "DELETE", headers: { "x-api-key": KEY } };
    return app.request("/api/v1/promoters/delete?id=2", init);
  }

  describe.each(CALLS)("in %s", (_, call) => {
    it.each(FATES)("is one still after its %s", async (_what, happen, cancellation) => {
      for (const [name, params] of EVENTS) expect((await call(name, params)).status).toBe(200);
      const happened = (await happen()) as { status?: number };
      expect(happened.status ?? 200).toBe(200);
      const before = await booksOf(app);
      for (const [name, params] of EVENTS) {
        const again = await call(name, params);
        if (name === "cancellation" && cancellation === 200) {
          expect(again).toMatchObject({ status: 200, body: { type: "cancellation" } });
          continue;
        }
        const message = `The '${name}' event with the id '${params["event_id"]}' already exists.`;
        expect(again).toEqual({ status: 409, body: { message } });
      }
      expect(await booksOf(app)).toEqual(before);
    });
  });
});
