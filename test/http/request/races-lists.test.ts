import { describe, expect, it } from "vitest";
import { newCommission } from "../../support/commissions.ts";
import { NOW, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { addPayout, addPromoter, selectMethod } from "../../support/payouts.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { racesAtEachStep, type Race } from "../../support/race.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";
import { company, reward } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const TID = "6f1c7f6e-1111-4a5b-8c3d-000000000001";
const MARCH = "start_date=2026-03-01&end_date=2026-03-31";

/** Lists that show promoters, one of whom is deleted. */
const OF_PROMOTERS = {
  "V1 promoters": "GET /promoters/list",
  "V1 promoters of a campaign": "GET /promoters/list?campaign_id=1",
  "V1 leads": "GET /leads/list",
  "V1 report on promoters": "GET /reports/promoters",
  "V2 promoters": "/promoters",
  "V2 promoters by name": "/promoters?q=doe",
  "V2 promoters by figures": "/promoters?filters[referrals_count][from]=1",
  "V2 promoters of a campaign": "/promoters?filters[campaign_id]=1",
  "V2 promo codes": "/promo_codes",
  "V2 promoter campaigns": "/promoter_campaigns",
  "V2 promoter campaigns by name": "/promoter_campaigns?q=doe",
  "V2 search of promoter campaigns": "/promoter_campaigns/search?q=doe",
  "V2 referrals": "/referrals",
  "V2 report on promoters": `/reports/promoters?${MARCH}&group_by=month&columns=referrals_count`,
  "V2 report's file": `/reports/download?report_type=promoters&${MARCH}&group_by=month&columns=referrals_count`,
  "V2 home": `/home?${MARCH}`,
};

/** Lists that show leads, one of which is deleted together with its commission. */
const OF_LEADS = {
  "V1 leads": "GET /leads/list",
  "V1 rewards": "GET /rewards/list",
  "V2 referrals": "/referrals",
  "V2 referrals by name": "/referrals?q=lead",
  "V2 referrals of a campaign": "/referrals?filters[campaign_id]=1",
  "V2 commissions": "/commissions",
  "V2 commissions by name": "/commissions?q=lead",
  "V2 commissions by amount": "/commissions?sorting[amount]=desc",
  "V2 home": `/home?${MARCH}`,
};

/** Lists that show payouts, one of which is removed and its promoter deleted. */
const OF_PAYOUTS = {
  "V1 payouts": "GET /payouts/list",
  "V2 payouts": "/payouts",
  "V2 payouts by name": "/payouts?q=doe",
  "V2 payouts by method": "/payouts?filters[payout_method]=paypal",
  "V2 payouts that can be paid": "/payouts?filters[only_payable]=true",
  "V2 payouts by their amount": "/payouts?sorting[amount]=desc",
  "V2 groups": "/payouts/group_by_promoters",
  "V2 groups by name": "/payouts/group_by_promoters?q=doe",
};

const ask = (app: TestApp, path: string) =>
  path.startsWith("GET ") ? v1(app, "GET", path.slice("GET ".length)) : company(app, `GET ${path}`);
const remove = (app: TestApp, id: number) => v1(app, "DELETE", "/promoters/delete", { id: String(id) });

async function member(app: TestApp, name: string): Promise<number> {
  const params = { email: `${name}@example.com`, ref_id: name, first_name: name, last_name: "Doe" };
  const { id, default_promotion_id } = await createV1Promoter(app, params);
  await v1(app, "POST", "/track/signup", { email: `lead-of-${name}@example.com`, ref_id: name });
  const code = { code: `code-of-${name}`, reward_id: 1, promoter_campaign_id: default_promotion_id };
  await company(app, "POST /promo_codes", code);
  return id;
}

async function kidOf(app: TestApp, parentId: number, name: string): Promise<number> {
  const params = { email: `${name}@example.com`, first_name: name, parent_promoter_id: String(parentId) };
  return (await createV1Promoter(app, params)).id;
}

async function payee(app: TestApp, name: string): Promise<RecordOf<"payout">> {
  const account = (await app.records.get("account", app.account_id))!;
  const input = { email: `${name}@example.com`, first_name: name, last_name: "Doe" };
  const promoter = await addPromoter(app.context, account, input);
  await selectMethod(app.context, promoter, { method: "paypal" });
  return addPayout(app.context, promoter);
}

async function newCampaign(app: TestApp): Promise<number> {
  const body = { name: "B", landing_url: "https://b.example/" };
  return ((await company(app, "POST /campaigns", body)).body as { id: number }).id;
}

describe("a list that is read during a deletion", () => {
  /** The other records are always listed, and the answer is never a refusal. */
  async function expectAll(staying: string, begin: (app: TestApp) => Promise<Race>): Promise<void> {
    const outcomes = await racesAtEachStep(begin);
    const failed = outcomes.filter(({ answer: { status, body } }) => {
      return status !== 200 || !JSON.stringify(body).includes(staying);
    });
    expect(failed).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(3);
  }

  it.each(Object.entries(OF_PROMOTERS))("%s: the others are listed", (_, path) =>
    expectAll("zoe", async (app) => {
      await reward(app);
      const id = await member(app, "jane");
      await member(app, "zoe");
      return { call: () => ask(app, path), meanwhile: () => remove(app, id) };
    }),
  );

  it.each(Object.entries(OF_PAYOUTS))("%s: the others are listed", (_, path) =>
    expectAll("zoe", async (app) => {
      const { id, promoter_id } = await payee(app, "jane");
      await payee(app, "zoe");
      const meanwhile = async () => {
        await company(app, "DELETE /payouts/destroy", { ids: [id] });
        await remove(app, promoter_id);
      };
      return { call: () => ask(app, path), meanwhile };
    }),
  );

  it.each(Object.entries(OF_LEADS))("%s: the others are listed", (_, path) =>
    expectAll("lead-of-zoe", async (app) => {
      await reward(app);
      for (const name of ["jane", "zoe"]) {
        await member(app, name);
        const gift = { email: `lead-of-${name}@example.com`, reward_type: "cash", amount: "100" };
        expect((await v1(app, "POST", "/rewards/create", gift)).status).toBe(200);
      }
      const meanwhile = async () => {
        await company(app, "DELETE /commissions/destroy", { ids: [1] });
        await v1(app, "DELETE", "/leads/delete", { email: "lead-of-jane@example.com" });
      };
      return { call: () => ask(app, path), meanwhile };
    }),
  );

  it("V1 rewards: all are listed, without the deleted lead", () =>
    expectAll("jane", async (app) => {
      await reward(app);
      const promoterId = await member(app, "jane");
      const [lead] = await app.records.all("lead");
      const { promoter_campaign_id, campaign_id, id: leadId } = lead!;
      const commission = newCommission({
        account_id: app.account_id,
        id: 1,
        promoter_campaign_id,
        promoter_id: promoterId,
        campaign_id,
        lead_id: leadId,
        status: "pending",
        amount: 100,
        sale_amount: 1_000,
        created_at: NOW,
      });
      await app.records.put("commission", commission);
      const meanwhile = () => v1(app, "DELETE", "/leads/delete", { id: String(leadId) });
      return { call: () => ask(app, "GET /rewards/list"), meanwhile };
    }));

  it("V2 payments batches: the others are listed", () =>
    expectAll('"method":"wise"', async (app) => {
      for (const [name, method] of [
        ["jane", "paypal"],
        ["zoe", "wise"],
      ] as const) {
        const { promoter_id } = await payee(app, name);
        const promoter = (await app.records.get("promoter", promoter_id))!;
        await selectMethod(app.context, promoter, { method });
        expect((await company(app, "POST /payouts/create_payments_batch", { method })).status).toBeLessThan(
          300,
        );
      }
      const meanwhile = () => company(app, "DELETE /payments_batches/1");
      return { call: () => ask(app, "/payments_batches"), meanwhile };
    }));

  it("promoters whom a promoter brought in: the others are listed", () =>
    expectAll("zoe", async (app) => {
      const jane = await visitingPromoter(app, "jane@example.com");
      const [ann] = [await kidOf(app, jane.id, "ann"), await kidOf(app, jane.id, "zoe")];
      return { call: () => jane.call("GET /promoters/sub_affiliates"), meanwhile: () => remove(app, ann) };
    }));

  it.each(["/campaigns", "GET /reports/campaigns"])("%s: the others are listed", (path) =>
    expectAll("Default campaign", async (app) => {
      const id = await newCampaign(app);
      return { call: () => ask(app, path), meanwhile: () => company(app, `DELETE /campaigns/${id}`) };
    }),
  );

  it.each(["GET /promoters/list", "/promoters", "/promoter_campaigns"])(
    "%s: a promoter who moves out of a deleted campaign is listed",
    (path) =>
      expectAll(
        '"ref_token":"zoe"'.replace("ref_token", path.startsWith("GET") ? "ref_id" : "ref_token"),
        async (app) => {
          const campaign_id = String(await newCampaign(app));
          const { id } = await createV1Promoter(app, {
            email: "zoe@example.com",
            ref_id: "zoe",
            campaign_id,
          });
          const meanwhile = async () => {
            const move = { id: String(id), destination_campaign_id: "1" };
            await v1(app, "POST", "/promoters/move_to_campaign", move);
            await company(app, `DELETE /campaigns/${campaign_id}`);
          };
          return { call: () => ask(app, path), meanwhile };
        },
      ),
  );

  it("a visitor's details are empty if their promoter is deleted", async () => {
    const outcomes = await racesAtEachStep(async (app) => {
      const { id } = await createV1Promoter(app, { email: "jane@example.com", ref_id: "jane" });
      await app.browser("/t/click", { tid: TID, ref_id: "jane" });
      return { call: () => app.browser("/t/details", { tid: TID }), meanwhile: () => remove(app, id) };
    });
    expect(outcomes.map(({ answer: { status } }) => status)).toEqual(outcomes.map(() => 200));
    expect(outcomes[0]?.answer.body).toEqual({ details: null });
    expect(outcomes.at(-1)?.answer.body).toMatchObject({ details: { ref_id: "jane" } });
  });
});
