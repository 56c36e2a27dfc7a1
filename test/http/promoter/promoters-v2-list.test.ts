import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Metric } from "../../support/stats.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, v2 } from "../../support/calls.ts";
import { putFact } from "../../support/facts.ts";
import { JANE } from "../../support/v2-promoter.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

interface List {
  data: { id: number }[];
  meta: object;
}

describe.each(STORAGES)("GET /api/v2/company/promoters on %s", (storage) => {
  let app: TestApp;

  /** Ids 1 to 5: jane, ben, kid (child of jane), cy (pending in campaign 2), old (archived). No test writes. */
  beforeAll(async () => {
    app = await startApp(storage);
    const landingUrl = "https://b.example/";
    await addCampaign(app, { name: "B", landing_url: landingUrl, auto_approve_promoters: false });
    const create = async (params: Record<string, string>) => v1(app, "POST", "/promoters/create", params);
    await create({ email: "jane@example.com" });
    await create({
      email: "ben@x.example",
      first_name: "Ben",
      last_name: "Okri",
      ref_id: "ref-b",
      created_at: "2026-01-31T23:30:00Z",
    });
    await create({
      email: "kid@x.example",
      parent_promoter_id: "1",
      company_name: "Kid BV",
      created_at: "2026-02-01",
    });
    await create({ email: "cy@x.example", campaign_id: "2", created_at: "2026-03-01" });
    await create({ email: "old@x.example", created_at: "2025-01-01" });
    await v2(app, "POST", "/promoters/archive", { ids: [5] });
    await change(2, {
      custom_fields: { level: "Gold", tags: ["a", "b"] },
      last_login_at: "2026-03-03T10:00:00.000Z",
    });
    await change(3, { fraud_suspicions: ["ad_source"], invoice_details_status: "approved" });
    await change(4, {
      fraud_suspicions: ["same_ip_suspicion", "ad_source"],
      invoice_details_status: "denied",
    });
    await count(1, "clicks", 5);
    await count(2, "clicks", 9);
    await count(2, "sales_cents", 700);
    await count(3, "customers", 2);
  });
  afterAll(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  async function change(id: number, changes: Partial<RecordOf<"promoter">>): Promise<void> {
    const promoter = await app.records.get("promoter", id);
    if (promoter !== null) await app.records.put("promoter", { ...promoter, ...changes });
  }

  async function count(id: number, metric: Metric, amount: number): Promise<void> {
    const { store } = app.services;
    const promoterCampaign = (await app.records.get("promoterCampaign", id))!;
    await putFact(store, promoterCampaign, { metric, at: NOW, amount });
  }

  async function ids(query: string): Promise<number[]> {
    const { status, body, headers } = await v2(app, "GET", `/promoters?${query}`);
    expect(status).toBe(200);
    const found = (body as List).data.map(({ id }) => id);
    if (!query.includes("page")) expect(headers.get("total")).toBe(String(found.length));
    return found;
  }

  it("answers complete promoters, and how many promoter campaigns are pending", async () => {
    const { body } = await v2(app, "GET", "/promoters?per_page=1");
    expect(body).toEqual({
      data: [{ ...JANE, stats: { ...JANE.stats, clicks_count: 5 } }],
      meta: { pending_count: 1 },
    });
  });

  it.each<[string, number[]]>([
    ["", [1, 2, 3, 4]],
    ["q=okri", [2]],
    ["q=BEN+OKRI", [2]],
    ["q=X.EXAMPLE", [2, 3, 4]],
    ["q=ref-b", [2]],
    ["q=nobody", []],
    ["ids[]=2&ids[]=4&ids[]=99", [2, 4]],
    ["ids%5B0%5D=4&ids%5B1%5D=2", [2, 4]],
    ["ids=3", [3]],
    ["ids[]=5", [5]],
    ["filters[campaign_id]=2", [4]],
    ["filters[campaign_id][]=1&filters[campaign_id][]=2", [1, 2, 3, 4]],
    ["filters[campaign_id]=99", []],
    ["filters[state]=pending", [4]],
    ["filters[state]=accepted&filters[campaign_id]=2", []],
    ["filters[state]=not_set", []],
    ["filters[state]=not_set&filters[campaign_id]=2", [1, 2, 3]],
    ["filters[state]=blocked&filters[archived]=true", [5]],
    ["filters[parent_promoter_id]=1", [3]],
    ["filters[parent_promoter_id]=2", []],
    ["filters[archived]=yes", [5]],
    ["filters[archived]=false", [1, 2, 3, 4]],
    ["filters[archived]=any", [1, 2, 3, 4, 5]],
    ["filters[archived]=any&sorting[joined_at]=desc", [1, 4, 3, 2, 5]],
    ["filters[fraud_suspicions][]=ad_source", [3, 4]],
    ["filters[fraud_suspicions][]=same_ip_suspicion&filters[fraud_suspicions][]=same_promoter_email", [4]],
    ["filters[fraud_suspicions][]=no_suspicion", [1, 2]],
    ["filters[fraud_suspicions][]=no_suspicion&filters[fraud_suspicions][]=same_ip_suspicion", [1, 2, 4]],
    ["filters[invoice_details_status]=approved", [3]],
    ["filters[invoice_details_status]=rejected", [4]],
    ["filters[invoice_details_status]=pending", [1, 2]],
    ["filters[invoice_details_status]=not_submitted", [1, 2]],
    ["filters[joined_at][from]=2026-02-01&filters[joined_at][to]=2026-03-01", [3, 4]],
    ["filters[joined_at][to]=2026-01-31", [2]],
    ["filters[joined_at][from]=2026-03-01%2000:00:01", [1]],
    ["filters[last_login_at][from]=2026-03-03", [2]],
    ["filters[last_login_at][to]=2026-03-02", []],
    ["filters[clicks_count][from]=5", [1, 2]],
    ["filters[clicks_count][from]=6&filters[clicks_count][to]=9", [2]],
    ["filters[clicks_count][to]=0", [3, 4]],
    ["filters[revenue_amount][from]=700", [2]],
    ["filters[customers_count][from]=1", [3]],
    ["filters[referrals_count][from]=1", []],
    [
      "filters[custom_field1][key]=level&filters[custom_field1][operator]=exact&filters[custom_field1][value]=gold",
      [2],
    ],
    [
      "filters[custom_field1][key]=level&filters[custom_field1][operator]=partial&filters[custom_field1][value]=ol",
      [2],
    ],
    [
      "filters[custom_field2][key]=tags&filters[custom_field2][operator]=exact&filters[custom_field2][value][]=b",
      [2],
    ],
    [
      "filters[custom_field2][key]=tags&filters[custom_field2][operator]=exact&filters[custom_field2][value][]=c",
      [],
    ],
    ["sorting[clicks_count]=desc", [2, 1, 3, 4]],
    ["sorting[clicks_count]=asc", [3, 4, 1, 2]],
    ["sorting[revenue_amount]=desc", [2, 1, 3, 4]],
    ["sorting[customers_count]=desc", [3, 1, 2, 4]],
    ["sorting[referrals_count]=asc", [1, 2, 3, 4]],
    ["sorting[joined_at]=asc", [2, 3, 4, 1]],
    ["sorting[joined_at]=desc", [1, 4, 3, 2]],
    ["sorting[joined_at]=asc&q=x.example", [2, 3, 4]],
    ["sorting[clicks_count]=desc&sorting[customers_count]=asc", [2, 1, 4, 3]],
    ["sorting[customers_count]=desc&sorting[clicks_count]=asc", [3, 4, 1, 2]],
    ["sorting[referrals_count]=asc&sorting[joined_at]=desc", [1, 4, 3, 2]],
    ["sorting[joined_at]=desc&sorting[clicks_count]=desc", [1, 4, 3, 2]],
    ["q=&filters[state]=&filters[joined_at][from]=&sorting[joined_at]=", [1, 2, 3, 4]],
    ["page=2&per_page=3", [4]],
    ["page=2&per_page=2&sorting[joined_at]=desc", [3, 2]],
    ["page=2&per_page=2&q=x.example", [4]],
    ["page=9", []],
    ["page=9&q=x.example", []],
  ])("finds by %j: %j", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it("sends the length of the list, and links to its other pages", async () => {
    const { headers } = await v2(app, "GET", "/promoters?per_page=2&filters[state]=accepted");
    expect([headers.get("total"), headers.get("per-page")]).toEqual(["3", "2"]);
    expect(headers.get("link")).toContain('page=2>; rel="next"');
    expect((await v2(app, "GET", "/promoters?per_page=500")).headers.get("per-page")).toBe("100");
    expect((await v2(app, "GET", "/promoters")).headers.get("per-page")).toBe("20");
  });

  it.each([
    [
      "filters[state]=gone",
      "filters[state]",
      "is not one of pending, accepted, rejected, blocked, inactive, not_set",
    ],
    ["filters[archived]=maybe", "filters[archived]"],
    ["filters[campaign_id]=x", "filters[campaign_id]"],
    ["filters[campaign_id][]=1&filters[campaign_id][]=x", "filters[campaign_id]"],
    [
      "filters[fraud_suspicions][]=x",
      "filters[fraud_suspicions]",
      "is not one of same_promoter_email, same_ip_suspicion, ad_source, unseen_visitor, no_suspicion",
    ],
    [
      "filters[invoice_details_status]=x",
      "filters[invoice_details_status]",
      "is not one of approved, pending, denied, rejected, not_submitted",
    ],
    ["filters[joined_at][from]=2026-02-30", "filters[joined_at][from]"],
    ["filters[clicks_count][from]=-1", "filters[clicks_count][from]"],
    ["filters[clicks_count]=5", "filters[clicks_count]"],
    ["filters=x", "filters"],
    ["sorting[clicks_count]=up", "sorting[clicks_count]", "is not one of asc, desc"],
    ["ids[]=x", "ids"],
  ])("refuses %s with 422 and names it", async (query, name, fault = "is invalid") => {
    const { status, body } = await v2(app, "GET", `/promoters?${query}`);
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        message: `Validation failed: ${name} ${fault}`,
        code: "invalid_params",
        errors: { [name]: [fault] },
      },
    });
  });
});
