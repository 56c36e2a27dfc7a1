import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { trackV2 } from "../../support/money.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { addCampaign, company, join, outcome } from "../../support/v2.ts";

let app: TestApp;
let receiver: Receiver;
let next: number;
beforeEach(async () => {
  app = await startApp("memory", { allowsPrivateWebhooks: true });
  receiver = await startReceiver();
  next = (await addCampaign(app, { name: "Gold" })).id;
  await join(app, "jane@example.com", { ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await receiver.close();
  await app.close();
});

const GOAL = { amount: 2, metric: "customers", move_referrals_on_level_change: false };
const setGoal = (over: object = {}, id = 1) =>
  outcome(company(app, `PUT /campaigns/${id}`, { upgrade_details: { ...GOAL, campaign_id: next, ...over } }));
const sell = (name: string, event_id: string, amount = 1_000) =>
  trackV2(app, "sale", { email: `${name}@example.net`, ref_id: "jane", event_id, amount });
const look = async () => {
  const jobs = newJobs(app.services, () => 0);
  for (let pass = 0; pass < 5; pass++) await jobs.pass();
  await jobs.stop();
};
const campaignsOf = async (path: string) =>
  ((await company(app, `GET /${path}`)).body as { campaign_id: number; state?: string }[]).map(
    ({ campaign_id: id }) => id,
  );
const janes = () => campaignsOf("promoter_campaigns?filters[promoter_id]=1");
const leadsIn = async (id: number) => {
  const { body } = await company(app, `GET /referrals?filters[campaign_id]=${id}`);
  return (body as { email: string }[]).map(({ email }) => email).toSorted();
};

describe("the goal of a campaign", () => {
  it("moves a promoter with as many customers, with links, and leaves the leads", async () => {
    await setGoal();
    await sell("ann", "s-1");
    await look();
    expect(await janes()).toEqual([1]);
    await sell("ben", "s-2");
    await look();
    expect(await janes()).toEqual([next]);
    expect(await leadsIn(1)).toEqual(["ann@example.net", "ben@example.net"]);
    await app.v1("/track/signup", { email: "kim@example.net", ref_id: "jane" });
    expect(await leadsIn(next)).toEqual(["kim@example.net"]);
    await look();
    expect(await janes()).toEqual([next]);
  });

  it("moves the leads too if it says so, and tells of each", async () => {
    await setGoal({ move_referrals_on_level_change: true });
    await company(app, "POST /webhooks", { url: receiver.url, event_types: ["referral.moved"] });
    for (const name of ["ann", "ben"]) await sell(name, name);
    await look();
    expect(await leadsIn(next)).toEqual(["ann@example.net", "ben@example.net"]);
    await workOff(appOutbox(app));
    expect(receiver.received.map(({ body }) => body)).toMatchObject([
      { event_type: "referral.moved", data: { email: "ann@example.net" } },
      { event_type: "referral.moved", data: { email: "ben@example.net" } },
    ]);
  });

  it("counts revenue without refunds", async () => {
    await setGoal({ metric: "revenue", amount: 5_000 });
    await sell("ann", "s-1", 5_000);
    await trackV2(app, "refund", { email: "ann@example.net", event_id: "r-1", amount: 1_000 });
    await look();
    expect(await janes()).toEqual([1]);
    await sell("ann", "s-2", 1_000);
    await look();
    expect(await janes()).toEqual([next]);
  });

  it("leaves out customers whose money is all back with them", async () => {
    await setGoal();
    for (const name of ["ann", "ben"]) await sell(name, name);
    await trackV2(app, "refund", { email: "ann@example.net", event_id: "r-1", amount: 1_000 });
    await look();
    expect(await janes()).toEqual([1]);
    await sell("kim", "kim");
    await look();
    expect(await janes()).toEqual([next]);
  });

  it("counts customers who have not cancelled", async () => {
    await setGoal({ metric: "active_customers" });
    for (const name of ["ann", "ben"]) await sell(name, name);
    await trackV2(app, "cancellation", { email: "ann@example.net" });
    await look();
    expect(await janes()).toEqual([1]);
    await sell("kim", "kim");
    await look();
    expect(await janes()).toEqual([next]);
  });

  it("leaves promoters who wait, and those who are in the next campaign already", async () => {
    await setGoal({ amount: 1 });
    await sell("ann", "s-1");
    await app.v1("/promoters/add_to_campaign", { id: "1", campaign_id: String(next) });
    await look();
    expect(await janes()).toEqual([1, next]);
    await company(app, "PUT /promoter_campaigns/1", { state: "blocked" });
    await look();
    expect(await janes()).toEqual([1, next]);
  });

  it("leads through several campaigns, and never in a circle", async () => {
    const last = (await addCampaign(app, { name: "Platinum" })).id;
    await setGoal({ amount: 1 });
    await setGoal({ campaign_id: last }, next);
    expect(await setGoal({ campaign_id: 1 }, last)).toEqual({
      status: 400,
      body: {
        message: "Validation failed: upgrade_details must not lead back to this campaign",
        code: "invalid_record",
        errors: { upgrade_details: ["must not lead back to this campaign"] },
      },
    });
    await sell("ann", "s-1");
    await look();
    expect(await janes()).toEqual([next]);
    await sell("ben", "s-2");
    await look();
    expect(await janes()).toEqual([last]);
  });
});
