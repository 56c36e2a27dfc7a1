import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEADS } from "../../../server/transfer/csv/leads.ts";
import { PROMOTERS } from "../../../server/transfer/csv/promoters.ts";
import { announceMoney } from "../../../server/domain/ledger/announcement.ts";
import { payouts } from "../../../server/domain/ledger/payout/payout.ts";
import { Failure } from "../../../server/failure.ts";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { EVENTS } from "../../../server/v2/webhook/event-data.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { failReads } from "../../support/edge.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { addPayout, movePayout } from "../../support/payouts.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join, outcome, reward } from "../../support/v2.ts";

const JANE = { id: 1, email: "jane@example.com", name: "jane@example.com", cust_id: "c-1" };

describe.each(STORAGES)("events on %s", (storage) => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp(storage, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    outbox = appOutbox(app);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    await receiver.close();
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const subscribe = (over: Record<string, unknown>) => call("POST /webhooks", { url: receiver.url, ...over });
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  const types = () => receiver.received.map(({ headers }) => headers["x-event-type"]);
  const jane = () => join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });

  it("cover every kind of record, in order, with the changes", async () => {
    const all = ((await call("GET /webhooks/event_types")).body as { data: string[] }).data;
    await subscribe({ event_types: all });
    await jane();
    await signUp("lead@example.com");
    await app.v1("/promoters/update", { id: "1", first_name: "Jane" });
    await call("PUT /promoter_campaigns/1", { state: "blocked" });
    await call("PUT /promoter_campaigns/1", { state: "blocked" });
    await workOff(outbox);
    expect(types().toSorted()).toEqual([
      "promoter.created",
      "promoter.updated",
      "promoter_campaign.accepted",
      "promoter_campaign.blocked",
      "promoter_campaign.created",
      "promoter_campaign.updated",
      "referral.created",
    ]);
    const of = (type: string) =>
      receiver.received.find(({ headers }) => headers["x-event-type"] === type)!.body;
    expect(of("promoter_campaign.blocked")).toMatchObject({
      action: "updated",
      changes: { state: ["accepted", "blocked"] },
      data: { state: "blocked", promoter: { ...JANE, name: "Jane" } },
    });
    expect(of("promoter.updated")).toMatchObject({ changes: { name: ["jane@example.com", "Jane"] } });
    expect(of("promoter.created")).toMatchObject({ data: { cust_id: "c-1", name: "jane@example.com" } });
  });

  it("are sent as soon as a store that was briefly away is back", async () => {
    await jane();
    await subscribe({ event_types: ["referral.created"] });
    await signUp("lead@example.com");
    const end = failReads(app, new Failure("unavailable", "away"), { name: "campaign" });
    await expect(outbox.pass()).rejects.toMatchObject({ kind: "unavailable" });
    end();
    await workOff(outbox);
    expect(types()).toEqual(["referral.created"]);
  });

  it("show a deleted record as it was last, and its promoter as gone", async () => {
    await jane();
    await subscribe({ event_types: ["promoter.deleted", "promoter_campaign.deleted", "referral.deleted"] });
    await signUp("lead@example.com");
    const key = { "x-api-key": "key-of-acme" };
    await app.request("/api/v1/leads/delete?id=1", { method: "DELETE", headers: key });
    await app.request("/api/v1/promoters/delete?id=1", { method: "DELETE", headers: key });
    await workOff(outbox);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.map(({ event_type: type, action }) => [type, action]).toSorted()).toEqual([
      ["promoter.deleted", "deleted"],
      ["promoter_campaign.deleted", "deleted"],
      ["referral.deleted", "deleted"],
    ]);
    const gone = bodies.find(({ event_type: type }) => type === "promoter_campaign.deleted");
    expect(gone).toMatchObject({ data: { ref_token: "jane", promoter: null } });
  });

  it("leave out a record whose campaign was deleted before it could be told of", async () => {
    await call("POST /campaigns", { name: "Summer", landing_url: "https://acme.example/summer" });
    await join(app, "jane@example.com", { campaign_id: "2" });
    await subscribe({ event_types: ["promoter.deleted", "promoter_campaign.deleted"] });
    const key = { "x-api-key": "key-of-acme" };
    await app.request("/api/v1/promoters/delete?id=1", { method: "DELETE", headers: key });
    expect(await call("DELETE /campaigns/2")).toMatchObject({ status: 200 });
    await workOff(outbox);
    expect(types()).toEqual(["promoter.deleted"]);
    expect(await app.records.count("fact")).toBe(0);
  });

  it("cover promo codes: created, changed, archived", async () => {
    await jane();
    const rewardId = await reward(app);
    await subscribe({ event_types: ["promo_code.created", "promo_code.updated", "promo_code.archived"] });
    await call("POST /promo_codes", { code: "JANE10", reward_id: rewardId, promoter_campaign_id: 1 });
    await call("PUT /promo_codes/1", { description: "ten" });
    await call("DELETE /promo_codes/1");
    await workOff(outbox);
    expect(types()).toEqual([
      "promo_code.created",
      "promo_code.updated",
      "promo_code.updated",
      "promo_code.archived",
    ]);
    expect(receiver.received[1]!.body).toMatchObject({
      changes: { description: [null, "ten"] },
      data: { code: "JANE10", promoter: JANE },
    });
  });

  it("cover leads: created, changed, cancelled, moved, deleted", async () => {
    await jane();
    await join(app, "joe@example.com", { ref_id: "joe" });
    const names = ["created", "updated", "cancelled", "moved", "deleted"];
    await subscribe({ event_types: names.map((name) => `referral.${name}`) });
    await signUp("lead@example.com");
    const key = { "x-api-key": "key-of-acme" };
    const change = (parameters: string) =>
      app.request(`/api/v1/leads/update?id=1&${parameters}`, { method: "PUT", headers: key });
    expect((await change("new_ref_id=joe")).status).toBe(200);
    expect((await change("state=cancelled")).status).toBe(200);
    await app.request("/api/v1/leads/delete?id=1", { method: "DELETE", headers: key });
    await workOff(outbox);
    expect(types()).toEqual([
      "referral.created",
      "referral.updated",
      "referral.moved",
      "referral.updated",
      "referral.cancelled",
      "referral.deleted",
    ]);
  });

  it("cover payouts: created, each status, deleted", async () => {
    await jane();
    await subscribe({ event_types: EVENTS.types.filter((type) => type.startsWith("payout.")) });
    const promoter = (await app.records.get("promoter", 1))!;
    const payout = await addPayout(app.context, promoter);
    await app.services.store.transact(async (tx) => {
      await tx.put(payouts, payout);
      await announceMoney(tx, app.context, { entity: "payout", before: null, after: payout });
    });
    const { id } = payout;
    for (const to of ["processing", "failed", "pending"] as const) {
      await movePayout(app, { id, to, ...(to === "failed" && { error: "closed" }) });
    }
    await call("POST /payouts/mark_as_paid", { ids: [id] });
    await call("POST /payouts/mark_as_unpaid", { ids: [id] });
    await movePayout(app, { id, to: "cancelled" });
    await call("DELETE /payouts/destroy", { ids: [id] });
    await workOff(outbox);
    const states = ["processing", "failed", "pending", "completed", "pending", "cancelled"];
    expect(types()).toEqual([
      "payout.created",
      "payout.pending",
      "payout.commissions.added",
      ...states.flatMap((state) => ["payout.updated", `payout.${state}`]),
      "payout.deleted",
    ]);
    expect(receiver.received.find(({ body }) => body["event_type"] === "payout.failed")!.body).toMatchObject({
      action: "updated",
      changes: { status: ["processing", "failed"], error: [null, "closed"] },
      data: { status: "failed", amount: 10_000, promoter: JANE },
    });
  });

  it("leave out everything that is imported from another program", async () => {
    await subscribe({ event_types: EVENTS.types });
    const account = (await app.records.get("account", app.account_id))!;
    const values = { email: "jane@example.com", ref_id: "jane" };
    expect(await PROMOTERS.importRow(app.context, account, { values, source: "1" })).toBe("added");
    const lead = { email: "lead@example.com", ref_id: "jane" };
    expect(await LEADS.importRow(app.context, account, { values: lead, source: "2" })).toBe("added");
    await workOff(outbox);
    expect(types()).toEqual([]);
    await signUp("other@example.com");
    await workOff(outbox);
    expect(types()).toEqual(["referral.created"]);
  });
});
