import { afterEach, beforeEach, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { company, join } from "../../support/v2.ts";

const [JANE, BOB, ZOE, LEE] = [1, 2, 3, 4];
const NAMES = ["", "jane", "bob", "zoe", "lee"];

let app: TestApp;
/** Bob is above Jane. The parent gets 5 percent of a sale. The lead is Jane's. */
beforeEach(async () => {
  app = await startApp();
  for (const name of NAMES.slice(1)) await join(app, `${name}@example.com`, { ref_id: name });
  await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: BOB, ids: [JANE] });
  const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
  await offer(app, await makeReward(app), await makeReward(app, [{ amount: 5 }], tier));
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const sell = (params: object = {}) =>
  trackV2(app, "sale", { email: "lead@example.com", event_id: "inv_1", amount: 10_000, ...params });
const split = (promoter_campaign_id: number, percentage: number) =>
  company(app, "PUT /referrals/1", { split_details: [{ promoter_campaign_id, percentage }] });
const move = (promoter_campaign_id: number, move_associated_commissions: boolean) =>
  company(app, "POST /referrals/move_to_promoter", {
    ids: [1],
    promoter_campaign_id,
    move_associated_commissions,
  });

interface Shown {
  tier: number;
  amount: number;
  is_split: boolean;
  promoter_campaign: { promoter_id: number };
  split_details: { promoter_campaign_id: number; promoter_id: number; percentage: number } | null;
}

/** All commissions as `tier: amount of promoter`, with the part of a split as it is shown. */
async function shown(): Promise<string[]> {
  const { body } = await app.v2("GET", "/commissions");
  return (body as Shown[]).map(
    ({ tier, amount, is_split, promoter_campaign: owner, split_details: part }) => {
      expect(is_split).toBe(part !== null);
      const share =
        part && ` (${part.percentage} % of ${NAMES[part.promoter_id]}'s ${part.promoter_campaign_id})`;
      return `${tier}: ${amount} of ${NAMES[owner.promoter_id]}${share ?? ""}`;
    },
  );
}

it("a parent who gets the lead and gives it away again keeps what they earned as a parent", async () => {
  await sell();
  await move(BOB, false);
  await move(ZOE, true);
  expect(await shown()).toEqual(["1: 1000 of jane", "2: 500 of bob"]);
});

it("one who shares in a lead, gets it and gives it away again keeps their own part", async () => {
  await split(ZOE, 25);
  await sell();
  await move(ZOE, true);
  expect(await shown()).toEqual([
    "1: 250 of zoe (25 % of zoe's 3)",
    "1: 750 of zoe (75 % of zoe's 3)",
    "2: 500 of bob",
  ]);
  await trackV2(app, "refund", { email: "lead@example.com", event_id: "re_1", amount: 5_000 });
  await move(LEE, true);
  expect(await shown()).toEqual([
    "1: 250 of zoe (25 % of zoe's 3)",
    "1: 750 of lee (75 % of lee's 4)",
    "2: 500 of bob",
    "1: -125 of zoe (25 % of zoe's 3)",
    "1: -375 of lee (75 % of lee's 4)",
    "2: -250 of bob",
  ]);
  const { body } = await app.v2("GET", "/referrals/1");
  expect(body).toMatchObject({ split_details: null });
});

it("a promoter who shares by another campaign of theirs keeps that part when the lead moves", async () => {
  await company(app, "POST /campaigns", { name: "Second", landing_url: "https://2.example/" });
  await company(app, "POST /promoters/add_to_campaign", { ids: [JANE], campaign_id: 2 });
  await split(5, 25);
  await sell();
  await move(ZOE, true);
  expect(await shown()).toEqual([
    "1: 250 of jane (25 % of jane's 5)",
    "1: 750 of zoe (75 % of zoe's 3)",
    "2: 500 of bob",
  ]);
});

it("commissions of former sales that come later stay with those whom the sale named", async () => {
  await split(ZOE, 25);
  const later = { start_recurring_reward_in: "30", recurring_reward_frequency: "30", max_recurring: "1" };
  await app.v1("/track/sale", { email: "lead@example.com", event_id: "inv_1", amount: "10000", ...later });
  await runOn("2026-04-10T00:00:00.000Z");
  await move(LEE, true);
  await runOn("2026-05-10T00:00:00.000Z");
  expect(await shown()).toEqual([
    "1: 250 of zoe (25 % of zoe's 3)",
    "1: 750 of lee (75 % of lee's 4)",
    "2: 500 of bob",
    "1: 250 of zoe (25 % of zoe's 3)",
    "1: 750 of jane (75 % of jane's 1)",
    "2: 500 of bob",
  ]);
});

async function runOn(day: string): Promise<void> {
  app.setNow(day);
  const jobs = newJobs(app.services, () => Date.parse(day));
  await jobs.pass();
  await jobs.stop();
}
