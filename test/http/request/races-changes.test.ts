import { describe, expect, it } from "vitest";
import type { TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { signedInBrowser } from "../../support/portal.ts";
import { racesAtEachStep, type Race } from "../../support/race.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";
import { company, reward } from "../../support/v2.ts";

type Begin = (app: TestApp) => Promise<Race>;

const TID = "6f1c7f6e-1111-4a5b-8c3d-000000000001";

const member = (app: TestApp, name: string, params = {}) =>
  createV1Promoter(app, { email: `${name}@example.com`, ref_id: name, ...params });
const removePromoter = (app: TestApp, id: number) => () =>
  v1(app, "DELETE", "/promoters/delete", { id: String(id) });

async function newCampaign(app: TestApp, name: string): Promise<number> {
  const body = { name, landing_url: "https://b.example/" };
  return ((await company(app, "POST /campaigns", body)).body as { id: number }).id;
}

/** Changes to a promoter who is deleted at the same time. */
const OF_PROMOTER: Record<string, (app: TestApp, id: number) => Promise<Race["call"]>> = {
  "V1 sign-up": async (app) => {
    const params = { email: "lead@example.com", ref_id: "jane" };
    return () => v1(app, "POST", "/track/signup", params);
  },
  "V1 sign-up of a known lead": async (app) => {
    const params = { email: "lead@example.com", ref_id: "jane" };
    await v1(app, "POST", "/track/signup", params);
    const again = { ...params, username: "new", override_existing_lead: "true" };
    return () => v1(app, "POST", "/track/signup", again);
  },
  "V2 sign-up": async (app) => {
    const body = { email: "lead@example.com", ref_id: "jane" };
    return () => app.v2("POST", "/../track/signup", body);
  },
  "sign-up by a page": async (app) => {
    const tid = TID;
    await app.browser("/t/click", { tid, ref_id: "jane" });
    return () => app.browser("/t/signup", { tid, email: "lead@example.com" });
  },
  "V1 promoter update": async (app, id) => {
    return () => v1(app, "PUT", "/promoters/update", { id: String(id), note: "new" });
  },
  "V1 add to campaign": async (app, id) => {
    return () => v1(app, "POST", "/promoters/add_to_campaign", { id: String(id), campaign_id: "2" });
  },
  "V1 move to campaign": async (app, id) => {
    const params = { id: String(id), destination_campaign_id: "2" };
    return () => v1(app, "POST", "/promoters/move_to_campaign", params);
  },
  "V1 token": async (app, id) => () => v1(app, "PUT", "/promoters/refresh_token", { id: String(id) }),
  "V1 promoter below them": async (app, id) => {
    const params = { email: "kid@example.com", parent_promoter_id: String(id) };
    return () => v1(app, "POST", "/promoters/create", params);
  },
  "V1 promoter put below them": async (app) => {
    const kid = await member(app, "kid");
    const params = { id: String(kid.id), parent_promoter_email: "jane@example.com" };
    return () => v1(app, "PUT", "/promoters/update", params);
  },
  "V1 sign-up for a promoter below them": async (app, id) => {
    await member(app, "kid", { parent_promoter_id: String(id) });
    const params = { email: "lead@example.com", ref_id: "kid" };
    return () => v1(app, "POST", "/track/signup", params);
  },
  "V1 lead update": async (app) => {
    const email = "lead@example.com";
    await v1(app, "POST", "/track/signup", { email, ref_id: "jane" });
    return () => v1(app, "PUT", "/leads/update", { email, new_uid: "uid" });
  },
  "V1 lead that comes to them": async (app) => {
    await member(app, "bob");
    const email = "lead@example.com";
    await v1(app, "POST", "/track/signup", { email, ref_id: "bob" });
    return () => v1(app, "PUT", "/leads/update", { email, new_ref_id: "jane" });
  },
  "V2 promoter update": async (app, id) => {
    return () => company(app, `PUT /promoters/${id}`, { profile: { first_name: "Jane" } });
  },
  "V2 promo code": async (app) => {
    const body = { code: "CODE", reward_id: 1, promoter_campaign_id: 1 };
    return () => company(app, "POST /promo_codes", body);
  },
  "V2 promo code update": async (app) => {
    const body = { code: "CODE", reward_id: 1, promoter_campaign_id: 1 };
    const code = (await company(app, "POST /promo_codes", body)).body as { id: number };
    return () => company(app, `PUT /promo_codes/${code.id}`, { description: "new" });
  },
  "V2 promo code's end": async (app) => {
    const body = { code: "CODE", reward_id: 1, promoter_campaign_id: 1 };
    const code = (await company(app, "POST /promo_codes", body)).body as { id: number };
    return () => company(app, `DELETE /promo_codes/${code.id}`);
  },
  "V2 promoter campaign update": async (app) => {
    const path = "/promoter_campaigns/1";
    return () => company(app, `PUT ${path}`, { coupon: "NEW" });
  },
  "V1 reward": async (app) => {
    const params = { ref_id: "jane", reward_type: "cash", amount: "100" };
    return () => v1(app, "POST", "/rewards/create", params);
  },
  "V1 reward for a lead": async (app) => {
    await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane" });
    const params = { email: "lead@example.com", reward_type: "cash", amount: "100" };
    return () => v1(app, "POST", "/rewards/create", params);
  },
  "V2 commission": async (app) => {
    const body = { commission_type: "custom", promoter_campaign_id: 1, amount: 100 };
    return () => company(app, "POST /commissions", body);
  },
  "joining a campaign by oneself": async (app, id) => {
    const { auth_token } = (await app.records.get("promoter", id))!;
    const { call } = await signedInBrowser(app, auth_token);
    return async () => {
      const answer = await call("POST /campaigns/2/join", {});
      if (answer.status < 300) expect(answer.body).toMatchObject({ id: 2, state: "accepted" });
      return answer;
    };
  },
  "V2 referral": async (app) => {
    const body = { email: "lead@example.com", promoter_campaign_id: 1 };
    return () => company(app, "POST /referrals", body);
  },
  "V2 referral update": async (app) => {
    await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane" });
    return () => company(app, "PUT /referrals/1", { username: "new" });
  },
  "V2 payout method": async (app, id) => {
    const body = { promoter_id: id, method: "paypal", details: { wallet_email: "a@b.example" } };
    return () => company(app, "POST /payout_methods", body);
  },
};

/** Changes to a record while another record that it needs is deleted. */
const OTHERS: Record<string, Begin> = {
  "V1 promoter of a campaign that is deleted": async (app) => {
    const id = await newCampaign(app, "C");
    const params = { email: "jane@example.com", campaign_id: String(id) };
    return {
      call: () => v1(app, "POST", "/promoters/create", params),
      meanwhile: () => company(app, `DELETE /campaigns/${id}`),
    };
  },
  "V2 promoter of a campaign that is deleted": async (app) => {
    const id = await newCampaign(app, "C");
    const body = { email: "jane@example.com", initial_campaign_id: id };
    return {
      call: () => company(app, "POST /promoters", body),
      meanwhile: () => company(app, `DELETE /campaigns/${id}`),
    };
  },
  "V1 promoter who is deleted at once": async (app) => {
    const email = "jane@example.com";
    return {
      call: () => v1(app, "POST", "/promoters/create", { email }),
      meanwhile: () => v1(app, "DELETE", "/promoters/delete", { promoter_email: email }),
    };
  },
  "V2 promoter who is deleted at once": async (app) => {
    const email = "jane@example.com";
    return {
      call: () => company(app, "POST /promoters", { email }),
      meanwhile: () => v1(app, "DELETE", "/promoters/delete", { promoter_email: email }),
    };
  },
  "V1 update of a promoter who moves out of a campaign that is deleted": async (app) => {
    const campaignId = await newCampaign(app, "C");
    const { id } = await member(app, "jane", { campaign_id: String(campaignId) });
    return {
      call: () => v1(app, "PUT", "/promoters/update", { id: String(id), note: "new" }),
      meanwhile: () => leave(app, id, campaignId),
    };
  },
  "V2 update of a promoter who moves out of a campaign that is deleted": async (app) => {
    const campaignId = await newCampaign(app, "C");
    const { id } = await member(app, "jane", { campaign_id: String(campaignId) });
    return {
      call: () => company(app, `PUT /promoters/${id}`, { profile: { first_name: "Jane" } }),
      meanwhile: () => leave(app, id, campaignId),
    };
  },
  "V2 campaign that is deleted": async (app) => {
    const id = await newCampaign(app, "C");
    return {
      call: () => company(app, `PUT /campaigns/${id}`, { color: "#000000" }),
      meanwhile: () => company(app, `DELETE /campaigns/${id}`),
    };
  },
  "V1 lead that is deleted": async (app) => {
    const email = "lead@example.com";
    await member(app, "jane");
    await v1(app, "POST", "/track/signup", { email, ref_id: "jane" });
    return {
      call: () => v1(app, "PUT", "/leads/update", { email, new_uid: "uid" }),
      meanwhile: () => v1(app, "DELETE", "/leads/delete", { email }),
    };
  },
  "webhook that is deleted": async (app) => {
    const body = { url: "https://hooks.example/", event_types: ["promoter.created"] };
    const { id } = (await company(app, "POST /webhooks", body)).body as { id: number };
    return {
      call: () => company(app, `PUT /webhooks/${id}`, { active: false }),
      meanwhile: () => company(app, `DELETE /webhooks/${id}`),
    };
  },
};

async function leave(app: TestApp, promoterId: number, campaignId: number): Promise<void> {
  const move = { id: String(promoterId), destination_campaign_id: "1" };
  await v1(app, "POST", "/promoters/move_to_campaign", move);
  await company(app, `DELETE /campaigns/${campaignId}`);
}

describe("a change that races with a deletion", () => {
  /** A refused change has written nothing. If the deletion comes last, the change is written. */
  async function expectTruth(begin: Begin): Promise<void> {
    const outcomes = await racesAtEachStep(async (app) => {
      await newCampaign(app, "B");
      await reward(app);
      return begin(app);
    });
    const lies = outcomes.filter(({ answer, hasWritten }) => hasWritten && answer.status >= 300);
    expect(lies).toEqual([]);
    expect(outcomes.at(-1)).toMatchObject({ hasWritten: true });
  }

  it.each(Object.entries(OF_PROMOTER))(
    "%s: a success is answered exactly if the change was written",
    (_, begin) =>
      expectTruth(async (app) => {
        const { id } = await member(app, "jane");
        return { call: await begin(app, id), meanwhile: removePromoter(app, id) };
      }),
  );

  it.each(Object.entries(OTHERS))("%s: a success is answered exactly if the change was written", (_, begin) =>
    expectTruth(begin),
  );
});
