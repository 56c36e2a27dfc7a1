import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commissions } from "../../../server/domain/ledger/commission/commission.ts";
import { announceMoney } from "../../../server/domain/ledger/announcement.ts";
import { EVENT_TYPES } from "../../support/event-types.ts";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { addCommission } from "../../support/commissions.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { addPayout } from "../../support/payouts.ts";
import { makeReward, offer } from "../../support/money.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

describe("events of commissions", () => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp("memory", { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    outbox = appOutbox(app);
    await join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });
    await app.v1("/track/signup", { email: "lead@example.com", uid: "u-1", ref_id: "jane" });
    const types = EVENT_TYPES.filter((type) => type.startsWith("commission."));
    await company(app, "POST /webhooks", { url: receiver.url, event_types: types });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    await receiver.close();
    await app.close();
  });

  const jane = async () => (await app.records.get("promoter", 1))!;

  /** Announces a commission as an operation would. */
  async function tell(
    before: RecordOf<"commission"> | null,
    after: RecordOf<"commission"> | null,
  ): Promise<void> {
    const { account_id, id } = (after ?? before)!;
    await app.services.store.transact(async (tx) => {
      if (after === null) await tx.remove(commissions, account_id, id);
      else await tx.put(commissions, after);
      await announceMoney(tx, app.context, { entity: "commission", before, after });
    });
  }

  async function earned(changes: Partial<RecordOf<"commission">> = {}): Promise<RecordOf<"commission">> {
    return addCommission(app.context, await jane(), {
      lead_id: 1,
      sale_amount: 5_000,
      commission_type: "sale",
      ...changes,
    });
  }

  it("tell of what a refund takes back, but not that the commission is unchanged", async () => {
    await offer(app, await makeReward(app));
    await app.v1("/track/sale", { uid: "u-1", event_id: "inv_1", amount: "10000" });
    await app.v1("/track/refund", { uid: "u-1", event_id: "re_1", amount: "5000" });
    await workOff(outbox);
    const told = receiver.received.map(({ body }) => `${body.event_type} ${body["entity_id"]}`);
    expect(told.toSorted()).toEqual([
      "commission.approved 1",
      "commission.approved 2",
      "commission.created 1",
      "commission.created 2",
    ]);
  });

  it("show the whole commission, with its promoter and lead, and name each state that it reaches", async () => {
    const commission = await earned({ status: "pending", reward_id: 3, reward_name: "20 percent" });
    await tell(null, commission);
    await tell(commission, { ...commission, status: "approved" });
    const payout = await addPayout(app.context, await jane(), { status: "completed" });
    const paid = { ...commission, payout_id: payout.id, status: "approved" } as const;
    await tell(paid, { ...paid, internal_note: "checked" });
    await tell(paid, null);
    await workOff(outbox);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.map(({ event_type: type }) => type)).toEqual([
      "commission.created",
      "commission.pending",
      "commission.updated",
      "commission.approved",
      "commission.updated",
      "commission.deleted",
    ]);
    expect(bodies[0]).toMatchObject({
      action: "created",
      entity_type: "commission",
      entity_id: commission.id,
    });
    expect(bodies[0]!["data"]).toEqual({
      id: commission.id,
      status: "pending",
      metadata: {},
      is_self_referral: null,
      commission_type: "sale",
      created_by_user_email: null,
      created_by_user_at: null,
      sale_amount: 5_000,
      original_sale_amount: 5_000,
      original_sale_currency: null,
      event_id: null,
      plan_id: null,
      tier: 1,
      internal_note: null,
      external_note: null,
      unit: "cash",
      fraud_check: null,
      amount: 1_000,
      is_paid: false,
      is_split: false,
      created_at: NOW_SECOND,
      status_updated_at: null,
      promoter_campaign: {
        id: 1,
        campaign_id: 1,
        promoter_id: 1,
        created_at: NOW_SECOND,
        promoter: { id: 1, email: "jane@example.com", name: "jane@example.com", cust_id: "c-1" },
        campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
      },
      referral: { id: 1, email: "lead@example.com", uid: "u-1" },
      reward: { id: 3, name: "20 percent" },
      split_details: null,
    });
    expect(bodies[3]).toMatchObject({ action: "updated", changes: { status: ["pending", "approved"] } });
    expect(bodies[4]).toMatchObject({
      changes: { internal_note: [null, "checked"] },
      data: { is_paid: true },
    });
  });

  it("come from each operation that makes, changes or deletes one", async () => {
    const types = async (call: () => Promise<{ status: number }>) => {
      receiver.received.length = 0;
      expect(await call()).toMatchObject({ status: 200 });
      await workOff(outbox);
      return receiver.received.map(({ body }) => String(body["event_type"]).replace("commission.", ""));
    };
    const reward = { lead_id: "1", reward_type: "cash", amount: "500" };
    const batch = (name: string) => () => company(app, `POST /commissions/${name}`, { ids: [1] });
    expect(await types(() => app.v1("/rewards/create", reward))).toEqual(["created", "approved"]);
    expect(await types(batch("deny"))).toEqual(["updated", "denied"]);
    expect(await types(batch("deny"))).toEqual([]);
    expect(await types(batch("approve"))).toEqual(["updated", "approved"]);
    expect(await types(() => app.v1("/rewards/update", { id: "1", status: "pending" }))).toEqual([
      "updated",
      "pending",
    ]);
    expect(await types(() => company(app, "PUT /commissions/1", { internal_note: "x" }))).toEqual([
      "updated",
    ]);
    expect(await types(() => company(app, "PUT /commissions/1", { internal_note: "x" }))).toEqual([]);
    expect(await types(() => company(app, "DELETE /commissions/destroy", { ids: [1] }))).toEqual(["deleted"]);
    const custom = { commission_type: "custom", promoter_campaign_id: 1, amount: 100 };
    expect(await types(() => company(app, "POST /commissions", custom))).toEqual(["created", "approved"]);
  });

  it("show a part of a split commission", async () => {
    const commission = await earned({ split_ten_thousandths: 125_000 });
    await tell(null, commission);
    await workOff(outbox);
    expect(receiver.received[0]!.body["data"]).toMatchObject({
      is_split: true,
      split_details: { promoter_campaign_id: 1, promoter_id: 1, percentage: 12.5 },
    });
  });

  it("lose the names of an erased lead and promoter, and are still sent", async () => {
    receiver.answer((response) => response.writeHead(500).end());
    const commission = await earned();
    await tell(null, commission);
    await workOff(outbox);
    await eraseLead(app, "lead@example.com");
    await erasePromoter(app, "jane@example.com");
    receiver.received.length = 0;
    receiver.answer((response) => response.writeHead(200).end());
    app.setNow("2026-03-05T00:00:00.000Z");
    await workOff(outbox);
    expect(receiver.received.map(({ body }) => body["event_type"])).toEqual([
      "commission.created",
      "commission.approved",
    ]);
    expect(receiver.received[0]!.body["data"]).toMatchObject({
      amount: 1_000,
      referral: null,
      promoter_campaign: { promoter_id: 1, promoter: null },
    });
  });
});
