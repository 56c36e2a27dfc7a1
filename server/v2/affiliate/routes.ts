import type { EventHandler } from "h3";
import type { Method } from "../../http/operation.ts";
import type { Services } from "../../request/services.ts";
import { affiliateRoute, entranceRoute } from "./operation.ts";
import { AFFILIATE_OPERATIONS, ENTRANCES } from "./operations.ts";

/** Every route of the portal's operations. */
export function affiliateRoutes(services: Services): [Method, path: string, handler: EventHandler][] {
  return [
    ...AFFILIATE_OPERATIONS.map(([method, path, operation]): [Method, string, EventHandler] => [
      method,
      path,
      affiliateRoute(services, operation),
    ]),
    ...ENTRANCES.map(([method, path, operation]): [Method, string, EventHandler] => [
      method,
      path,
      entranceRoute(services, operation),
    ]),
  ];
}
