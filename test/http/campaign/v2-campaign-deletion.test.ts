import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newCommission } from "../../support/commissions.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { addPayout } from "../../support/payouts.ts";
import { company, join, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const UPGRADE = { campaign_id: 2, amount: 5, metric: "customers", move_referrals_on_level_change: false };

describe.each(STORAGES)("removing campaigns on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await call("POST /campaigns", { name: "Summer", landing_url: "https://acme.example/summer" });
    await join(app, "jane@example.com", { campaign_id: "2" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const remove = () => call("DELETE /campaigns/2");
  const inUse = (message: string) => ({ status: 409, body: { message, code: "destroy_failed" } });
  const leave = () =>
    call("POST /promoters/move_to_campaign", { ids: [1], from_campaign_id: 2, to_campaign_id: 1 });

  it("keeps a campaign that has payouts, which can still be listed", async () => {
    await addPayout(app.context, (await app.records.get("promoter", 1))!, { campaign_id: 2 });
    await leave();
    expect(await remove()).toEqual(inUse("1 payouts belong to the campaign"));
    expect(await call("GET /payouts")).toMatchObject({ status: 200 });
    await app.records.remove("payout", 1);
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it("keeps a campaign that has commissions", async () => {
    await app.records.put("commission", commission(app.account_id));
    await leave();
    expect(await remove()).toEqual(inUse("1 commissions belong to the campaign"));
    await app.records.remove("commission", 1);
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it("keeps a campaign that has sales, although their lead is gone", async () => {
    await app.v1("/track/sale", { email: "a@b.example", ref_id: "jane", event_id: "inv_1", amount: "100" });
    await app.records.remove("lead", 1);
    await leave();
    expect(await remove()).toEqual(inUse("1 sales belong to the campaign"));
  });

  it("keeps a campaign that has leads", async () => {
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await leave();
    expect(await remove()).toEqual(inUse("1 leads belong to the campaign"));
    await app.records.remove("lead", 1);
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it("keeps a campaign that another one upgrades to, until that upgrade ends", async () => {
    await leave();
    await call("PUT /campaigns/1", { upgrade_details: UPGRADE });
    expect(await remove()).toEqual(inUse("1 upgrades of other campaigns belong to the campaign"));
    await call("PUT /campaigns/1", { upgrade_details: null });
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it("accepts a campaign as it was shown, although its upgrade leads nowhere any more", async () => {
    await call("PUT /campaigns/1", { upgrade_details: UPGRADE });
    await app.records.remove("campaign", 2);
    const { body } = await call("GET /campaigns/1");
    expect(await call("PUT /campaigns/1", body)).toEqual({ status: 200, body });
    expect(await call("PUT /campaigns/1", { color: "red" })).toMatchObject({ status: 200 });
    expect(
      await call("PUT /campaigns/1", { upgrade_details: { ...UPGRADE, campaign_id: 99 } }),
    ).toMatchObject({
      status: 404,
    });
  });
});

function commission(accountId: number): RecordOf<"commission"> {
  return newCommission({
    account_id: accountId,
    id: 1,
    promoter_campaign_id: 1,
    promoter_id: 1,
    campaign_id: 2,
    status: "pending",
    amount: 100,
    created_at: NOW,
  });
}
