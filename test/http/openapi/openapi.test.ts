import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedRoutes } from "../../../server/app.ts";
import { EVENT_TYPES, V1_EVENT_TYPES } from "../../support/event-types.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import {
  resolved,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiResponse,
} from "../../support/openapi.ts";
import { fillWithExamples } from "../../support/operations.ts";

const addFormats = ajvFormats as unknown as (ajv: Ajv2020) => Ajv2020;

let app: TestApp;
let raw: OpenApi;
/** The document without references to parameters and responses. */
let document: OpenApi;
beforeAll(async () => {
  app = await startApp();
  raw = (await (await app.request("/openapi.json")).json()) as OpenApi;
  document = resolved(raw);
});
afterAll(() => app.close());

describe("GET /openapi.json", () => {
  it("is an OpenAPI 3.1 document, according to an independent validator", async () => {
    const result = await new Validator().validate(structuredClone(raw) as never);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(raw.openapi).toBe("3.1.0");
    expect(raw.servers).toEqual([{ url: "https://track.acme.example" }]);
  });

  it("names no schema by a number", () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toContain("RewardSummary");
    expect(names.filter((name) => /_\d+$/.test(name))).toEqual([]);
  });

  it("has each route that answers JSON, and no other", async () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = describedRoutes().map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    expect(described.toSorted()).toEqual(routes.toSorted());
    const paths = (app.app as unknown as { "~routes": { route: string }[] })["~routes"]
      .map(({ route }) => route)
      .filter((route) => /^\/(api|t)\/.*[^n*]$/.test(route));
    const served: string[] = [];
    for (const path of paths) {
      const refusal = await app.request(path.replaceAll(/:\w+/g, "1"), { method: "LOCK" });
      const methods = refusal.headers.get("allow")!.split(", ");
      served.push(...methods.filter((method) => method !== "OPTIONS").map((method) => `${method} ${path}`));
    }
    expect(served.length).toBeGreaterThan(60);
    expect(served.filter((route) => !routes.includes(route.replaceAll(/:(\w+)/g, "{$1}")))).toEqual([]);
  });

  it("describes lists in queries by names that repeat for each value", () => {
    const { parameters } = document.paths["/api/v2/company/payouts"]!["get"]!;
    expect(parameters.find(({ name }) => name === "ids")).toMatchObject({
      style: "form",
      explode: true,
      schema: { type: "array" },
    });
  });

  it("lists what the rules of a reward can count, and their operators", () => {
    type Shape = { required: string[]; properties: Record<string, { enum: string[]; description: string }> };
    const { RewardRule, CreateRewardBody } = document.components.schemas as Record<string, object>;
    const path = ["properties", "schemas", "items", "properties", "rules", "anyOf", "0", "items"];
    const taken = path.reduce((schema, name) => (schema as Record<string, object>)[name]!, CreateRewardBody!);
    for (const { properties, required } of [RewardRule, taken] as Shape[]) {
      expect(required).toEqual(["type", "value"]);
      expect(properties["type"]!.enum).toEqual([
        "customer_age_in_months",
        "customer_sales_count",
        "promoter_campaign_customers_count",
        "promoter_campaign_revenue",
      ]);
      expect(properties["operator"]).toMatchObject({
        anyOf: [
          {
            enum: [
              "less than",
              "less than or equal to",
              "equal to",
              "greater than or equal to",
              "greater than",
              "multiple of",
            ],
          },
          { type: "string" },
        ],
      });
      expect(properties["join"]!.enum).toEqual(["and", "or"]);
      for (const field of ["type", "operator", "value", "join", "filter_by"])
        expect(properties[field]!.description).toMatch(/\w/);
    }
  });

  it("describes each type of event and its data", () => {
    type Schema = { const?: string; properties?: Record<string, Schema>; required?: string[] };
    const { webhooks } = document;
    const bodyOf = ({ requestBody }: OpenApiOperation) =>
      requestBody!.content["application/json"]!.schema as Schema;
    expect(Object.keys(webhooks).toSorted()).toEqual([...EVENT_TYPES, ...V1_EVENT_TYPES].toSorted());
    for (const type of EVENT_TYPES) {
      const { post } = webhooks[type]!;
      const { required, properties } = bodyOf(post);
      expect(required).toEqual([
        "event_id",
        "event_type",
        "action",
        "entity_type",
        "entity_id",
        "changes",
        "data",
        "timestamp",
      ]);
      expect(properties!["event_type"]!.const).toBe(type);
      const names = ["webhook-id", "webhook-timestamp", "webhook-signature", "X-Event-Id", "X-Event-Type"];
      expect(post.parameters.map(({ name }) => name)).toEqual(names);
    }
    for (const type of V1_EVENT_TYPES) {
      const { required, properties } = bodyOf(webhooks[type]!.post);
      expect(required).toEqual(["event", "data"]);
      expect(properties!["event"]!.properties!["type"]!.const).toBe(type);
    }
    const data = bodyOf(webhooks["referral.created"]!.post).properties!["data"]!;
    expect(data.required).toEqual(expect.arrayContaining(["email", "uid", "state", "promoter_campaign"]));
  });

  it("names the success, the refusals and the headers of an operation", () => {
    const { responses, parameters } = document.paths["/api/v2/company/payouts"]!["get"]!;
    expect(Object.keys(responses).toSorted()).toEqual([
      "200",
      "401",
      "403",
      "413",
      "422",
      "429",
      "503",
      "default",
    ]);
    expect(Object.keys(document.paths["/api/v2/company/promo_codes"]!["post"]!.responses)).toContain("409");
    expect(responses["200"]).toMatchObject({
      headers: { Total: {}, "Per-Page": {}, Link: {}, "RateLimit-Limit": {} },
      content: { "application/json": { schema: { type: "array" } } },
    });
    expect(parameters.map(({ name }) => name)).toEqual([
      "q",
      "ids",
      "filters[status]",
      "filters[campaign_id]",
      "filters[payments_batch_id]",
      "filters[due_period]",
      "filters[period_start][from]",
      "filters[period_start][to]",
      "filters[period_end][from]",
      "filters[period_end][to]",
      "filters[payout_method]",
      "filters[promoter_id]",
      "filters[only_payable]",
      "filters[group_ref]",
      "filters[fraud_suspicions]",
      "sorting[amount]",
      "sorting[period_start]",
      "sorting[period_end]",
      "page",
      "per_page",
    ]);
    const signup = document.paths["/api/v1/track/signup"]!["post"]!;
    expect(Object.keys(signup.responses)).toEqual(expect.arrayContaining(["400", "404", "422"]));
    expect(signup.responses["401"]).toMatchObject({ content: { "text/plain": {} } });
  });

  it("lets every list be paged, and describes the lengths of its pages", () => {
    const lists = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ responses }) => "Total" in (responses["200"]?.headers ?? {}));
    expect(lists.length).toBeGreaterThanOrEqual(15);
    for (const { operationId, parameters } of lists) {
      const page = parameters.find(({ name }) => name === "page");
      expect({ operationId, schema: page?.schema }).toEqual({
        operationId,
        schema: { type: "integer", minimum: 1, default: 1 },
      });
    }
    const lengths = (id: string) =>
      lists.find(({ operationId }) => operationId === id)!.parameters.find(({ name }) => name === "per_page")!
        .schema;
    expect(lists.map(({ operationId }) => lengths(operationId)["type"])).toEqual(lists.map(() => "integer"));
    expect(lengths("v1ListLeads")).toMatchObject({ default: 50, maximum: 500 });
    expect(lengths("listPayouts")).toMatchObject({ default: 20, maximum: 100 });
    expect(lengths("listWebhooks")).toMatchObject({ default: 25, maximum: 100 });
  });

  it("explains how to write lists in queries", () => {
    const { parameters } = document.paths["/api/v2/company/payouts"]!["get"]!;
    const ids = parameters.find(({ name }) => name === "ids")!;
    expect(ids).toMatchObject({ style: "form", explode: true, schema: { type: "array" } });
    for (const spelling of ["ids=a&ids=b", "ids[]=a&ids[]=b", "ids[0]=a&ids[1]=b"])
      expect(ids.description).toContain(spelling);
  });

  it("names the records and errors of the interface", () => {
    /** A shared response, with its schema as a reference. */
    const shallow = (response: { $ref?: string } & OpenApiResponse) =>
      response.$ref === undefined
        ? response
        : (raw.components.responses[response.$ref.replace(/^.*\//, "")] as unknown as OpenApiResponse);
    const refersTo = (path: string, method: string, status = "200") =>
      shallow(raw.paths[path]![method]!.responses[status]!).content!["application/json"]!.schema;
    expect(refersTo("/api/v1/promoters/create", "post")).toEqual({ $ref: "#/components/schemas/V1Promoter" });
    expect(refersTo("/api/v2/company/payouts", "get")).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/Payout" },
    });
    expect(refersTo("/api/v2/company/payouts", "get", "422")).toEqual({ $ref: "#/components/schemas/Error" });
    expect(refersTo("/api/v1/leads/show", "get", "404")).toEqual({ $ref: "#/components/schemas/V1Error" });
    expect(raw.paths["/api/v2/company/promoters"]!["post"]!.requestBody!.content).toMatchObject({
      "application/json": { schema: { $ref: "#/components/schemas/CreatePromoterBody" } },
    });
  });

  it("describes when to retry, and where a caller stands within its limit", () => {
    const { responses } = document.paths["/api/v1/leads/list"]!["get"]!;
    for (const status of ["200", "422", "429"])
      expect(Object.keys(responses[status]!.headers!)).toContain("RateLimit-Remaining");
    for (const status of ["429", "503"])
      expect(Object.keys(responses[status]!.headers!)).toContain("Retry-After");
    expect(Object.keys(responses["default"]!.headers!)).toEqual(["X-Request-Id"]);
    const { headers } = document.paths["/api/v2/company/promoters"]!["post"]!.responses["201"]!;
    expect(Object.keys(headers!)).toContain("X-Ignored-Fields");
    expect(Object.keys(document.paths["/readyz"]!["get"]!.responses)).toEqual(["200", "503"]);
  });

  it("is shown at /docs by a viewer that we serve ourselves", async () => {
    const page = await app.request("/docs");
    const html = await page.text();
    expect(html).toContain('spec-url="/openapi.json"');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(await (await app.request("/docs.js")).text()).toBe("/* viewer */");
  });

  it("is listed at /docs, each operation once, by its name in the viewer", async () => {
    const html = await (await app.request("/docs")).text();
    const listed = [...html.matchAll(/<a href="#(\w+-[^"]+)">/g)].map(([, name]) => name);
    const routes = describedRoutes();
    const firsts = routes.filter(
      ({ operation }, at) => routes.findIndex((other) => other.operation === operation) === at,
    );
    const names = firsts.map(
      ({ method, path }) => `${method.toLowerCase()}-${path.replace(/:(\w+)/g, "-$1-")}`,
    );
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});

describe("every operation", () => {
  let strangers = 0;

  it.each(describedRoutes().filter(({ caller }) => caller === "v1" || caller === "v2"))(
    "$method $path refuses a stranger as the document says",
    async ({ method, path, caller, access }) => {
      const target = path.replaceAll(/:\w+/g, "1");
      const answer = await app.request(target, {
        method,
        headers: { "x-forwarded-for": `10.0.0.${++strangers}` },
      });
      const hasErrors =
        path.includes("company/promoter_campaigns") ||
        (method === "POST" && path.endsWith("affiliate/referrals"));
      const errors = hasErrors ? ',"errors":{}' : "";
      const who = { person: "user", promoter: "promoter" }[access as string];
      const message = who === undefined ? "Bad credentials" : `No ${who} is signed in`;
      const refusal = `{"message":"${message}","code":"unauthorized"${errors}}`;
      const isOpen = caller === "v2" && access === "anyone";
      // It needs the token of a link.
      const needsQuery = path.endsWith("/email_from_encrypted_id");
      if (isOpen) expect(answer.status).toBe(method === "GET" && !needsQuery ? 200 : 422);
      else expect([answer.status, await answer.text()]).toEqual([401, caller === "v1" ? message : refusal]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const known = await app.request(target, {
        method,
        headers: { "x-api-key": KEY, authorization: `Bearer ${KEY}`, "account-id": "acme" },
      });
      const described = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]![method.toLowerCase()]!;
      expect(Object.keys(described.responses)).toContain(String(known.status));
      expect(known.headers.get("cache-control")).toBe("no-store");
    },
  );
});

describe("real answers", () => {
  it("fit the document, with their headers", async () => {
    await fillWithExamples(app, { promoters: 3, leads: 5, sales: 5 });
    await app.v2("POST", "/rewards", {
      name: "Tenth",
      is_promoter_reward: true,
      promoter_reward_type: "sale",
      schemas: [{ unit: "cash", amount: 10, flat_amount: false }],
    });
    const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
    const seen: string[] = [];
    for (const { method, path, caller } of describedRoutes()) {
      if (method !== "GET" || caller === "browser" || caller === "operator") continue;
      const id =
        path.includes("campaigns") || path.includes("methods") || path.includes("promoters") ? "1" : "99";
      const query =
        { "/api/v1/leads/show": "?id=1", "/api/v1/promoters/show": "?id=1" }[path] ??
        "?filters[promoter_id]=1&q=a";
      const answer = await app.request(path.replaceAll(/:\w+/g, id) + query, {
        headers: { "x-api-key": KEY, authorization: `Bearer ${KEY}`, "account-id": "acme" },
      });
      const isFile = !answer.headers.get("content-type")?.startsWith("application/json");
      if (answer.status !== 200 || isFile) continue;
      const described = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]!["get"]!.responses["200"]!;
      const validate = ajv.compile(described.content!["application/json"]!.schema);
      const body: unknown = await answer.json();
      validate(body);
      expect({ path, errors: validate.errors }).toEqual({ path, errors: null });
      if ("Total" in described.headers!) expect(answer.headers.get("total"), path).toMatch(/^\d+$/);
      seen.push(path);
    }
    expect(seen.length).toBeGreaterThanOrEqual(15);
  });
});
