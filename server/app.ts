import { H3, type EventHandler } from "h3";
import { FastResponse } from "srvx";
import { z } from "zod";
import { hookRoute } from "./billing/hook.ts";
import { BILLING_PROVIDERS } from "./domain/ledger/billing/connection.ts";
import { PAYMENT_PROVIDERS } from "./domain/ledger/payment/connection.ts";
import { Failure } from "./failure.ts";
import { json, type AnswerHeaders, type StoredText } from "./http/answer.ts";
import { preflight } from "./http/origin.ts";
import type { Method } from "./http/operation.ts";
import { readJson } from "./http/parameters/json.ts";
import { pathTidier } from "./http/path.ts";
import { v1Error, v2Error, v2EventRefusals } from "./http/errors.ts";
import type { DescribedEvents, DescribedRoute } from "./openapi/operation.ts";
import { docsPage, docsScript, serveDocument, serveViewer } from "./openapi/serve.ts";
import { paymentHookPath, paymentHookRoute } from "./payments/hook.ts";
import { metricsPage, observed, loadReadiness } from "./request/observation.ts";
import { refuse } from "./request/refusal.ts";
import type { Services } from "./request/services.ts";
import { demoPage, demoRecord, demoScript } from "./web/demo.ts";
import { PUBLIC_OPERATIONS } from "./track/operations.ts";
import { publicRoute } from "./track/public-route.ts";
import { serveOtherScript, serveScript } from "./track/script.ts";
import { pageRoutes, type BuiltPages } from "./web/pages.ts";
import { portalEntrance } from "./web/portal-entry.ts";
import { basePath } from "./url.ts";
import { holdByLink, notMePage, unsubscribeByLink, unsubscribePage } from "./web/plain-pages.ts";
import { securityTxt } from "./web/security-txt.ts";
import { serveUpload } from "./web/uploads.ts";
import { v1Refusal, v1Route } from "./v1/operation.ts";
import { V1_EVENTS } from "./v1/event-data.ts";
import { V1_OPERATIONS } from "./v1/operations.ts";
import { cancellationOperation, refundOperation } from "./v1/tracking.ts";
import { AFFILIATE_OPERATIONS, ENTRANCES, affiliateRoutes } from "./v2/affiliate/operations.ts";
import { EVENTS } from "./v2/webhook/event-data.ts";
import { openRoute, v2Route, type V2Row } from "./v2/operation.ts";
import { V2_OPERATIONS } from "./v2/operations.ts";
import { OPEN_OPERATIONS } from "./v2/user-operations.ts";
import { field } from "./http/fields.ts";

type Route = [method: Method | "OPTIONS", path: string, handler: EventHandler];

/** Files that the server serves besides the API. */
export interface Pages {
  script: StoredText;
  /** The script's second file, which the first names by its hash. */
  more: StoredText;
  built: BuiltPages;
  /** The script of `/docs`. */
  docsViewer: string;
  hasDemo: boolean;
  /** The token that `/metrics` requires, or null if this address does not serve metrics. */
  metricsToken: string | null;
  /** Where weaknesses of this server are reported, as a URI, or null if nowhere. */
  securityContact: string | null;
}

const NOT_FOUND = new Failure("not_found", "Not found");
const WRONG_METHOD = new Failure("method_not_allowed", "Method not allowed");

/** All files at the root that have no route of their own. */
const OTHER_FILES = "/:file";

const JSON_BODY = { kind: "body", read: readJson, own: v2EventRefusals } as const;

/** Operations of V2 that answer in V1's form, as in the original API. */
const V2_EVENTS: V2Row[] = [
  ["POST", "/api/v2/track/refund", refundOperation(JSON_BODY), "key"],
  ["POST", "/api/v2/track/cancellation", cancellationOperation(JSON_BODY), "key"],
];

/** Every route of the server, in the specification's order. */
export function createApp(
  services: Services,
  { script, more, built, docsViewer, hasDemo, metricsToken, securityContact }: Pages,
) {
  const routes: Route[] = [
    ...V1_OPERATIONS.map(([method, path, operation]): Route => [method, path, v1Route(services, operation)]),
    ...[...V2_OPERATIONS, ...V2_EVENTS].map((row): Route => [row[0], row[1], v2Route(services, row)]),
    ...OPEN_OPERATIONS.map((row): Route => [row[0], row[1], openRoute(services, row[2])]),
    ...affiliateRoutes(services),
    ...PUBLIC_OPERATIONS.map((row): Route => [row[0], row[1], publicRoute(services, row[2])]),
    ...BILLING_PROVIDERS.map((provider): Route => [
      "POST",
      `/hooks/${provider}/:account`,
      hookRoute(services, provider),
    ]),
    ["GET", "/uploads/:file", serveUpload(services)],
    ...PAYMENT_PROVIDERS.map((provider): Route => [
      "POST",
      paymentHookPath(provider, ":account"),
      paymentHookRoute(services, provider),
    ]),
    ["GET", "/unsubscribe", unsubscribePage],
    ["POST", "/unsubscribe", unsubscribeByLink(services)],
    ["GET", "/not-me", notMePage],
    ["POST", "/not-me", holdByLink(services)],
    ["OPTIONS", "/t/click", preflight],
    ["OPTIONS", "/t/signup", preflight],
    ["OPTIONS", "/t/withdraw", preflight],
    ["OPTIONS", "/t/details", preflight],
    ["GET", "/svc.js", serveScript(services, { script, isImmutable: false })],
    ["GET", `/svc.${script.hash}.js`, serveScript(services, { script, isImmutable: true })],
    ["GET", `/svc-more.${more.hash}.js`, serveScript(services, { script: more, isImmutable: true })],
    ["GET", OTHER_FILES, serveOtherScript(services, script)],

    ["GET", "/openapi.json", serveDocument(describedRoutes, { ...services, events: describedEvents() })],
    ["GET", "/docs", docsPage(describedRoutes, services)],
    ["GET", "/docs-page.js", docsScript],
    ["GET", "/docs.js", serveViewer(docsViewer)],
    ...pageRoutes(services, built).map(([path, handler]): Route => ["GET", path, handler]),
    ["POST", "/portal", portalEntrance(services)],
    ["GET", "/", frontDoor(basePath(services.public_url) + (hasDemo ? "/demo" : "/docs"))],
    ["GET", "/healthz", () => json({ status: "ok" })],
    ["GET", "/readyz", readiness(services)],
  ];
  const demo: Route[] = [
    ["GET", "/demo", demoPage(services)],
    ["GET", "/demo.js", demoScript],
    ["GET", "/demo/recorded", demoRecord(services)],
  ];
  const security: Route[] =
    securityContact === null
      ? []
      : [["GET", "/.well-known/security.txt", securityTxt(services, securityContact)]];
  const metrics: Route[] = [["GET", "/metrics", metricsPage(services, metricsToken)]];
  return register(services, [
    ...routes,
    ...security,
    ...(metricsToken === null ? [] : metrics),
    ...(hasDemo ? demo : []),
  ]);
}

/** The routes at the metrics' own address. With a token, they require it. */
export function createMetricsApp(services: Services, metricsToken: string | null): H3 {
  return register(services, [["GET", "/metrics", metricsPage(services, metricsToken)]]);
}

/** The events that `/openapi.json` describes, in both forms. */
export function describedEvents(): DescribedEvents {
  return {
    types: [...EVENTS.types, ...V1_EVENTS.types],
    bodyOf: (type) => V1_EVENTS.bodyOf(type) ?? EVENTS.bodyOf(type),
    meaningOf: (type) => V1_EVENTS.meaningOf(type) ?? EVENTS.meaningOf(type),
  };
}

/** The routes in `/openapi.json`: all that answer JSON. */
export function describedRoutes(): DescribedRoute[] {
  const health = {
    id: "getHealth",
    summary: "Check that the process is alive",
    description: "Shows that the process is alive. It does not check the store.",
    answer: z.object({ status: field(z.string(), "`ok`.", "ok") }),
  };
  const status = z.object({
    status: field(z.string(), "`ready` or `unavailable`.", "ready"),
    warnings: field(
      z.array(z.string()).optional(),
      "Reasons why recorded changes could be lost, or why hosts are not written to, in sentences. Absent: none are known.",
      ["no synchronous standby is connected: every write waits for one"],
    ),
  });
  const ready = {
    id: "getReadiness",
    summary: "Check that the store answers",
    description: "Shows whether the store answers. 503 while it does not.",
    answer: status,
    refusals: ["unavailable" as const],
    bodies: {
      unavailable: status.extend({
        reason: field(
          z.string(),
          "Why it does not answer, in a sentence.",
          "The store does not answer in time",
        ),
      }),
    },
  };
  const of =
    (caller: DescribedRoute["caller"]) =>
    ([method, path, operation, access = caller === "v1" ? "key" : "anyone"]: [
      DescribedRoute["method"],
      string,
      DescribedRoute["operation"],
      DescribedRoute["access"]?,
    ]): DescribedRoute => ({ caller, method, path, operation, access });
  return [
    ...V1_OPERATIONS.map(of("v1")),
    ...[...V2_OPERATIONS, ...V2_EVENTS, ...OPEN_OPERATIONS, ...ENTRANCES].map(of("v2")),
    ...AFFILIATE_OPERATIONS.map((row) => of("v2")([...row, "promoter"])),
    ...PUBLIC_OPERATIONS.map(of("browser")),
    of("operator")(["GET", "/healthz", health]),
    of("operator")(["GET", "/readyz", ready]),
  ];
}

/** Gives each path one router entry. In h3, adding an entry is slower than finding one. */
function register(services: Services, routes: Route[]): H3 {
  const app = new H3({
    silent: true,
    onRequest: pathTidier(
      basePath(services.public_url),
      routes.map(([, path]) => path),
    ),
    // Otherwise a browser could take an uploaded or repeated text for a script.
    onResponse: ({ headers }) => headers.set("x-content-type-options", "nosniff"),
    onError: (error, event) =>
      refusal(services, error.unhandled ? error : new Failure("malformed", "Bad request"))(event),
  });
  const paths = new Map<string, Map<string, EventHandler>>();
  for (const [method, route, handler] of routes) {
    const handlers = paths.get(route) ?? new Map<string, EventHandler>();
    paths.set(route, handlers.set(method, handler));
  }
  for (const [route, handlers] of paths) {
    const others = methodRefusal(services, route, [...handlers.keys()]);
    const handle: EventHandler = (event) =>
      (handlers.get(event.req.method === "HEAD" ? "GET" : event.req.method) ?? others)(event);
    app.all(
      route,
      observed(services, route, (event) => services.store.handleInTime(() => handle(event))),
    );
  }
  app.all("/api/v1/**", observed(services, "none", v1Refusal(services, NOT_FOUND, {})));
  app.all("/**", observed(services, "none", refusal(services, NOT_FOUND)));
  return app;
}

/** Refuses the methods that a path does not support. */
function methodRefusal(services: Services, route: string, methods: string[]): EventHandler {
  if (route === OTHER_FILES) return refusal(services, NOT_FOUND);
  const refuseMethod = route.startsWith("/api/v1/") ? v1Refusal : refusal;
  return refuseMethod(services, WRONG_METHOD, { allow: methods.join(", ") });
}

/** Refuses in the shape of the path's generation. */
function refusal(services: Services, error: unknown, headers: AnswerHeaders = {}): EventHandler {
  return (event) => {
    const generation = /^\/api\/(v2|admin)\b/.test(event.url.pathname) ? "v2" : "v1";
    const shape = generation === "v2" ? v2Error : v1Error;
    return refuse(services, event, { error, generation, shape, headers });
  };
}

/** Redirects from `/` to a page about the server. */
function frontDoor(location: string): EventHandler {
  return () => new FastResponse(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

function readiness({ store }: Services): EventHandler {
  return async () => {
    const { obstacle, warnings } = await loadReadiness(store);
    const reasons = warnings.length > 0 && { warnings };
    if (obstacle !== null)
      return json({ status: "unavailable", reason: obstacle, ...reasons }, { "retry-after": "1" }, 503);
    // A store without its standby still works, so a load balancer must not remove the server.
    return json({ status: "ready", ...reasons });
  };
}
