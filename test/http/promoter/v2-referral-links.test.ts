import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { company, join, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await join(app, "jane@example.com", { ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const USUAL = {
  id: 0,
  name: "Default campaign",
  url: "https://www.acme.example/?via=jane",
  is_default: true,
  source: "campaign",
  sub_id: null,
  campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
};

it("lists the usual link, and those to the campaign's further pages", async () => {
  const links = [{ name: "Pricing", url: "https://www.acme.example/pricing?plan=pro#top" }];
  await call("PUT /campaigns/1", { links });
  const pricing = { ...USUAL, id: 1, name: "Pricing", is_default: false };
  const url = "https://www.acme.example/pricing?plan=pro&via=jane#top";
  expect(await call("GET /promoter_campaigns/1/referral_links")).toEqual({
    status: 200,
    body: [USUAL, { ...pricing, url }],
  });
});

it("says that a link leads to the promoter's own page", async () => {
  await call("PUT /promoter_campaigns/1", { direct_url: "https://jane.example/" });
  const own = { ...USUAL, url: "https://jane.example/", source: "promoter" };
  expect((await call("GET /promoter_campaigns/1/referral_links")).body).toEqual([own]);
});

it("answers 404 to an unknown promoter campaign", async () => {
  const body = { message: "Promotion not found.", code: "not_found", errors: {} };
  expect(await call("GET /promoter_campaigns/9/referral_links")).toEqual({ status: 404, body });
});
