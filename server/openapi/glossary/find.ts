import { AUDIT_FIELDS, AUDIT_OPERATIONS } from "./audit.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { BILLING_FIELDS, BILLING_OPERATIONS } from "./billing.ts";
import { CAMPAIGN_FIELDS } from "./campaigns.ts";
import { COMMISSION_FIELDS } from "./commissions.ts";
import { EVENT_FIELDS } from "./events.ts";
import { HOME_FIELDS, HOME_OPERATIONS } from "./home.ts";
import { LIST_FIELDS } from "./lists.ts";
import { MONEY_FIELDS } from "./money.ts";
import { OTHER_OPERATIONS, V1_OPERATIONS } from "./operations-v1.ts";
import { V2_OPERATIONS } from "./operations-v2.ts";
import { PAYMENT_FIELDS } from "./payments.ts";
import { PEOPLE_FIELDS } from "./people.ts";
import { PORTAL_OPERATIONS } from "./operations-portal.ts";
import { PORTAL_FIELDS } from "./portal.ts";
import { REFERRAL_FIELDS } from "./referrals.ts";
import { REPORT_FIELDS, REPORT_OPERATIONS } from "./reports.ts";
import { SALE_FIELDS, SALE_OPERATIONS } from "./sales.ts";
import { SETTINGS_FIELDS, SETTINGS_OPERATIONS } from "./settings.ts";
import { TRACKING_FIELDS } from "./tracking.ts";
import { USER_FIELDS, USER_OPERATIONS } from "./users.ts";
import type { Fields, Operations } from "./entry.ts";

/** The descriptions of all fields. */
export const FIELDS: Fields = {
  ...LIST_FIELDS,
  ...PEOPLE_FIELDS,
  ...CAMPAIGN_FIELDS,
  ...TRACKING_FIELDS,
  ...MONEY_FIELDS,
  ...PAYMENT_FIELDS,
  ...COMMISSION_FIELDS,
  ...REFERRAL_FIELDS,
  ...SALE_FIELDS,
  ...REPORT_FIELDS,
  ...EVENT_FIELDS,
  ...BILLING_FIELDS,
  ...USER_FIELDS,
  ...HOME_FIELDS,
  ...AUDIT_FIELDS,
  ...PORTAL_FIELDS,
  ...SETTINGS_FIELDS,
};
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
 * The description of a field: under the nearest owner that it names, or under the field's name alone.
 */
export function findField(name: string, owners: string[]): { description?: string; example?: unknown } {
  const keys = [...owners.map((owner) => `${owner}.${name}`), name];
  const found = keys.map((key) => FIELDS[key]).find((entry) => entry !== undefined);
  if (found === undefined) return {};
  if (typeof found === "string") return { description: found };
  return { description: found[0], example: found[1] };
}

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
