import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../support/event-types.ts";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join, reward } from "../../support/v2.ts";
import { erasePromoter, countDeliveries, retryFailed } from "../../support/operations.ts";

const RETRY = "POST /webhooks/1/webhook_deliveries/1/retry_delivery";

describe.each(STORAGES)("deliveries that wait in the outbox, on %s", (kind) => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp(kind, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(500).end());
    outbox = appOutbox(app);
    await join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });
    await company(app, "POST /webhooks", { url: receiver.url, event_types: EVENT_TYPES });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  const later = (minutes: number) => app.setNow(new Date(Date.parse(NOW) + minutes * 60_000).toISOString());
  const change = (id: number, uid: string) =>
    app.request(`/api/v1/leads/update?id=${id}&new_uid=${uid}`, {
      method: "PUT",
      headers: { "x-api-key": "key-of-acme" },
    });
  const kept = () => app.records.all("delivery");

  it("end with their webhook at once, not when they are due, however many wait", async () => {
    for (let count = 0; count < 40; count++) await signUp(`lead-${count}@example.com`);
    for (let count = 0; count < 60; count++) await change(1, `u-${count}`);
    await workOff(outbox);
    expect(await app.records.count("lane")).toBe(40);
    receiver.received.length = 0;
    await company(app, "DELETE /webhooks/1");
    expect(await workOff(outbox)).toBeLessThan(10);
    expect(await app.records.count("lane")).toBe(0);
    const ended = await kept();
    expect(ended).toHaveLength(100);
    expect(new Set(ended.map(({ status, last_error }) => `${status}: ${last_error}`))).toEqual(
      new Set(["failed: The webhook was deleted"]),
    );
    expect(receiver.received).toEqual([]);
  });

  it("stay if they are for other webhooks", async () => {
    await company(app, "POST /webhooks", { url: receiver.url, event_types: ["referral.created"] });
    await signUp("lead@example.com");
    await workOff(outbox);
    await company(app, "DELETE /webhooks/1");
    await workOff(outbox);
    const states = (await kept()).map(({ webhook_id, status }) => `${webhook_id} ${status}`);
    expect(states).toEqual(["1 failed", "2 retrying"]);
  });

  it("are sent once more if a retry is asked for while they are being sent, and never twice at once", async () => {
    await signUp("lead@example.com");
    receiver.answer((response) => {
      later(1);
      receiver.answer((other) => other.end());
      void company(app, RETRY).then(({ status }) => response.writeHead(status === 200 ? 500 : 404).end());
    });
    await workOff(outbox);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.mostAtOnce()).toBe(1);
    expect(await kept()).toMatchObject([{ status: "delivered", attempts: 1, last_error: null }]);
  });

  it("are sent once if they arrive while a retry is asked for", async () => {
    await signUp("lead@example.com");
    receiver.answer((response) => {
      later(1);
      void company(app, RETRY).then(() => response.end());
    });
    await workOff(outbox);
    expect(receiver.received).toHaveLength(1);
    expect(await kept()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it("start again in the order of events, whatever the order of ids", async () => {
    await company(app, "PUT /webhooks/1", { max_retries: 0 });
    const { store } = app.services;
    // Simulates another process that took higher ids for the earlier event.
    for (let count = 0; count < 9; count++) await store.nextId("delivery");
    const [first] = [await store.nextId("delivery"), await signUp("lead@example.com")];
    await workOff(outbox);
    const [created] = await kept();
    await app.records.remove("delivery", created!.id);
    await app.records.put("delivery", { ...created!, id: first + 100 });
    later(1);
    await change(1, "u-1");
    await workOff(outbox);
    for (let count = 0; count < 120; count++) await store.nextId("delivery");
    receiver.received.length = 0;
    receiver.answer((response) => response.end());
    expect(await retryFailed(app, 1)).toBe(2);
    await workOff(outbox);
    expect(receiver.received.map(({ body }) => body["action"])).toEqual(["created", "updated"]);
    expect(await countDeliveries(app, 1)).toMatchObject({ delivered: 2, failed: 0, pending: 0 });
  });

  it("go on if an erasure takes several out of one lane", async () => {
    const rewardId = await reward(app);
    await join(app, "other@example.com", { ref_id: "other" });
    await company(app, "POST /promo_codes", { code: "A", reward_id: rewardId, promoter_campaign_id: 1 });
    await company(app, "PUT /promo_codes/1", { code: "B" });
    await company(app, "PUT /promo_codes/1", { code: "C" });
    await company(app, "PUT /promo_codes/1", { promoter_campaign_id: 2 });
    await company(app, "PUT /promo_codes/1", { code: "D" });
    await workOff(outbox);
    await erasePromoter(app, "jane@example.com");
    receiver.received.length = 0;
    receiver.answer((response) => response.end());
    later(10);
    await workOff(outbox);
    const ofCode = receiver.received.filter(({ body }) => body["entity_type"] === "promo_code");
    expect(ofCode.map(({ body }) => Object.keys(body["changes"] as object))).toEqual([
      ["promoter_campaign_id", "promoter"],
      ["code"],
    ]);
  });
});
