import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { erasePromoter } from "../../support/operations.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const NOTHING = {
  since: null,
  clicks_count: 0,
  referrals_count: 0,
  commissions_count: 0,
  earnings_amount: 0,
  paid_amount: 0,
};

it("a visit shows what was added since the one before, and reloading the page does not hide it", async () => {
  const jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
  const visit = async () => (await jane.outcome("POST /visits")).body;
  const earn = (amount: number) =>
    company(app, "POST /commissions", { commission_type: "custom", promoter_campaign_id: 1, amount });
  await earn(1_000);
  app.setNow("2026-03-04T06:00:00.000Z");
  expect(await visit()).toEqual(NOTHING);
  await app.v1("/track/signup", { email: "one@example.com", ref_id: "jane" });
  await earn(2_500);
  app.setNow("2026-03-04T09:59:59.000Z");
  expect(await visit()).toEqual(NOTHING);
  app.setNow("2026-03-04T10:00:00.000Z");
  const news = {
    ...NOTHING,
    since: "2026-03-04T06:00:00.000Z",
    referrals_count: 1,
    commissions_count: 1,
    earnings_amount: 2_500,
  };
  expect(await visit()).toEqual(news);
  app.setNow("2026-03-04T12:00:00.000Z");
  expect(await visit()).toEqual(news);
  app.setNow("2026-03-05T12:00:00.000Z");
  expect(await visit()).toEqual({ ...NOTHING, since: "2026-03-04T10:00:00.000Z" });
  const log = (await company(app, "GET /audit_log?filters[entity]=promoter")).body as { action: string }[];
  expect(log.map(({ action }) => action)).toEqual(["created"]);
});

it("nobody else's visit counts, and an erasure forgets it", async () => {
  const jane = await visitingPromoter(app, "jane@example.com");
  const kim = await visitingPromoter(app, "kim@example.com");
  await jane.call("POST /visits");
  app.setNow("2026-03-06T06:00:00.000Z");
  expect(await kim.outcome("POST /visits")).toEqual({ status: 200, body: NOTHING });
  expect((await app.records.get("promoter", 1))?.["visit"]).toMatchObject({
    at: expect.any(String) as string,
  });
  await erasePromoter(app, "jane@example.com");
  expect((await app.records.get("promoter", 1))?.["visit"]).toBeUndefined();
});
