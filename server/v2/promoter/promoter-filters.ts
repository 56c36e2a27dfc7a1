import { z } from "zod";
import type { PromoterFilter, PromoterSorting, Range } from "../../domain/promoter/search.ts";
import type { TotalMetric } from "../../domain/report/daily.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { direction, flag, id, instant, listOf, oneOf, text } from "../../input/fields.ts";
import { FRAUD_SUSPICIONS } from "../../domain/lead/lead.ts";
import { PROMOTER_CAMPAIGN_STATES } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { pageParams } from "../page-params.ts";
import { sortsOf } from "../sorting.ts";

/** The domain's words for the filter's states of invoice details. */
const INVOICE_DETAILS = {
  approved: "approved",
  pending: "pending",
  denied: "denied",
  rejected: "denied",
  not_submitted: "not_submitted",
} as const;
const METRICS: [name: string, metric: TotalMetric][] = [
  ["revenue_amount", "salesCents"],
  ["customers_count", "customers"],
  ["referrals_count", "referrals"],
  ["clicks_count", "clicks"],
];
const ACTIVITIES = ["referral", "customer", "click", "sale"] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
const SORT_NAMES = { ...Object.fromEntries(METRICS), joined_at: "joinedAt" } as const;

const count = z
  .string("is invalid")
  .trim()
  .regex(/^\d{1,15}$/, "is invalid")
  .transform(Number)
  .meta({ documentedAs: { type: "integer", minimum: 0 } });
const counts = z.object({ from: count, to: count }, "is invalid").partial();
/** The last instant of a range. A day includes all of its hours. */
const lastInstant = z
  .string("is invalid")
  .trim()
  .transform((value) => (/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59.999Z` : value))
  .pipe(instant);
const instants = z.object({ from: instant, to: lastInstant }, "is invalid").partial();
const customField = z.object(
  { key: text, operator: oneOf(["exact", "partial"]), value: listOf(text) },
  "is invalid",
);

/** Choice: `any` goes beyond the documentation, because an absent filter leaves archived promoters out. */
const archivedOrNot = z
  .union([z.literal("any"), flag], "is invalid")
  .meta({ documentedAs: { enum: [true, false, "any"] } });

const filters = z
  .object(
    {
      revenue_amount: counts,
      customers_count: counts,
      referrals_count: counts,
      clicks_count: counts,
      joined_at: instants,
      last_login_at: instants,
      campaign_id: listOf(id),
      state: oneOf([...PROMOTER_CAMPAIGN_STATES, "not_set"]),
      parent_promoter_id: id,
      archived: archivedOrNot,
      has_wform: flag,
      subscribed_to_email: flag,
      inactivity: z.object({ metric: oneOf(ACTIVITIES), days: count }, "is invalid"),
      custom_field1: customField,
      custom_field2: customField,
      fraud_suspicions: listOf(oneOf([...FRAUD_SUSPICIONS, "no_suspicion"])),
      invoice_details_status: oneOf(Object.keys(INVOICE_DETAILS) as (keyof typeof INVOICE_DETAILS)[]),
    },
    "is invalid",
  )
  .partial();

/** The query of the list of promoters. */
export const listParams = z
  .object({
    q: text,
    ids: listOf(id),
    filters,
    sorting: z
      .object(
        {
          clicks_count: direction,
          referrals_count: direction,
          customers_count: direction,
          revenue_amount: direction,
          joined_at: direction,
        },
        "is invalid",
      )
      .partial(),
    ...pageParams.shape,
  })
  .partial();

/**
 * The promoters that a request asks for. Choice: archived promoters are shown only if the filter or an id
 * asks for them.
 */
export function promoterFilter(
  { q, ids, filters = {} }: z.output<typeof listParams>,
  now: Date,
): PromoterFilter {
  const { archived, invoice_details_status: invoiceDetails } = filters;
  return {
    text: q?.trim(),
    ids,
    campaignIds: filters.campaign_id,
    state: filters.state,
    parentPromoterId: filters.parent_promoter_id,
    isArchived: archived === "any" ? undefined : (archived ?? (ids === undefined ? false : undefined)),
    suspicions: filters.fraud_suspicions,
    invoiceDetails: invoiceDetails && INVOICE_DETAILS[invoiceDetails],
    hasTaxForm: filters.has_wform,
    isSubscribedToEmail: filters.subscribed_to_email,
    inactivity: filters.inactivity && inactivity(filters.inactivity, now),
    joinedAt: instantRange(filters.joined_at),
    lastLoginAt: instantRange(filters.last_login_at),
    customFields: [filters.custom_field1, filters.custom_field2]
      .filter((field) => field !== undefined)
      .map(({ key, value, operator }) => ({ key, values: value, isPartial: operator === "partial" })),
    stats: statRanges(filters),
  };
}

/** The order that a request asks for. */
export function promoterSorting(
  { sorting = {} }: z.output<typeof listParams>,
  query: Query,
): PromoterSorting {
  return sortsOf(sorting, query, SORT_NAMES);
}

function inactivity(
  { metric, days }: { metric: (typeof ACTIVITIES)[number]; days: number },
  now: Date,
): NonNullable<PromoterFilter["inactivity"]> {
  const since = new Date(Math.max(0, now.getTime() - days * DAY_MS)).toISOString().slice(0, 10);
  return { metric: `${metric}s`, since };
}

function instantRange(given: z.output<typeof instants> | undefined): Range | undefined {
  if (given === undefined) return undefined;
  return { from: given.from?.getTime() ?? null, to: given.to?.getTime() ?? null };
}

function statRanges(given: z.output<typeof filters>): NonNullable<PromoterFilter["stats"]> {
  const ranges: PromoterFilter["stats"] = {};
  for (const [name, metric] of METRICS) {
    const range = given[name as keyof typeof given] as z.output<typeof counts> | undefined;
    if (range !== undefined) ranges[metric] = { from: range.from ?? null, to: range.to ?? null };
  }
  return ranges;
}
