import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { addCommission } from "../../support/commissions.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";
import { balancesOf } from "../../support/money.ts";

describe("rewards of V1", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    await createV1Promoter(app, { email: "jane@example.com", ref_id: "jane" });
    await createV1Promoter(app, { email: "bob@example.com", ref_id: "bob" });
    await v1(app, "POST", "/track/signup", { email: "lead@example.com", uid: "u-1", ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const create = (params: Record<string, string>) =>
    v1(app, "POST", "/rewards/create", { reward_type: "cash", amount: "500", ...params });
  const update = (params: Record<string, string>) => v1(app, "PUT", "/rewards/update", params);
  const units = async (promoterId = 1) => await balancesOf(app, promoterId);
  const statuses = async () => {
    const all = await app.records.all("commission");
    return all.map(({ status }) => status);
  };
  const jane = async () => (await app.records.get("promoter", 1))!;

  it("are created for a lead's promoter, approved, and answered whole", async () => {
    const answer = await create({ uid: "u-1", skip_email_notification: "true" });
    const shown = (await v1(app, "GET", "/leads/show", { id: "1" })).body as Record<string, unknown>;
    const { promotion, promoter, ...lead } = shown;
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      id: 1,
      status: "approved",
      amount: 500,
      unit: "cash",
      created_at: NOW,
      lead,
      event_id: null,
      conversion_amount: 0,
      tier_level: 1,
      split_type: null,
      promoter,
      promotion,
    });
    expect(promoter).toMatchObject({ earnings_balance: { cash: 500 } });
    expect(await units()).toEqual({ cash: { earnings: 500, current: 500, paid: 0 } });
  });

  it.each([
    [{ lead_id: "1" }, 1, true],
    [{ email: "LEAD@example.com" }, 1, true],
    [{ lead_id: "1", ref_id: "bob" }, 1, true],
    [{ promotion_id: "2" }, 2, false],
    [{ ref_id: "Bob" }, 2, false],
  ])("find their promoter by %o", async (named, promoterId, hasLead) => {
    const { body } = await create(named as Record<string, string>);
    expect(body).toMatchObject({
      promoter: { id: promoterId },
      lead: hasLead ? { id: 1 } : null,
    });
  });

  it.each([
    ["points", "points"],
    ["credits", "credits"],
    ["free_months", "free_months"],
    ["discount_per", "discount_per"],
    ["discount_mon", "mon_discount"],
  ] as const)("are of the unit %s", async (type, unit) => {
    const { body } = await create({ ref_id: "jane", reward_type: type, amount: "3", status: "pending" });
    expect(body).toMatchObject({ unit: type, amount: 3, status: "pending" });
    expect(await app.records.get("commission", 1)).toMatchObject({
      unit,
      commission_type: "custom",
    });
    expect(await units()).toEqual({});
  });

  it("correct earlier ones by a negative amount of money", async () => {
    await create({ ref_id: "jane" });
    await create({ ref_id: "jane", amount: "-200" });
    expect(await units()).toEqual({ cash: { earnings: 300, current: 300, paid: 0 } });
  });

  it.each([
    [{}, { error: "You need to pass a lead (lead_id, uid or email), or promotion_id or ref_id." }],
    [{ lead_id: "9" }, { error: "Lead not found." }],
    [{ uid: "nobody", ref_id: "jane" }, { error: "Lead not found." }],
    [{ promotion_id: "9" }, { error: "Promotion not found." }],
    [{ ref_id: "nobody" }, { error: "Promotion not found." }],
    [{ ref_id: "jane", amount: "0" }, { amount: ["must not be 0"] }],
    [{ ref_id: "jane", amount: "" }, { amount: ["can't be blank"] }],
    [{ ref_id: "jane", amount: "1.5" }, { amount: ["is not an integer"] }],
    [
      { ref_id: "jane", amount: "-1", reward_type: "credits" },
      { amount: ["must be positive, unless it is cash"] },
    ],
    [
      { ref_id: "jane", reward_type: "euros" },
      {
        reward_type: ["is not one of cash, credits, points, free_months, discount_mon, discount_per"],
      },
    ],
    [{ ref_id: "jane", status: "paid" }, { status: ["is not one of pending, approved, denied"] }],
  ])("refuse %o with 422", async (params, body) => {
    const answer = await create(params as Record<string, string>);
    expect([answer.status, answer.body]).toEqual([422, body]);
    expect(await statuses()).toEqual([]);
  });

  it("change their status by id, by PUT and POST", async () => {
    await create({ ref_id: "jane" });
    const { status, body } = await update({ id: "1", status: "pending" });
    expect([status, body]).toMatchObject([200, { id: 1, status: "pending", promoter: { id: 1 } }]);
    expect(await units()).toEqual({});
    expect(await v1(app, "POST", "/rewards/update", { id: "1", status: "denied" })).toMatchObject({
      body: { status: "denied" },
    });
    expect(await update({ id: "1" })).toMatchObject({ status: 200, body: { status: "denied" } });
  });

  it("change their status by an event although a refund of another one has the same id", async () => {
    await addCommission(app.context, await jane(), { event_id: "order/2", taken_back_by_ids: [2] });
    await addCommission(app.context, await jane(), { event_id: "order/1", takes_back_id: 1, amount: -500 });
    await addCommission(app.context, await jane(), { event_id: "order/1" });
    expect(await update({ event_id: "order/1", status: "denied" })).toMatchObject({
      status: 200,
      body: { id: 3, status: "denied" },
    });
    expect(await statuses()).toEqual(["approved", "approved", "denied"]);
  });

  it("change their status by the event that earned them, all together, or none of them", async () => {
    await addCommission(app.context, await jane(), { event_id: "order/1", status: "pending" });
    await addCommission(app.context, await jane(), { event_id: "order/1", status: "pending", tier: 2 });
    await addCommission(app.context, await jane(), { event_id: "order/2", status: "pending" });
    expect(await update({ event_id: "order/1", status: "approved" })).toMatchObject({
      status: 200,
      body: { id: 1, status: "approved", event_id: "order/1", tier_level: 1 },
    });
    expect(await statuses()).toEqual(["approved", "approved", "pending"]);
    await addCommission(app.context, await jane(), { event_id: "order/1", is_paid_elsewhere: true });
    expect(await update({ event_id: "order/1", status: "denied" })).toMatchObject({
      status: 422,
      body: { error: "Commission 4 is paid and can't be changed" },
    });
    expect(await statuses()).toEqual(["approved", "approved", "pending", "approved"]);
  });

  it.each([
    [{ status: "denied" }, { error: "You need to find the reward either by id or event_id." }],
    [{ id: "9", status: "denied" }, { error: "Commission not found." }],
    [{ event_id: "unknown", status: "denied" }, { error: "Commission not found." }],
    [{ id: "1", status: "paid" }, { status: ["is not one of pending, approved, denied"] }],
  ])("refuse to change %o with 422", async (params, body) => {
    const answer = await update(params as Record<string, string>);
    expect([answer.status, answer.body]).toEqual([422, body]);
  });
});
