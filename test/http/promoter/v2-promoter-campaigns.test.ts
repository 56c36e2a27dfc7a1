import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { JANE, company, invalid, join, outcome, addCampaign } from "../../support/v2.ts";
import { addAccount } from "../../support/operations.ts";

const PATH = "/promoter_campaigns";

describe.each(STORAGES)("lists of promoter campaigns on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await join(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const put = (body: unknown, id: number | string = 1) => call(`PUT ${PATH}/${id}`, body);
  describe(`GET ${PATH}`, () => {
    const ids = async (query: string) => {
      const { status, body, headers } = await company(app, `GET ${PATH}${query}`);
      expect(status).toBe(200);
      return { ids: (body as { id: number }[]).map(({ id }) => id), total: headers.get("total") };
    };

    it("answers every promoter campaign in full, oldest first", async () => {
      await join(app, "bob@example.com");
      const { status, body, headers } = await company(app, `GET ${PATH}`);
      expect({ status, body }).toEqual({
        status: 200,
        body: [
          JANE,
          {
            ...JANE,
            id: 2,
            promoter_id: 2,
            promoter: { id: 2, email: "bob@example.com", name: "bob@example.com" },
            ref_token: "bob",
            ref_link: "https://www.acme.example/?via=bob",
          },
        ],
      });
      expect(Object.fromEntries(headers)).toMatchObject({ total: "2", "per-page": "20" });
      expect(headers.get("link")).toBeNull();
    });

    it.each([
      ["?filters[campaign_id]=2", [3]],
      ["?filters[campaign_id][]=1&filters[campaign_id][]=2", [1, 2, 3]],
      ["?filters%5Bcampaign_id%5D=1&filters%5Bstate%5D=blocked", [2]],
      ["?filters[promoter_id]=2", [2]],
      ["?filters[promoter_id]=2&filters[state]=accepted", []],
      ["?filters[promoter_id]=3&filters[campaign_id]=1", []],
      ["?filters[campaign_id][]=2&filters[campaign_id][]=9", [3]],
      ["?ids[]=1&ids[]=2&filters[promoter_id]=2", [2]],
      ["?filters[state]=accepted", [1, 3]],
      ["?filters[state]=pending", []],
      ["?filters[state]=&q=", [1, 2, 3]],
      ["?ids[]=3&ids[]=1&ids[]=99", [1, 3]],
      ["?ids[0]=2", [2]],
      ["?ids=2", [2]],
      ["?ids=2&filters[state]=accepted", []],
      ["?q=JANE%20d", [1]],
      ["?q=bob%40", [2]],
      ["?q=cara-tok", [3]],
      ["?q=cara10", [3]],
      ["?q=example.com&filters[state]=accepted", [1, 3]],
      ["?q=nobody", []],
      ["?page=2", []],
      ["?page=2&per_page=2", [3]],
      ["?q=example&page=2&per_page=1", [2]],
    ])("answers %s with %j", async (query, expected) => {
      const campaign = await addCampaign(app, { name: "Second", landing_url: "https://acme.example/second" });
      await join(app, "bob@example.com");
      await join(app, "cara@example.com", {
        campaign_id: String(campaign.id),
        ref_id: "cara-token",
        promo_code: "CARA10",
      });
      expect((await put({ state: "blocked" }, 2)).status).toBe(200);
      expect((await ids(query)).ids).toEqual(expected);
    });

    it("sends the length of the whole list, and links to its pages", async () => {
      await join(app, "bob@example.com");
      await join(app, "cara@example.com");
      for (const filter of ["filters[state]=accepted", "q=example"]) {
        const { headers } = await company(app, `GET ${PATH}?${filter}&per_page=1&page=2`);
        expect(Object.fromEntries(headers)).toMatchObject({ total: "3", "per-page": "1" });
        const links = headers.get("link")!;
        expect(links.match(/rel="(\w+)"/g)).toEqual([
          'rel="first"',
          'rel="prev"',
          'rel="last"',
          'rel="next"',
        ]);
        expect(links).toContain("https://track.acme.example/api/v2/company/promoter_campaigns?");
        expect(decodeURIComponent(links)).toContain(filter);
      }
      const { headers } = await company(app, `GET ${PATH}?per_page=101`);
      expect(headers.get("per-page")).toBe("100");
    });

    it.each([
      [
        "?filters[state]=gone",
        { "filters[state]": ["is not one of pending, accepted, rejected, blocked, inactive"] },
      ],
      ["?filters[campaign_id]=x", { "filters[campaign_id]": ["is invalid"] }],
      ["?filters[promoter_id]=-1", { "filters[promoter_id]": ["is invalid"] }],
      ["?filters=x", { filters: ["is invalid"] }],
      ["?ids[]=x", { ids: ["is invalid"] }],
    ])("answers 422 to %s", async (query, errors) => {
      expect(await call(`GET ${PATH}${query}`)).toEqual(invalid(errors));
    });

    it("shows nothing of another account", async () => {
      const other = { name: "Other", landing_url: "https://o.example/", public_id: "o", key: "k" };
      await addAccount(app, other);
      const headers = { authorization: "Bearer k", "account-id": "o" };
      expect((await company(app, `GET ${PATH}`, undefined, headers)).body).toEqual([]);
      expect((await company(app, `GET ${PATH}?ids=1`, undefined, headers)).body).toEqual([]);
      expect((await company(app, `PUT ${PATH}/1`, {}, headers)).status).toBe(404);
    });
  });

  it.each([`GET ${PATH}`, `GET ${PATH}/search`, `PUT ${PATH}/1`])(
    "refuses a stranger's %s with `errors`",
    async (request) => {
      expect(await outcome(company(app, request, undefined, { authorization: "Bearer wrong" }))).toEqual({
        status: 401,
        body: { message: "Bad credentials", code: "unauthorized", errors: {} },
      });
    },
  );

  describe(`GET ${PATH}/search`, () => {
    it("answers at most five, in full", async () => {
      expect(await call(`GET ${PATH}/search?q=Doe`)).toEqual({ status: 200, body: [JANE] });
      for (const name of ["a", "b", "c", "d", "e", "f"]) await join(app, `${name}@example.com`);
      const { body } = await call(`GET ${PATH}/search?q=example`);
      expect((body as unknown[]).length).toBe(5);
      expect(await call(`GET ${PATH}/search?q=nobody`)).toEqual({ status: 200, body: [] });
    });

    it.each(["", "?q=", "?q=%20"])("answers 422 to %j", async (query) => {
      expect(await call(`GET ${PATH}/search${query}`)).toEqual(invalid({ q: ["can't be blank"] }));
    });
  });
});
