import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameKey, NO_VISIT } from "../../../server/domain/people/origin.ts";
import { removeVisitor, visitors } from "../../../server/domain/people/visitor/visitor.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, join, outcome, reward } from "../../support/v2.ts";
import { erasePromoter } from "../../support/operations.ts";

const TIME = "group_by=month&start_date=2026-03-01&end_date=2026-03-31";
const ZERO = { clicks_count: 0, referrals_count: 0, customers_count: 0, sales_count: 0, revenue_amount: 0 };
const COUNTS = Object.keys(ZERO).map((name) => `columns[]=${name}`);
const MONEY = ["promoter_earnings_amount", "refunds_count", "cancelled_customers_count"];
const DAY_MS = 86_400_000;
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const RATES = ["referrals_to_customers_cr", "clicks_to_customers_cr", "clicks_to_referrals_cr"];

describe.each(STORAGES)("V2 reports on sources and pages on %s", (storage) => {
  let app: TestApp;
  let visits = 0;
  beforeEach(async () => {
    visits = 0;
    app = await startApp(storage);
    await join(app, "jane@example.com", { ref_id: "jane" });
    const entry = { reward_id: await reward(app), apply_on: "all" };
    await call("PUT /campaigns/1", { rewards_for_promoters: [entry] });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const tid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const visit = async (url: string, referrer = "") => {
    const id = tid(++visits);
    await app.browser("/t/click", { tid: id, ref_id: "jane", url, referrer });
    return id;
  };
  const names = async (report: string, query = "") => {
    const { body } = await call(`GET /reports/${report}?columns=clicks_count&${TIME}${query}`);
    return (body as Record<string, unknown>[]).map((row) => [
      row["source"] ?? row["url"],
      (row["data"] as { clicks_count: number }).clicks_count,
    ]);
  };

  it.each([
    ["https://www.acme.example/", "", "direct", "https://www.acme.example/"],
    [
      "https://www.acme.example/a?via=jane#top",
      "https://www.News.example/x",
      "news.example",
      "https://www.acme.example/a",
    ],
    ["https://www.acme.example/?utm_source=%20Spring ", "", "spring", "https://www.acme.example/"],
    [
      "https://www.acme.example/?utm_source=x",
      "https://n.example/",
      "n.example",
      "https://www.acme.example/",
    ],
    ["https://www.acme.example/b", "https://acme.example/a", "direct", "https://www.acme.example/b"],
    ["https://www.acme.example/b", "android-app://news", "direct", "https://www.acme.example/b"],
    ["no address", "nowhere", "direct", "unknown"],
    [
      `https://www.acme.example/${"x".repeat(300)}`,
      "",
      "direct",
      `https://www.acme.example/${"x".repeat(175)}`,
    ],
  ])("counts a visit of %j from %j as %j and %j", async (url, referrer, source, page) => {
    await visit(url, referrer);
    expect(await names("traffic_sources")).toEqual([[source, 1]]);
    expect(await names("urls")).toEqual([[page, 1]]);
  });

  it("counts the leads and sales of a visit by its source and page", async () => {
    const first = await visit("https://www.acme.example/pricing", "https://news.example/");
    await visit("https://www.acme.example/pricing", "https://news.example/");
    await app.v1("/track/signup", { email: "sam@example.com", tid: first });
    await app.v1("/track/sale", { email: "sam@example.com", event_id: "s1", amount: "10000" });
    await app.v1("/track/refund", { email: "sam@example.com", event_id: "r1", amount: "4000" });
    await app.v1("/track/cancellation", { email: "sam@example.com" });
    await app.v1("/track/signup", { email: "lea@example.com", ref_id: "jane" });
    const counts = {
      clicks_count: 2,
      referrals_count: 1,
      customers_count: 1,
      sales_count: 1,
      revenue_amount: 10_000,
    };
    const money = { promoter_earnings_amount: 1200, refunds_count: 1, cancelled_customers_count: 1 };
    const rates = { referrals_to_customers_cr: 100, clicks_to_customers_cr: 50, clicks_to_referrals_cr: 50 };
    const visited = { ...counts, ...money, ...rates };
    const none = Object.fromEntries([...MONEY, ...RATES].map((name) => [name, 0]));
    const others = { ...ZERO, ...none, referrals_count: 1 };
    const columns = [...COUNTS, ...[...MONEY, ...RATES].map((name) => `columns[]=${name}`)].join("&");
    const row = (data: object) => ({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      data,
      sub_data: [{ period: "2026-03", id: "2026-03-01", data }],
    });
    expect(await call(`GET /reports/traffic_sources?${columns}&${TIME}`)).toEqual({
      status: 200,
      body: [
        { source: "news.example", ...row(visited) },
        { source: "direct", ...row(others) },
      ],
    });
    expect(await call(`GET /reports/urls?${columns}&columns[]=url&${TIME}`)).toEqual({
      status: 200,
      body: [
        { url: "https://www.acme.example/pricing", ...row(visited) },
        { url: "unknown", ...row(others) },
      ],
    });
  });

  it("keeps counting the clicks of visitors who have expired", async () => {
    await visit("https://www.acme.example/a", "https://news.example/");
    await visit("https://www.acme.example/b");
    await app.services.store.transact(async (tx) => {
      for (const id of [1, 2]) await removeVisitor(tx, (await tx.get(visitors, app.account_id, tid(id)))!);
    });
    expect(await app.records.count("pastClick")).toBe(2);
    expect(await names("traffic_sources")).toHaveLength(2);
    expect(await names("urls", "&q=/a")).toEqual([["https://www.acme.example/a", 1]]);
  });

  it("adds up whole months and the days at both ends, whatever the range", async () => {
    const [accountId, day] = [app.account_id, (at: number) => isoDay(Date.UTC(2025, 0, 1) + at * DAY_MS)];
    const owner = { account_id: accountId, promoter_campaign_id: 1, promoter_id: 1, campaign_id: 1 };
    const facts = Array.from({ length: 150 }, (_, at) => ({
      day: day((at * 37) % 400),
      page: `p${at % 3}`,
      at,
    }));
    const names = ["p0", "p1", "p2"].map(
      (name) => ({ account_id: accountId, kind: "page", name, days: 2, last_day: "2025-01-01" }) as const,
    );
    await app.records.put("originName", ...names);
    const clicks = facts.map(({ day, page, at }) => {
      const origin = { source_key: NO_VISIT.source_key, page_key: nameKey(page), sub_key: null };
      return { ...owner, day, ...origin, count: 1 + (at % 5) };
    });
    await app.records.put("pastClick", ...clicks);
    for (const [from, to] of [
      [0, 399],
      [31, 58],
      [14, 17],
      [16, 350],
      [20, 20],
      [398, 399],
    ] as const) {
      const within = facts.filter((fact) => fact.day >= day(from) && fact.day <= day(to));
      const sumOf = (some: typeof facts) => some.reduce((sum, { at }) => sum + 1 + (at % 5), 0);
      for (const groupBy of ["month", "week", "day"]) {
        const query = `group_by=${groupBy}&start_date=${day(from)}&end_date=${day(to)}&sorting[clicks_count]=asc`;
        const { body } = await call(`GET /reports/urls?columns=clicks_count&${query}`);
        const rows = body as { url: string; data: { clicks_count: number }; sub_data: { data: object }[] }[];
        const expected = ["p0", "p1", "p2"]
          .map((url) => ({ url, clicks: sumOf(within.filter(({ page }) => page === url)) }))
          .filter(({ clicks }) => clicks > 0);
        const shown = rows.map(({ url, data }) => ({ url, clicks: data.clicks_count }));
        expect(shown.toSorted((one, other) => (one.url < other.url ? -1 : 1))).toEqual(expected);
        for (const { url, sub_data: parts } of rows) {
          const sums = parts.map(({ data }) => (data as { clicks_count: number }).clicks_count);
          const clicks = expected.find((each) => each.url === url)?.clicks;
          expect(sums.reduce((sum, part) => sum + part, 0)).toBe(clicks);
        }
      }
    }
  });

  it("counts pages that name their promoter together", async () => {
    await call("PUT /promoter_campaigns/1", { direct_url: "https://www.acme.example/jane" });
    const page = { url: "https://www.acme.example/jane", url_tracking: "true" };
    await app.v1("/promoters/update", { id: "1", landing_url: page.url, url_tracking: "true" });
    await app.browser("/t/click", { tid: tid(1), ...page });
    expect(await names("urls")).toEqual([["own page of a promoter", 1]]);
  });

  it("counts the names beyond the first thousand as other", async () => {
    const known = Array.from({ length: 1_000 }, (_, at) => `https://www.acme.example/${at}`);
    const { account_id } = app;
    await app.records.put(
      "originName",
      ...known.map((name) => ({ account_id, kind: "page", name, days: 2, last_day: "2026-03-01" }) as const),
    );
    await visit("https://www.acme.example/new", "https://news.example/");
    await visit("https://www.acme.example/7");
    expect(await names("urls", "&sorting[clicks_count]=desc")).toEqual(
      expect.arrayContaining([
        ["other", 1],
        ["https://www.acme.example/7", 1],
      ]),
    );
    expect(await names("traffic_sources", "&q=news")).toEqual([["news.example", 1]]);
    expect((await app.records.all("originName")).filter(({ kind }) => kind === "page").length).toBe(1_000);
  });

  it("names a new source and page although strangers have made up more than are kept", async () => {
    await visit("https://www.acme.example/", "https://news.example/");
    app.setNow("2026-03-11T09:30:00Z");
    await visit("https://www.acme.example/", "https://news.example/");
    const { account_id } = app;
    const made = (at: number) => ({ page: `https://www.acme.example/${at}`, source: `made-${at}.example` });
    const seen = { account_id, days: 1, last_day: "2026-03-11" };
    const some = Array.from({ length: 999 }, (_, at) => made(at));
    await app.records.put(
      "originName",
      ...some.map(({ page: name }) => ({ ...seen, kind: "page", name }) as const),
      ...some.map(({ source: name }) => ({ ...seen, kind: "source", name }) as const),
    );
    for (let at = 1_000; at < 1_100; at++) await visit(made(at).page, `https://${made(at).source}/`);
    await visit("https://www.acme.example/new", "https://new.example/");
    expect(await names("traffic_sources", "&q=new")).toEqual([
      ["news.example", 2],
      ["new.example", 1],
    ]);
    expect(await names("urls", "&q=/new")).toEqual([["https://www.acme.example/new", 1]]);
    expect(await names("urls", "&sorting[clicks_count]=desc")).toContainEqual([
      "https://www.acme.example/",
      2,
    ]);
    const kept = (await app.records.all("originName")).filter(({ kind }) => kind === "page");
    expect(kept).toHaveLength(1_000);
  });

  it("counts pages of other sites together", async () => {
    await visit("https://www.acme.example/", "https://news.example/");
    await visit("https://a.example/1");
    await visit("https://b.example/2");
    expect(await names("urls", "&sorting[clicks_count]=desc")).toEqual([
      ["other", 2],
      ["https://www.acme.example/", 1],
    ]);
    await call("PUT /campaigns/1", { allowed_origins: ["b.example"] });
    await visit("https://b.example/2");
    expect(await names("urls", "&q=b.example")).toEqual([["https://b.example/2", 1]]);
  });

  it("keeps a channel that was used on several days, and lets a new one in, whatever strangers make up", async () => {
    const through = (channel: string) => visit(`https://www.acme.example/?via=jane&sub_id=${channel}`);
    await through("blog");
    app.setNow("2026-03-11T09:30:00Z");
    await through("blog");
    for (let at = 0; at < 210; at++) await through(`made-${at}`);
    await through("podcast");
    const kept = (await app.records.all("subIdName")).map(({ name, days }) => [name, days]);
    expect(kept).toHaveLength(200);
    expect(kept).toEqual(
      expect.arrayContaining([
        ["blog", 2],
        ["podcast", 1],
      ]),
    );
  });

  it("lets a name give way that was not seen for long", async () => {
    const { account_id } = app;
    const old = Array.from({ length: 1_000 }, (_, at) => {
      const seen = { days: 9, last_day: at === 7 ? "2025-01-01" : "2026-03-01" };
      return { account_id, kind: "source", name: `old-${at}.example`, ...seen } as const;
    });
    await app.records.put("originName", ...old);
    await visit("https://www.acme.example/", "https://new.example/");
    const kept = (await app.records.all("originName")).filter(({ kind }) => kind === "source");
    const isKept = kept.some(({ name }) => name === "new.example");
    // A new name is compared with fifty others.
    expect([kept.length, isKept]).toEqual([1_000, !kept.some(({ name }) => name === "old-7.example")]);
    app.setNow("2026-07-01T09:30:00Z");
    await visit("https://www.acme.example/", "https://newer.example/");
    expect(await app.records.all("originName")).toContainEqual({
      account_id,
      kind: "source",
      name: "newer.example",
      days: 1,
      last_day: "2026-07-01",
    });
  });

  it("counts the sites that only an erased promoter used as other", async () => {
    await join(app, "bob@example.com", { ref_id: "bob" });
    await visit("https://www.acme.example/", "https://jane-writes.example/");
    await visit("https://www.acme.example/", "https://news.example/");
    await app.browser("/t/click", {
      tid: tid(9),
      ref_id: "bob",
      url: "https://www.acme.example/",
      referrer: "https://news.example/",
    });
    await erasePromoter(app, "jane@example.com");
    expect(await names("traffic_sources")).toEqual([
      ["news.example", 2],
      ["other", 1],
    ]);
    expect(await names("urls")).toEqual([["https://www.acme.example/", 3]]);
  });

  it("adds a name once for two visits at the same time", async () => {
    await Promise.all([visit("https://www.acme.example/"), visit("https://www.acme.example/")]);
    expect(await names("urls")).toEqual([["https://www.acme.example/", 2]]);
  });

  it.each([
    ["", ["news.example", "direct"], "2"],
    ["&sorting[clicks_count]=asc", ["direct", "news.example"], "2"],
    ["&per_page=1&page=2", ["direct"], "2"],
    ["&q=NEWS", ["news.example"], "1"],
  ])("answers %j with %j", async (query, sources, total) => {
    await visit("https://www.acme.example/");
    for (let at = 0; at < 2; at++) await visit("https://www.acme.example/", "https://news.example/");
    const { body, headers } = await company(
      app,
      `GET /reports/traffic_sources?columns=clicks_count&${TIME}${query}`,
    );
    expect((body as { source: string }[]).map(({ source }) => source)).toEqual(sources);
    expect(headers.get("total")).toBe(total);
  });

  it("finds one source by its id", async () => {
    await visit("https://www.acme.example/");
    await visit("https://www.acme.example/", "https://news.example/");
    const { body } = await call(`GET /reports/traffic_sources?columns=clicks_count&${TIME}&q=news`);
    const [{ id } = { id: "" }] = body as { id: string }[];
    expect(await names("traffic_sources", `&q=id:${id}`)).toEqual([["news.example", 1]]);
  });

  it.each([
    ["traffic_sources", "columns=url"],
    ["urls", "columns=monthly_churn"],
    ["download", "columns=monthly_churn&report_type=urls"],
    ["download", "columns=signups_count&report_type=traffic_sources"],
  ])("answers 422 to %s with %s", async (report, query) => {
    const { status, body } = await call(`GET /reports/${report}?${query}&${TIME}`);
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, ["columns"]]);
  });

  it("answers files", async () => {
    await visit("https://www.acme.example/a", "https://news.example/");
    const file = (type: string) =>
      call(`GET /reports/download?report_type=${type}&columns=clicks_count&columns=url&${TIME}&totals=1`);
    expect(await file("traffic_sources")).toEqual({
      status: 200,
      body: "source,period,clicks_count\r\nnews.example,2026-03,1\r\nnews.example,total,1\r\n",
    });
    expect(await file("urls")).toEqual({
      status: 200,
      body: "url,period,clicks_count\r\nhttps://www.acme.example/a,2026-03,1\r\nhttps://www.acme.example/a,total,1\r\n",
    });
  });
});
