import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { addUser, callAs, type SessionCall } from "../../support/users.ts";
import { company, join } from "../../support/v2.ts";

const USER = { created_by_user_email: "manager@acme.example", created_by_user_at: NOW_SECOND };
const NOBODY = { created_by_user_email: null, created_by_user_at: null };

let app: TestApp;
let manager: SessionCall;
beforeEach(async () => {
  app = await startApp();
  await join(app, "jane@example.com", { ref_id: "jane" });
  await offer(app, await makeReward(app));
  manager = await callAs(app, await addUser(app, "manager"));
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const LEAD = { email: "sam@example.net", promoter_campaign_id: 1 };
const BONUS = { commission_type: "custom", promoter_campaign_id: 1, amount: 500, event_date: "2026-01-01" };
const SALE = { commission_type: "sale", referral_id: 1, sale_amount: 10_000, event_id: "order-1" };

it("a lead names the user who added it, and a lead of an API key names nobody", async () => {
  expect((await manager("POST /referrals", LEAD)).body).toMatchObject({
    email: "sam@example.net",
    created_by_user_email: "manager@acme.example",
  });
  const kim = await company(app, "POST /referrals", { ...LEAD, email: "kim@example.net" });
  expect(kim.body).toMatchObject({ email: "kim@example.net", created_by_user_email: null });
  // Later changes, also those of others, leave the name.
  await company(app, "PUT /referrals/1", { username: "sam" });
  expect((await company(app, "GET /referrals/1")).body).toMatchObject({
    username: "sam",
    created_by_user_email: "manager@acme.example",
  });
});

it("a commission names the user who gave it and when, and one of an API key names nobody", async () => {
  await manager("POST /referrals", LEAD);
  expect((await manager("POST /commissions", BONUS)).body).toMatchObject([
    { amount: 500, created_at: "2026-01-01T00:00:00Z", ...USER },
  ]);
  expect((await manager("POST /commissions", SALE)).body).toMatchObject([{ amount: 1_000, ...USER }]);
  expect((await company(app, "POST /commissions", BONUS)).body).toMatchObject([{ amount: 500, ...NOBODY }]);
  const listed = await company(app, "GET /commissions");
  expect(listed.body).toMatchObject([USER, USER, NOBODY]);
});

it("what a sale earns and what a refund takes back names nobody, even if the sale was made by hand", async () => {
  await manager("POST /referrals", LEAD);
  await manager("POST /commissions", SALE);
  await app.v1("/track/sale", { email: "sam@example.net", event_id: "order-2", amount: "2000" });
  const refund = { event_id: "refund-1", sale_event_id: "order-1", amount: "10000" };
  await app.v1("/track/refund", { email: "sam@example.net", ...refund });
  expect((await company(app, "GET /commissions")).body).toMatchObject([
    { amount: 1_000, ...USER },
    { amount: 200, ...NOBODY },
    { amount: -1_000, ...NOBODY },
  ]);
});
