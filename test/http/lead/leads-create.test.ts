import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLead } from "../../../server/v1/leads.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { bodyOf } from "../../support/v1.ts";
import { V1_LEAD, V1_PROMOTER, V1_PROMOTION } from "../../support/v1-records.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const LEAD = { ...V1_LEAD, promotion: { ...V1_PROMOTION, leads_count: 1 }, promoter: V1_PROMOTER };
const TAKEN = ["has already been taken"];

describe.each(STORAGES)("V1 leads/create on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com" });
    await app.v1("/promoters/create", { email: "bob@example.com" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const create = (params: Record<string, string>) =>
    app.v1("/leads/create", { email: "lead@example.com", ...params });
  const stored = () => app.records.all("lead");

  it.each([[{ ref_id: "JANE" }], [{ promotion_id: "1" }], [{ promotion_id: "1", ref_id: "bob" }]])(
    "answers the whole lead to %j",
    async (params) => {
      expect(bodyOf(await create(params as Record<string, string>), createLead)).toEqual(LEAD);
      expect(await stored()).toMatchObject([{ entry_source: "api", signup_event_id: null }]);
    },
  );

  it("keeps every parameter", async () => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });
    const given = { uid: "cus_1", username: "lea", website: "lea.example", created_at: "2026-01-01" };
    const answer = await create({ ...given, tid: TID, sub_id: "news", custom_fields: '{"a":1}' });
    expect(bodyOf(answer, createLead)).toEqual({
      ...LEAD,
      ...given,
      created_at: "2026-01-01T00:00:00.000Z",
      custom_fields: { a: 1 },
      visitor_sub_id: "news",
      promotion: { ...LEAD.promotion, visitors_count: 1 },
    });
    expect(await stored()).toMatchObject([{ entry_source: "cookie", tid: TID }]);
  });

  it.each<[Record<string, string>, number, unknown]>([
    [{ email: "", ref_id: "jane" }, 422, { error: "Error. Email and uid can not be blank!" }],
    [{}, 422, { error: "You need to name the promoter by promotion_id or ref_id." }],
    [{ ref_id: "nobody" }, 404, { error: "Promotion not found." }],
    [{ promotion_id: "99" }, 404, { error: "Promotion not found." }],
    [{ promotion_id: "2" }, 422, { error: "The promoter campaign is rejected and can't get leads" }],
    [{ ref_id: "bob" }, 404, { error: "Promotion not found." }],
    [{ email: "x", promotion_id: "y" }, 422, { email: ["is invalid"], promotion_id: ["is invalid"] }],
    [{ email: "SAM@example.com", ref_id: "jane" }, 422, { email: TAKEN }],
    [{ uid: "cus_1", ref_id: "jane" }, 422, { uid: TAKEN }],
  ])("answers %j with %i", async (params, status, body) => {
    await app.v2("PUT", "/promoter_campaigns/2", { state: "rejected" });
    await app.v1("/track/signup", { email: "sam@example.com", uid: "cus_1", ref_id: "jane" });
    const answer = await create(params);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
    expect(await stored()).toHaveLength(1);
  });
});
