import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addToCampaign, moveToCampaign } from "../../../server/domain/people/promoter-campaign/changes.ts";
import { listPromoterCampaigns } from "../../../server/domain/people/promoter-campaign/search.ts";
import { byId } from "../../../server/domain/people/promoter/search.ts";
import { getLead, listLeads } from "../../../server/v1/leads.ts";
import { KEY, STORAGES, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { countReads } from "../../support/edge.ts";
import { bodyOf, send } from "../../support/v1.ts";
import { V1_LEAD, V1_PROMOTER, V1_PROMOTION } from "../../support/v1-records.ts";
import { addCampaign } from "../../support/v2.ts";

const NO_SELECTOR = { error: "You need to find the lead/customer either by id, uid or email." };

const LEAD = {
  ...V1_LEAD,
  email: "Lead.One@example.com",
  uid: "u1",
  promotion: { ...V1_PROMOTION, leads_count: 1 },
  promoter: V1_PROMOTER,
};

describe.each(STORAGES)("V1 leads on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "Second", landing_url: "https://2.example/" });
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    await app.v1("/promoters/create", { email: "eve@example.com", ref_id: "eve", campaign_id: "2" });
    await app.v1("/track/signup", { email: "Lead.One@example.com", uid: "u1", ref_id: "jane" });
    await app.v1("/track/signup", { email: "two@example.com", ref_id: "bob" });
    await app.v1("/track/signup", { uid: "u3", ref_id: "eve" });
    await app.v1("/track/signup", { uid: "u4", ref_id: "bob" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const list = async (params: Record<string, string>) => {
    const answer = await send(app, "GET /leads/list", params);
    return (bodyOf(answer, listLeads) as { id: number }[]).map(({ id }) => id);
  };
  const refused = async (call: string, params: Record<string, string>) => {
    const { status, body } = await send(app, call, params);
    return { status, body };
  };

  describe("show", () => {
    it.each([
      [{ id: "1" }],
      [{ uid: "u1" }],
      [{ email: "lead.one@EXAMPLE.com" }],
      [{ id: " 1 ", uid: "u3", email: "nobody" }],
      [{ id: "", uid: "u1" }],
    ])("answers the whole lead to %o", async (params) => {
      const answer = await send(app, "GET /leads/show", params as Record<string, string>);
      expect(bodyOf(answer, getLead)).toEqual(LEAD);
    });

    it("answers a GET without a body that claims to be JSON, on a path that ends in .json", async () => {
      const headers = { "content-type": "application/json" };
      const answer = await send(app, "GET /leads/show.json", { id: "1" }, { headers });
      expect(bodyOf(answer, getLead)).toEqual(LEAD);
    });

    it.each([
      [{}, 422, NO_SELECTOR],
      [{ id: "", uid: " " }, 422, NO_SELECTOR],
      [{ id: "99" }, 404, { error: "Lead not found." }],
      [{ uid: "U1" }, 404, { error: "Lead not found." }],
      [{ email: "no" }, 404, { error: "Lead not found." }],
      [{ id: "one" }, 422, { id: ["is invalid"] }],
    ])("refuses %o with %i", async (params, status, body) => {
      expect(await refused("GET /leads/show", params as Record<string, string>)).toEqual({ status, body });
    });
  });

  describe("list", () => {
    it("answers whole leads, oldest first, fifty to a page", async () => {
      const answer = await send(app, "GET /leads/list");
      const leads = bodyOf(answer, listLeads) as unknown[];
      expect(leads[0]).toEqual(LEAD);
      expect(leads.length).toBe(4);
      expect(Object.fromEntries(answer.headers)).toMatchObject({ total: "4", "per-page": "50" });
      expect(answer.headers.has("link")).toBe(false);
    });

    it.each([
      [{ promotion_id: "2" }, [2, 4]],
      [{ ref_id: "BOB" }, [2, 4]],
      [{ promoter_id: "2" }, [2, 4]],
      [{ campaign_id: "1" }, [1, 2, 4]],
      [{ campaign_id: "2" }, [3]],
      [{ campaign_id: "1", promoter_id: "2" }, [2, 4]],
      [{ campaign_id: "2", promoter_id: "2" }, []],
      [{ promotion_id: "2", ref_id: "bob", promoter_id: "2", campaign_id: "1" }, [2, 4]],
      [{ promotion_id: "2", ref_id: "jane" }, []],
      [{ promotion_id: "2", promoter_id: "1" }, []],
      [{ ref_id: "bob", campaign_id: "2" }, []],
      [{ promoter_id: "99" }, []],
      [{ campaign_id: "99" }, []],
      [{ promoter_id: "", search: "x" }, [1, 2, 3, 4]],
    ])("filters by %o", async (params, ids) => {
      expect(await list(params as Record<string, string>)).toEqual(ids);
    });

    it.each([
      [{ promotion_id: "99" }, { error: "Promotion not found." }],
      [{ ref_id: "nobody" }, { error: "Promotion not found." }],
      [{ promoter_id: "x" }, { promoter_id: ["is invalid"] }],
    ])("refuses %o with 422", async (params, body) => {
      expect(await refused("GET /leads/list", params as Record<string, string>)).toEqual({
        status: 422,
        body,
      });
    });

    it("pages, with the filter in its links, and is empty past the end", async () => {
      const second = await send(app, "GET /leads/list", { campaign_id: "1", per_page: "2", page: "2" });
      expect((second.body as { id: number }[]).map(({ id }) => id)).toEqual([4]);
      const first = "https://track.acme.example/api/v1/leads/list?campaign_id=1&per_page=2&page=1";
      expect(Object.fromEntries(second.headers)).toMatchObject({
        total: "3",
        "per-page": "2",
        link: `<${first}>; rel="first", <${first}>; rel="prev"`,
      });
      expect(await list({ page: "3", per_page: "2" })).toEqual([]);
      expect((await send(app, "GET /leads/list", { per_page: "501" })).headers.get("per-page")).toBe("500");
    });

    it("separates the leads of a promoter's campaigns, page by page", async () => {
      const bob = { selection: byId(2) };
      const move = { ...bob, fromCampaignId: null, toCampaignId: 2, moves_leads: false };
      await moveToCampaign(app.context, app.account_id, move);
      await app.v1("/track/signup", { uid: "u5", ref_id: "bob" });
      await app.context.store.transact((tx) =>
        addToCampaign(tx, app.context, app.account_id, { ...bob, campaign_id: 1 }),
      );
      const joined = await listPromoterCampaigns(app.context.store, app.account_id, 2);
      expect(joined.map(({ id, campaign_id }) => [id, campaign_id])).toEqual([
        [2, 2],
        [4, 1],
      ]);
      const { ref_token } = joined[1]!;
      for (const uid of ["u6", "u7", "u8"]) await app.v1("/track/signup", { uid, ref_id: ref_token });
      expect(await list({ promoter_id: "2" })).toEqual([2, 4, 5, 6, 7, 8]);
      expect(await list({ promotion_id: "2" })).toEqual([2, 4, 5]);
      expect(await list({ ref_id: ref_token })).toEqual([6, 7, 8]);
      expect(await list({ promoter_id: "2", campaign_id: "2" })).toEqual([5]);
      expect(await list({ promoter_id: "2", campaign_id: "1" })).toEqual([2, 4, 6, 7, 8]);
      expect(await list({ promotion_id: "2", campaign_id: "1" })).toEqual([2, 4]);
      const second = await send(app, "GET /leads/list", { promotion_id: "4", per_page: "2", page: "2" });
      expect((second.body as { id: number }[]).map(({ id }) => id)).toEqual([8]);
      expect(second.headers.get("total")).toBe("3");
    });

    it("reads each lead's promoter once, however many leads it has", async () => {
      for (let count = 0; count < 20; count++)
        await app.v1("/track/signup", { uid: `more${count}`, ref_id: "bob" });
      const reads = countReads(app, { name: "promoter" });
      expect((await list({})).length).toBe(24);
      expect(reads()).toBe(3);
    });
  });

  describe("delete", () => {
    const remove = (params: Record<string, string>) => refused("DELETE /leads/delete", params);

    it("removes a lead and its counts, and frees its e-mail and uid", async () => {
      expect(await remove({ email: "lead.one@example.com" })).toEqual({
        status: 200,
        body: { message: "Lead removed." },
      });
      expect(await list({})).toEqual([2, 3, 4]);
      const answer = await app.v1("/track/signup", {
        email: "lead.one@example.com",
        uid: "u1",
        ref_id: "jane",
      });
      expect(answer.status).toBe(200);
      const shown = (await send(app, "GET /leads/show", { uid: "u1" })).body;
      expect(shown).toMatchObject({ id: 5, promotion: { leads_count: 1 } });
    });

    it("reads its selector from a form too", async () => {
      const init = {
        method: "DELETE",
        headers: { "x-api-key": KEY },
        body: new URLSearchParams({ id: "2" }),
      };
      expect((await answerOf(await app.request("/api/v1/leads/delete", init))).status).toBe(200);
      expect(await list({})).toEqual([1, 3, 4]);
    });

    it.each([
      [{}, 422, NO_SELECTOR],
      [{ id: "99" }, 404, { error: "Lead not found." }],
    ])("refuses %o with %i", async (params, status, body) => {
      expect(await remove(params as Record<string, string>)).toEqual({ status, body });
      expect(await list({})).toEqual([1, 2, 3, 4]);
    });
  });
});
