import { H3, type EventHandler } from "h3";
import { Failure } from "./failure.ts";
import { json } from "./http/answer.ts";
import { preflight } from "./http/cors.ts";
import { signupError, v1Error, v2Error } from "./http/errors.ts";
import { refuse } from "./refusal.ts";
import type { Services } from "./services.ts";
import { trackClick } from "./track/click.ts";
import { demoPage, demoRecord, demoScript } from "./track/demo.ts";
import { trackDetails } from "./track/details.ts";
import { publicRoute } from "./track/public-route.ts";
import { serveScript, type Script } from "./track/script.ts";
import { publicSignup } from "./track/signup.ts";
import { v1Route, type V1Operation } from "./v1/operation.ts";
import {
  addToCampaignOperation,
  deletePromoterOperation,
  moveToCampaignOperation,
  refreshTokenOperation,
} from "./v1/promoter-actions.ts";
import { listPromotersOperation, showPromoterOperation } from "./v1/promoter-list.ts";
import { updatePromoterOperation } from "./v1/promoter-update.ts";
import { createPromoterOperation } from "./v1/promoters.ts";
import { trackSignup as v1TrackSignup } from "./v1/tracking.ts";
import { batchProgressOperation, listBatchesOperation, showBatchOperation } from "./v2/batch-processes.ts";
import { v2Route, type V2Operation } from "./v2/operation.ts";
import { PROMOTER_BATCHES } from "./v2/promoter-batches.ts";
import {
  createPromoterOperation as v2CreatePromoter,
  updatePromoterOperation as v2UpdatePromoter,
} from "./v2/promoter-changes.ts";
import {
  listPromotersOperation as v2ListPromoters,
  showPromoterOperation as v2ShowPromoter,
} from "./v2/promoters.ts";
import { trackSignup as v2TrackSignup } from "./v2/tracking.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
type Route = [method: Method, path: string, handler: EventHandler];

/** Every operation of V1. */
export const V1_OPERATIONS: [Method, path: string, V1Operation][] = [
  ["POST", "/api/v1/promoters/create", createPromoterOperation],
  ["PUT", "/api/v1/promoters/update", updatePromoterOperation],
  ["POST", "/api/v1/promoters/update", updatePromoterOperation],
  ["GET", "/api/v1/promoters/show", showPromoterOperation],
  ["GET", "/api/v1/promoters/list", listPromotersOperation],
  ["DELETE", "/api/v1/promoters/delete", deletePromoterOperation],
  ["PUT", "/api/v1/promoters/refresh_token", refreshTokenOperation],
  ["POST", "/api/v1/promoters/refresh_token", refreshTokenOperation],
  ["POST", "/api/v1/promoters/move_to_campaign", moveToCampaignOperation],
  ["POST", "/api/v1/promoters/add_to_campaign", addToCampaignOperation],
  ["POST", "/api/v1/track/signup", v1TrackSignup],
];

/** Every operation of V2. */
export const V2_OPERATIONS: [Method, path: string, V2Operation][] = [
  ["POST", "/api/v2/track/signup", v2TrackSignup],
  ["GET", "/api/v2/company/promoters", v2ListPromoters],
  ["POST", "/api/v2/company/promoters", v2CreatePromoter],
  ["GET", "/api/v2/company/promoters/:id", v2ShowPromoter],
  ["PUT", "/api/v2/company/promoters/:id", v2UpdatePromoter],
  ["PATCH", "/api/v2/company/promoters/:id", v2UpdatePromoter],
  ...Object.entries(PROMOTER_BATCHES).map(([name, operation]): [Method, string, V2Operation] => [
    "POST",
    `/api/v2/company/promoters/${name}`,
    operation,
  ]),
  ["GET", "/api/v2/company/batch_processes", listBatchesOperation],
  ["GET", "/api/v2/company/batch_processes/progress", batchProgressOperation],
  ["GET", "/api/v2/company/batch_processes/:id", showBatchOperation],
];

/** What the server serves besides the interface. */
export interface Pages {
  script: Script;
  hasDemo: boolean;
}

/** Every route of the server, in the specification's order. */
export function createApp(services: Services, { script, hasDemo }: Pages): H3 {
  const routes: Route[] = [
    ...V1_OPERATIONS.map(([method, path, operation]): Route => [method, path, v1Route(services, operation)]),
    ...V2_OPERATIONS.map(([method, path, operation]): Route => [method, path, v2Route(services, operation)]),

    ["POST", "/t/click", publicRoute(services, trackClick)],
    [
      "POST",
      "/t/signup",
      publicRoute(services, publicSignup(services.limits.publicSignups), signupError(v1Error)),
    ],
    ["GET", "/t/details", publicRoute(services, trackDetails)],
    ["POST", "/t/details", publicRoute(services, trackDetails)],
    ["OPTIONS", "/t/click", preflight],
    ["OPTIONS", "/t/signup", preflight],
    ["OPTIONS", "/t/details", preflight],
    ["GET", "/svc.js", serveScript(script, { isImmutable: false })],
    ["GET", `/svc.${script.hash}.js`, serveScript(script, { isImmutable: true })],

    ["GET", "/healthz", () => json({ status: "ok" })],
    ["GET", "/readyz", readiness(services)],
  ];
  const demo: Route[] = [
    ["GET", "/demo", demoPage(services)],
    ["GET", "/demo.js", demoScript],
    ["GET", "/demo/recorded", demoRecord(services)],
  ];
  return register(services, hasDemo ? [...routes, ...demo] : routes);
}

function register(services: Services, routes: Route[]): H3 {
  const app = new H3({
    silent: true,
    onError: (error, event) =>
      refusal(services, error.unhandled ? error : new Failure("malformed", "Bad request"))(event),
  });
  const methods = new Map<string, string[]>();
  for (const [method, route, handler] of routes) {
    // Clients of V1 may end a path with `.json`.
    for (const path of route.startsWith("/api/v1/") ? [route, `${route}.json`] : [route]) {
      app.on(method, path, handler);
      if (method === "GET") app.on("HEAD", path, handler);
      methods.set(path, [...(methods.get(path) ?? []), method]);
    }
  }
  for (const [path, allowed] of methods) {
    const wrongMethod = new Failure("method_not_allowed", "Method not allowed");
    app.all(path, refusal(services, wrongMethod, { allow: allowed.join(", ") }));
  }
  app.all("/**", refusal(services, new Failure("not_found", "Not found")));
  return app;
}

/** Refuses in the shape of the generation that the path belongs to. */
function refusal(
  services: Services,
  error: unknown,
  headers: Record<string, string> = {},
): (event: Parameters<EventHandler>[0]) => Response {
  return (event) => {
    const generation = event.url.pathname.startsWith("/api/v2") ? "v2" : "v1";
    const shape = generation === "v2" ? v2Error : v1Error;
    return refuse(services, event, error, { generation, shape, headers });
  };
}

function readiness({ store }: Services): EventHandler {
  return async () => {
    const isReady = await store.isReady();
    return json({ status: isReady ? "ready" : "unavailable" }, {}, isReady ? 200 : 503);
  };
}
