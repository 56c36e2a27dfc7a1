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
import { deleteLead, listLeads, showLead, updateLead } from "./v1/leads.ts";
import { v1Refusal, v1Route, type V1Operation } from "./v1/operation.ts";
import { listPayouts } from "./v1/payouts.ts";
import { createPromoterOperation } from "./v1/promoters.ts";
import { campaignsReport, overviewReport, promotersReport } from "./v1/reports.ts";
import { listRewards } from "./v1/rewards.ts";
import { trackSignup as v1TrackSignup } from "./v1/tracking.ts";
import {
  createCampaignOperation,
  deleteCampaignOperation,
  getCampaignOperation,
  listCampaignsOperation,
  updateCampaignOperation,
} from "./v2/campaigns.ts";
import { v2Route, type V2Operation } from "./v2/operation.ts";
import {
  createPayoutMethodOperation,
  getPayoutMethodOperation,
  listPayoutMethodsOperation,
  removePayoutMethodOperation,
  updatePayoutMethodOperation,
} from "./v2/payout-methods.ts";
import { groupPayoutsOperation, listPayoutsOperation } from "./v2/payouts.ts";
import {
  archivePromoCodeOperation,
  createPromoCodeOperation,
  getPromoCodeOperation,
  listPromoCodesOperation,
  updatePromoCodeOperation,
} from "./v2/promo-codes.ts";
import {
  listPromoterCampaignsOperation,
  searchPromoterCampaignsOperation,
  updatePromoterCampaignOperation,
} from "./v2/promoter-campaigns.ts";
import {
  createRewardOperation,
  hideRewardOperation,
  listRewardsOperation,
  updateRewardOperation,
} from "./v2/rewards.ts";
import { trackSignup as v2TrackSignup } from "./v2/tracking.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
type Route = [method: Method, path: string, handler: EventHandler];

/** Where V2 stands. @see spec "What the service does" */
const COMPANY = "/api/v2/company";

/** Every operation of V1. */
export const V1_OPERATIONS: [Method, path: string, V1Operation][] = [
  ["POST", "/api/v1/promoters/create", createPromoterOperation],
  ["POST", "/api/v1/track/signup", v1TrackSignup],
  ["GET", "/api/v1/leads/list", listLeads],
  ["GET", "/api/v1/leads/show", showLead],
  ["PUT", "/api/v1/leads/update", updateLead],
  ["POST", "/api/v1/leads/update", updateLead],
  ["DELETE", "/api/v1/leads/delete", deleteLead],
  ["GET", "/api/v1/rewards/list", listRewards],
  ["GET", "/api/v1/payouts/list", listPayouts],
  ["GET", "/api/v1/reports/overview", overviewReport],
  ["GET", "/api/v1/reports/campaigns", campaignsReport],
  ["GET", "/api/v1/reports/promoters", promotersReport],
];

/** Every operation of V2. */
export const V2_OPERATIONS: [Method, path: string, V2Operation][] = [
  ["GET", `${COMPANY}/payouts`, listPayoutsOperation],
  ["GET", `${COMPANY}/payouts/group_by_promoters`, groupPayoutsOperation],
  ["GET", `${COMPANY}/payout_methods`, listPayoutMethodsOperation],
  ["POST", `${COMPANY}/payout_methods`, createPayoutMethodOperation],
  ["GET", `${COMPANY}/payout_methods/:id`, getPayoutMethodOperation],
  ["PUT", `${COMPANY}/payout_methods/:id`, updatePayoutMethodOperation],
  ["PATCH", `${COMPANY}/payout_methods/:id`, updatePayoutMethodOperation],
  ["DELETE", `${COMPANY}/payout_methods/:id`, removePayoutMethodOperation],

  ["POST", "/api/v2/track/signup", v2TrackSignup],

  ["GET", "/api/v2/company/promoter_campaigns", listPromoterCampaignsOperation],
  ["GET", "/api/v2/company/promoter_campaigns/search", searchPromoterCampaignsOperation],
  ["PUT", "/api/v2/company/promoter_campaigns/:id", updatePromoterCampaignOperation],
  ["PATCH", "/api/v2/company/promoter_campaigns/:id", updatePromoterCampaignOperation],

  ["GET", "/api/v2/company/promo_codes", listPromoCodesOperation],
  ["POST", "/api/v2/company/promo_codes", createPromoCodeOperation],
  ["GET", "/api/v2/company/promo_codes/:id", getPromoCodeOperation],
  ["PUT", "/api/v2/company/promo_codes/:id", updatePromoCodeOperation],
  ["PATCH", "/api/v2/company/promo_codes/:id", updatePromoCodeOperation],
  ["DELETE", "/api/v2/company/promo_codes/:id", archivePromoCodeOperation],

  ["GET", "/api/v2/company/campaigns", listCampaignsOperation],
  ["POST", "/api/v2/company/campaigns", createCampaignOperation],
  ["GET", "/api/v2/company/campaigns/:id", getCampaignOperation],
  ["PUT", "/api/v2/company/campaigns/:id", updateCampaignOperation],
  ["PATCH", "/api/v2/company/campaigns/:id", updateCampaignOperation],
  ["DELETE", "/api/v2/company/campaigns/:id", deleteCampaignOperation],

  ["GET", "/api/v2/company/rewards", listRewardsOperation],
  ["POST", "/api/v2/company/rewards", createRewardOperation],
  ["PUT", "/api/v2/company/rewards/:id", updateRewardOperation],
  ["PATCH", "/api/v2/company/rewards/:id", updateRewardOperation],
  ["POST", "/api/v2/company/rewards/:id/hide", hideRewardOperation],
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
    const refuseMethod = path.startsWith("/api/v1/") ? v1Refusal : refusal;
    app.all(path, refuseMethod(services, wrongMethod, { allow: allowed.join(", ") }));
  }
  const notFound = new Failure("not_found", "Not found");
  app.all("/api/v1/**", v1Refusal(services, notFound, {}));
  app.all("/**", refusal(services, notFound));
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
