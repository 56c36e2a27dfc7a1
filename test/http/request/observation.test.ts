import { readFileSync } from "node:fs";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp, createMetricsApp } from "../../../server/app.ts";
import { newMetrics } from "../../../server/request/metrics.ts";
import { takeStock } from "../../../server/request/observation.ts";
import { errorLine } from "../../../server/process/log.ts";
import { storeText } from "../../../server/http/answer.ts";
import { company } from "../../support/v2.ts";
import { BUILT_PAGES, KEY, startApp, type TestApp } from "../../support/app.ts";

const TOKEN = "token-of-prometheus";
const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };

let base: TestApp;
let lines: Record<string, unknown>[];
let counts: { commits: number; conflicts: number };
let isReady: boolean;
beforeEach(async () => {
  base = await startApp();
  lines = [];
  counts = { commits: 7, conflicts: 2 };
  isReady = true;
});
afterEach(() => base.close());

/** The routes of the test's app, with a log and metrics of their own. */
function watched({ level = "debug", metricsToken = TOKEN as string | null, services = base.services } = {}) {
  const { services: own } = observing({ level, services });
  return createApp(own, {
    built: BUILT_PAGES,
    docsViewer: "",
    script: storeText(""),
    more: storeText(""),
    hasDemo: false,
    metricsToken,
    securityContact: null,
  });
}

function observing({ level = "info", services = base.services } = {}) {
  const log = pino(
    { level, base: null, timestamp: false, serializers: { err: errorLine } },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const { sightings } = services;
  const metrics = newMetrics({
    counts,
    isReady: async () => isReady,
    sightings,
    stock: () => takeStock(services.store, services.clock()),
  });
  return { services: { ...services, log, metrics } };
}

const headers = { "x-api-key": KEY };
const REQUESTS: [method: string, path: string, label: string, status: number, init?: RequestInit][] = [
  ["GET", "/api/v1/leads/show?email=mia%40example.com", "/api/v1/leads/show", 404, { headers }],
  ["GET", "/api/v1/leads/show.json?id=1", "/api/v1/leads/show", 404, { headers }],
  [
    "GET",
    "/api/v2/company/promoters/mia@example.com",
    "/api/v2/company/promoters/:id",
    404,
    { headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" } },
  ],
  ["PATCH", "/api/v1/leads/show?email=mia@example.com", "/api/v1/leads/show", 405],
  ["HEAD", "/healthz", "/healthz", 200],
  ["GET", "/mia@example.com", "/:file", 404],
  ["GET", "/pages/mia@example.com", "none", 404],
  ["GET", "/api/v1/mia@example.com", "none", 404],
];

describe("the metrics", () => {
  it.each(REQUESTS)("count %s %s by its route", async (method, path, route, status, init) => {
    const app = watched();
    await app.request(path, { ...init, method });
    const page = await (await app.request("/metrics", { headers: WITH_TOKEN })).text();
    const labels = `{method="${method}",route="${route}",status="${status}"}`;
    expect(page).toContain(`tidemark_http_request_duration_seconds_count${labels} 1\n`);
    expect(page).not.toContain("mia");
  });

  it("include the store, the event loop and the process", async () => {
    const app = watched();
    isReady = false;
    const answer = await app.request("/metrics", { headers: WITH_TOKEN });
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const page = await answer.text();
    for (const line of [
      "tidemark_store_commits_total 7",
      "tidemark_store_conflicts_total 2",
      "tidemark_store_ready 0",
    ]) {
      expect(page).toContain(`${line}\n`);
    }
    expect(page).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(page).toMatch(/^process_cpu_user_seconds_total \d/m);
  });

  it("tell what waits and how large the store is, under the names that the guide's alerts use", async () => {
    const stored = await startApp("sqlite");
    await company(stored, "POST /webhooks", {
      url: "https://hooks.acme.example/",
      event_types: ["promoter.created"],
    });
    await stored.v1("/promoters/create", { email: "jane@example.com" });
    stored.setNow("2026-03-04T05:16:07.890Z");
    const { services } = observing({ services: stored.services });
    const page = await (await createMetricsApp(services, null).request("/metrics")).text();
    for (const line of [
      "tidemark_events_waiting 1",
      "tidemark_events_oldest_seconds 600",
      "tidemark_emails_held 0",
      "tidemark_webhooks_failing 0",
    ]) {
      expect(page).toContain(`${line}\n`);
    }
    expect(page).toMatch(/^tidemark_store_bytes [1-9]/m);
    expect(page).toMatch(/^tidemark_store_log_bytes [1-9]/m);
    const used = readFileSync("docs/tidemark.rules.yml", "utf8").match(/tidemark_\w+/g) ?? [];
    expect(new Set(used).size).toBeGreaterThan(5);
    const named = (name: string) => page.includes(`# TYPE ${name.replace(/_(?:count|bucket)$/, "")} `);
    expect(used.filter((name) => !named(name))).toEqual([]);
    await stored.close();
  });

  it.each([
    ["no token", {}, 401],
    ["a wrong token", { authorization: `Bearer ${TOKEN}s` }, 401],
    ["an API key", { authorization: `Bearer ${KEY}` }, 401],
    ["the right token", WITH_TOKEN, 200],
  ])("are answered to %s with %i, wherever it comes from", async (_, headers, status) => {
    for (const app of [watched(), createMetricsApp(observing().services, TOKEN)]) {
      for (const address of ["127.0.0.1", "203.0.113.9"]) {
        const answer = await app.request("/metrics", { headers: { ...headers, "x-forwarded-for": address } });
        expect(answer.status).toBe(status);
        expect(answer.headers.get("cache-control")).toBe("no-store");
        expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
        if (status === 401) expect(await answer.text()).toBe("Bad credentials");
      }
    }
  });

  it("answer the right token, however many wrong ones came before", async () => {
    const app = watched();
    const guess = async (token: string) =>
      (await app.request("/metrics", { headers: { authorization: `Bearer ${token}` } })).status;
    const statuses = await Promise.all(Array.from({ length: 50 }, (_, at) => guess(`guess ${at}`)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(await guess("another guess")).toBe(429);
    expect(await guess(TOKEN)).toBe(200);
  });

  it("are not served at the server's own address without a token, not even to local callers", async () => {
    const app = watched({ metricsToken: null });
    expect((await app.request("/metrics", { headers: { "x-forwarded-for": "127.0.0.1" } })).status).toBe(404);
    expect((await app.request("/metrics", { headers: WITH_TOKEN })).status).toBe(404);
  });

  it("are everything that their own address serves", async () => {
    const app = createMetricsApp(observing().services, null);
    const answer = await app.request("/metrics");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("tidemark_store_commits_total 7\n");
    for (const path of ["/", "/healthz", "/api/v1/leads/list"]) {
      expect((await app.request(path, { headers: { "x-api-key": KEY } })).status).toBe(404);
    }
  });
});

describe("the log", () => {
  it.each(REQUESTS)(
    "has one line for %s %s without anything that was sent",
    async (method, path, route, status, init) => {
      await watched().request(path, { ...init, method });
      expect(lines).toEqual([
        {
          level: 20,
          method,
          route,
          status,
          milliseconds: expect.any(Number) as number,
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          msg: "request",
        },
      ]);
    },
  );

  it("has no lines for requests by default", async () => {
    await watched({ level: "info" }).request("/api/v1/leads/show?id=1", { headers });
    expect(lines).toEqual([]);
  });

  it("names a bug by its route and the id that its client got", async () => {
    const cause = new Error('key "mia" is odd');
    const bug = new TypeError('Unexpected token in "{mia" of mia@example.com and mia%40example.com', {
      cause,
    });
    const store = {
      ...base.services.store,
      get: () => {
        throw Object.assign(bug, { code: "EBUG", row: "mia" });
      },
    };
    const app = watched({ services: { ...base.services, store } });
    const answer = await app.request("/api/v1/leads/show?email=mia@example.com", { headers });
    const id = answer.headers.get("x-request-id");
    expect(answer.status).toBe(500);
    expect(lines).toMatchObject([
      {
        level: 50,
        requestId: id,
        method: "GET",
        route: "/api/v1/leads/show",
        err: {
          type: "TypeError",
          code: "EBUG",
          message: 'Unexpected token in "…" of … and …',
          stack: expect.stringContaining("    at ") as string,
          cause: { type: "Error", message: 'key "…" is odd' },
        },
        msg: "bug",
      },
      { level: 20, requestId: id, status: 500, msg: "request" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("mia");
  });
});
