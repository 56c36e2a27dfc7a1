import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { V1_EVENT_TYPES, EVENT_TYPES } from "../../support/event-types.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { addPayout, selectMethod, movePayout } from "../../support/payouts.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

/** A word that appears only in the person's own data, and by chance in no encrypted text. */
const MARK = "zqxjkvzq";

describe.each(STORAGES)("events of an erased person on %s", (kind) => {
  let app: TestApp;
  let receiver: Receiver;
  let isDown: boolean;
  beforeEach(async () => {
    app = await startApp(kind, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    isDown = false;
    // Some receivers answer with what they got.
    receiver.answer((response, { text }) => response.writeHead(isDown ? 500 : 200).end(text));
    await company(app, "POST /webhooks", { url: receiver.url, event_types: EVENT_TYPES });
    await company(app, "PUT /campaigns/1", { emails: { signup_accepted: true, new_referral: true } });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const placesOf = (text: string) => app.stored.placesOf(text);
  const change = (parameters: string) =>
    app.request(`/api/v1/leads/update?id=1&${parameters}`, {
      method: "PUT",
      headers: { "x-api-key": "key-of-acme" },
    });
  const told = () => receiver.received.map(({ headers }) => String(headers["x-event-type"]));
  const comeBack = async () => {
    isDown = false;
    receiver.received.length = 0;
    app.setNow("2026-03-05T00:00:00.000Z");
    await workOff(appOutbox(app));
    for (const { text } of receiver.received) expect(text).not.toContain(MARK);
    expect(await app.records.count("lane")).toBe(0);
  };

  /** Makes events of a promoter, their lead and payout: some sent, some failing, some not rendered yet. */
  async function tellOfPromoter(): Promise<void> {
    const { promoter_id } = await join(app, `${MARK}@example.com`, { ref_id: `${MARK}-jane`, cust_id: MARK });
    await join(app, "child@example.com", { parent_promoter_id: String(promoter_id) });
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: `${MARK}-jane` });
    const promoter = (await app.records.get("promoter", promoter_id))!;
    const { id } = await addPayout(app.context, promoter, { status: "processing" });
    const wallet = { method: "paypal", details: { wallet_email: `${MARK}@wallet.example` } };
    await company(app, "POST /payout_methods", { promoter_id, ...wallet });
    await workOff(appOutbox(app));
    isDown = true;
    await company(app, "PUT /payout_methods/1", { is_disabled: true });
    await change("new_uid=u-1");
    await app.v1("/promoters/update", { id: "1", first_name: MARK });
    await company(app, "PUT /promoter_campaigns/1", { state: "blocked" });
    await movePayout(app, { id, to: "failed", error: `${MARK} is closed` });
    await workOff(appOutbox(app));
    await change("new_uid=u-2");
    await company(app, "PUT /payout_methods/1", { is_disabled: false });
    await app.v1("/promoters/update", { id: "1", last_name: MARK });
  }

  it("are gone if they are a promoter's, and others that name the promoter are sent without the name", async () => {
    await tellOfPromoter();
    expect((await placesOf(MARK)).filter((line) => line.startsWith("deliveries")).length).toBeGreaterThan(6);
    await erasePromoter(app, `${MARK}@example.com`);
    expect(await placesOf(MARK)).toEqual([]);
    await comeBack();
    expect(told().toSorted()).toEqual([
      "payout.failed",
      "payout.updated",
      "promoter.deleted",
      "referral.updated",
      "referral.updated",
    ]);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.find(({ entity_type: type }) => type === "promoter")).toMatchObject({
      entity_id: 1,
      data: { email: "erased-1@erased.invalid", cust_id: null, name: "erased-1@erased.invalid" },
    });
    expect(bodies.find(({ entity_type: type }) => type === "payout")).toMatchObject({
      changes: { status: ["processing", "failed"] },
      data: { status: "failed", amount: 10_000, error: null, promoter: null, payout_method: null },
    });
    expect(bodies.find(({ entity_type: type }) => type === "referral")).toMatchObject({
      changes: { uid: [null, "u-1"] },
      data: { email: "lead@example.com", promoter_campaign: { id: 1, promoter: null } },
    });
    // Everything that was sent about the lead, who is someone else, is still there.
    const left = await app.records.all("delivery");
    expect(left.filter(({ message }) => message?.entity === "referral")).toHaveLength(3);
    expect(left.filter(({ email }) => email !== null)).toHaveLength(1);
  });

  it("keep everything about others, such as how another promoter is paid", async () => {
    const { promoter_id } = await join(app, "jane@example.com", { ref_id: "jane" });
    await join(app, `${MARK}@example.com`, { ref_id: MARK });
    const jane = (await app.records.get("promoter", promoter_id))!;
    const { id: methodId } = await selectMethod(app.context, jane, { method: "wise" });
    const { id } = await addPayout(app.context, jane, { status: "processing" });
    isDown = true;
    await movePayout(app, { id, to: "failed", error: "closed" });
    await workOff(appOutbox(app));
    await erasePromoter(app, `${MARK}@example.com`);
    await comeBack();
    const failed = receiver.received.find(({ body }) => body["event_type"] === "payout.failed")!;
    expect(failed.body).toMatchObject({
      changes: { error: [null, "closed"] },
      data: { error: "closed", payout_method: { id: methodId }, promoter: { id: promoter_id } },
    });
  });

  it.each([
    ["lead", (id: string) => eraseLead(app, id)],
    ["promoter", (id: string) => erasePromoter(app, id)],
  ])("lose the notes on commissions of an erased %s, sent, failing or not rendered yet", async (_, erase) => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await company(app, "POST /commissions", { commission_type: "sale", referral_id: 1, sale_amount: 100 });
    await app.v1("/rewards/create", { lead_id: "1", reward_type: "cash", amount: "100" });
    const note = (internal_note: string) => company(app, "PUT /commissions/1", { internal_note });
    await note(`${MARK} called`);
    await workOff(appOutbox(app));
    isDown = true;
    await note(`${MARK} called again`);
    await workOff(appOutbox(app));
    await note(`${MARK} called once more`);
    expect((await placesOf(MARK)).length).toBeGreaterThan(3);
    await erase("1");
    expect(await placesOf(MARK)).toEqual([]);
    await comeBack();
    expect(told().filter((type) => type === "commission.updated").length).toBeGreaterThan(0);
  });

  it("lose the name in V1's form, too", async () => {
    const v1 = { url: receiver.url, format: "v1", event_types: V1_EVENT_TYPES };
    await company(app, "PUT /webhooks/1", v1);
    await join(app, `${MARK}@example.com`, { ref_id: `${MARK}-jane`, cust_id: MARK });
    isDown = true;
    const signup = { email: "lead@example.com", ref_id: `${MARK}-jane`, sub_id: `${MARK}-channel` };
    await app.v1("/track/signup", signup);
    const earned = { lead_id: "1", reward_type: "credits", amount: "5" };
    expect(await app.v1("/rewards/create", earned)).toMatchObject({ status: 200 });
    await workOff(appOutbox(app));
    expect((await placesOf(MARK)).filter((line) => line.startsWith("deliveries")).length).toBeGreaterThan(4);
    await erasePromoter(app, `${MARK}@example.com`);
    expect(await placesOf(MARK)).toEqual([]);
    await comeBack();
    expect(told().toSorted()).toEqual(["fulfilment_pending", "lead_signup", "reward_created"]);
    const nobody = { promoter: null, promotion: null };
    expect(receiver.received.map(({ body }) => body["data"])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ email: "lead@example.com", ...nobody }),
        expect.objectContaining({ lead: expect.objectContaining({ email: "lead@example.com" }), ...nobody }),
        expect.objectContaining({ unit: "credits", promoter: null }),
      ]),
    );
  });

  it("lose the name of a lead in V1's form, too", async () => {
    const v1 = { url: receiver.url, format: "v1", event_types: V1_EVENT_TYPES };
    await company(app, "PUT /webhooks/1", v1);
    await join(app, "jane@example.com", { ref_id: "jane" });
    isDown = true;
    await app.v1("/track/signup", { email: `${MARK}@example.com`, ref_id: "jane" });
    await app.v1("/rewards/create", { lead_id: "1", reward_type: "cash", amount: "5" });
    await workOff(appOutbox(app));
    await eraseLead(app, "1");
    expect(await placesOf(MARK)).toEqual([]);
    await comeBack();
    expect(told().toSorted()).toEqual([
      "promoter_accepted",
      "promoter_signed_up",
      "promoter_signs_up",
      "reward_created",
    ]);
    const rewarded = receiver.received.find(({ headers }) => headers["x-event-type"] === "reward_created");
    expect(rewarded!.body).toMatchObject({ data: { amount: 5, lead: null } });
  });

  it("are gone if they are a lead's", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await app.v1("/track/signup", { email: `${MARK}@example.com`, ref_id: "jane" });
    await workOff(appOutbox(app));
    isDown = true;
    await change(`new_uid=${MARK}-1`);
    await workOff(appOutbox(app));
    await change(`new_uid=${MARK}-2`);
    expect((await placesOf(MARK)).filter((line) => line.startsWith("deliveries")).length).toBeGreaterThan(1);
    await eraseLead(app, "1");
    expect(await placesOf(MARK)).toEqual([]);
    await comeBack();
    expect(told()).toEqual(["referral.deleted"]);
    expect(receiver.received[0]!.body).toMatchObject({
      changes: {},
      data: { email: "erased-1@erased.invalid", uid: null },
    });
  });
});
