import { AUDIT_OPERATIONS } from "./audit.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { BILLING_OPERATIONS } from "./billing.ts";
import { HOME_OPERATIONS } from "./home.ts";
import { OTHER_OPERATIONS, V1_OPERATIONS } from "./operations-v1.ts";
import { V2_OPERATIONS } from "./operations-v2.ts";
import { PORTAL_OPERATIONS } from "./operations-portal.ts";
import { REPORT_OPERATIONS } from "./reports.ts";
import { SALE_OPERATIONS } from "./sales.ts";
import { SETTINGS_OPERATIONS } from "./settings.ts";
import { USER_OPERATIONS } from "./users.ts";
import type { Operations } from "./entry.ts";

/** The descriptions of all operations. */
export const OPERATIONS: Operations = {
  ...V1_OPERATIONS,
  ...V2_OPERATIONS,
  ...SALE_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...BILLING_OPERATIONS,
  ...USER_OPERATIONS,
  ...HOME_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...PORTAL_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...OTHER_OPERATIONS,
};

/**
 * The name and the description of an operation, by its route (`GET /api/v1/leads/list`). An operation without
 * an entry is named after its route.
 */
export function findOperation(route: string): { id: string; description?: string; example?: unknown } {
  const found = OPERATIONS[route];
  if (found === undefined) return { id: route.toLowerCase().replace(/[^a-z0-9]+/g, "_") };
  const [id, description, example] = found;
  return { id, description, example };
}

/** What an event of this type means. */
export function findEvent(type: string): string | undefined {
  return EVENT_TYPES[type];
}
