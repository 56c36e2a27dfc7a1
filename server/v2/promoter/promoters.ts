import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { dayOf } from "../../domain/program/account/time-zone.ts";
import type { H3Event } from "h3";
import {
  countPending,
  findPromoters,
  loadSelected,
  type Bounds,
  type PromoterFilter,
  type PromoterSorting,
  type Selection,
  SELECTORS,
} from "../../domain/people/promoter/search.ts";
import { flag, direction, id, instant, listOf, oneOf, text } from "../../input/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing, pageParams, sortsOf } from "../../resource/listing.ts";
import { promoterAnswer, showPromoter, showPromoters } from "./promoter-json.ts";
import { field } from "../../http/fields.ts";
import type { TotalMetric } from "../../domain/people/daily.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { PROMOTER_CAMPAIGN_STATES } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { readPathSegment } from "../../http/path.ts";
import { DAY_MS } from "../../domain/span.ts";

/** The attributes that the path's value may be matched against. @see docs/spec/v2.md "find_by" */
export const findBy = field(
  oneOf(SELECTORS),
  "Which attribute the id in the path is matched against. `source_id`: the id in the program that the company came from. Default: `id`.",
);

const showParams = z
  .object({
    find_by: findBy,
    exclude_payout_method: field(flag, "`true` leaves out `selected_payout_method`."),
    include_parent_promoter: field(flag, "`true` shows `parent_promoter`."),
  })
  .partial();

/** The states of invoice details by the domain's names. */
const INVOICE_DETAILS = {
  approved: "approved",
  pending: "pending",
  denied: "denied",
  rejected: "denied",
  not_submitted: "not_submitted",
} as const;
const ACTIVITIES = ["referral", "customer", "click", "sale"] as const;

const count = z
  .string("is invalid")
  .trim()
  .regex(/^\d{1,15}$/, "is invalid")
  .transform(Number)
  .meta({ documentedAs: { type: "integer", minimum: 0 } });
const cents = z
  .object(
    {
      from: field(count, "At least this much, in cents.", 1000),
      to: field(count, "At most this much, in cents.", 100_000),
    },
    "is invalid",
  )
  .partial();
const counts = z
  .object(
    { from: field(count, "At least this many.", 1), to: field(count, "At most this many.", 100) },
    "is invalid",
  )
  .partial();
/** The last instant of a range. A day is included as a whole. */
const lastInstant = field(
  z
    .string("is invalid")
    .trim()
    .transform((value) => (/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59.999Z` : value))
    .pipe(instant),
  "Until this moment, or the end of this day.",
  "2026-03-01",
);
const instants = z
  .object(
    { from: field(instant, "From this day or moment on.", "2026-03-01"), to: lastInstant },
    "is invalid",
  )
  .partial();
const customField = z.object(
  {
    key: field(text, "The key. It is shown only once.", "tdm_q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga"),
    operator: field(
      oneOf(["exact", "partial"]),
      "`exact`: the whole value is the same. `partial`: it contains the text.",
    ),
    value: field(listOf(text), "Values to look for. One must match.", ["pro"]),
  },
  "is invalid",
);

/** `any` is an addition. Without the filter, archived promoters are left out. */
const archivedOrNot = field(
  z.union([z.literal("any"), flag], "is invalid").meta({ documentedAs: { enum: [true, false, "any"] } }),
  "`true`: archived records. `false`: those in use. `any`: both.",
);

const filters = z
  .object(
    {
      revenue_amount: field(cents, "Sum of the sales, in cents."),
      customers_count: field(counts, "How many of them became customers."),
      referrals_count: field(counts, "How many people signed up."),
      clicks_count: field(counts, "How many visitors followed the link."),
      joined_at: field(instants, "When the promoter joined."),
      last_login_at: field(instants, promoterAnswer.schema.shape.last_login_at),
      campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      state: field(
        oneOf([...PROMOTER_CAMPAIGN_STATES, "not_set"]),
        "Only records in this state. `not_set`: in no campaign.",
      ),
      parent_promoter_id: field(id, "Id of the promoter who recruited this one.", 12),
      archived: archivedOrNot,
      has_wform: field(flag, "Whether they have uploaded a tax form."),
      subscribed_to_email: field(flag, "Whether they still want e-mails."),
      inactivity: field(
        z.object(
          {
            metric: field(oneOf(ACTIVITIES), "The activity that is missing."),
            days: field(count, "For how many days.", 30),
          },
          "is invalid",
        ),
        "Only promoters without a certain activity for a while.",
      ),
      custom_field1: field(customField, "A custom field that promoters must have."),
      custom_field2: field(customField, "A second custom field that promoters must have."),
      fraud_suspicions: field(
        listOf(oneOf([...FRAUD_SUSPICIONS, "no_suspicion"])),
        "Promoters with any of these suspicions. `no_suspicion`: those with none.",
      ),
      invoice_details_status: field(
        oneOf(Object.keys(INVOICE_DETAILS) as (keyof typeof INVOICE_DETAILS)[]),
        "Only promoters with this status. `rejected` is the same as `denied`.",
      ),
    },
    "is invalid",
  )
  .partial();

/** The query of the list of promoters. */
const listParams = z
  .object({
    q: field(text, "Text to search for in names and e-mail addresses.", "jane"),
    ids: field(listOf(id), "Ids of the records.", [17, 18]),
    filters: field(filters, "Only records that match."),
    sorting: field(
      z
        .object(
          {
            clicks_count: field(direction, "By the number of visitors."),
            referrals_count: field(direction, "By the number of leads."),
            customers_count: field(direction, "By the number of customers."),
            revenue_amount: field(direction, "By the sum of the sales."),
            joined_at: field(direction, "By the day they joined."),
          },
          "is invalid",
        )
        .partial(),
      "Order of the records. Of several, the first counts most.",
    ),
    ...pageParams.shape,
  })
  .partial();

export const listPromotersOperation: V2Operation = {
  id: "listPromoters",
  summary: "List promoters",
  description:
    "Lists promoters, with filters and sorting. Archived ones are left out unless you ask for them.",
  params: listParams,
  answer: z.object({
    data: field(z.array(promoterAnswer.schema), "The records."),
    meta: field(
      z.object({ pending_count: field(z.int(), "How many promoters wait for approval.", 3) }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** The promoter's id, or another attribute, in the path. */
export const pathId = field(z.string(), "The promoter's id, or the attribute that `find_by` names.", "17");

/** @see docs/spec/v2.md "Promoter details" */
export const showPromoterOperation: V2Operation = {
  id: "getPromoter",
  summary: "Get a promoter's details",
  description: "Finds one promoter: by id, or by the attribute that `find_by` names.",
  pathId,
  params: showParams,
  answer: promoterAnswer.schema,
  refusals: ["not_found", "invalid"],
  handle: show,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { store, now } = context;
  const { params, query, page, window } = readListing(request, listParams);
  const found = await findPromoters(store, account.id, {
    filter: promoterFilter(params, account, now),
    sorting: promoterSorting(params, query),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  const data = await showPromoters(request, store, found.records);
  return { data, meta: { pending_count: await countPending(store, account.id) } };
}

async function show(request: V2Request) {
  const { event, account, context } = request;
  const params = shapeInput(showParams, readQuery(event));
  const selection = readSelection(event, params.find_by);
  const { promoter } = await loadSelected(context.store, account.id, selection);
  return showPromoter(request, context.store, promoter, {
    withPayoutMethod: !(params.exclude_payout_method ?? false),
    withParent: params.include_parent_promoter ?? false,
  });
}
const METRICS: [name: string, metric: TotalMetric][] = [
  ["revenue_amount", "sales_cents"],
  ["customers_count", "customers"],
  ["referrals_count", "referrals"],
  ["clicks_count", "clicks"],
];
const SORT_NAMES = { ...Object.fromEntries(METRICS), joined_at: "joinedAt" } as const;

/**
 * The filter by the domain's names. Archived promoters are listed only if the filter or an id asks for them.
 */
function promoterFilter(
  { q, ids, filters = {} }: z.output<typeof listParams>,
  account: Account,
  now: Date,
): PromoterFilter {
  const { archived, invoice_details_status: invoiceDetails } = filters;
  return {
    text: q?.trim(),
    ids,
    campaign_ids: filters.campaign_id,
    state: filters.state,
    parent_promoter_id: filters.parent_promoter_id,
    isArchived: archived === "any" ? undefined : (archived ?? (ids === undefined ? false : undefined)),
    suspicions: filters.fraud_suspicions,
    invoiceDetails: invoiceDetails && INVOICE_DETAILS[invoiceDetails],
    hasTaxForm: filters.has_wform,
    isSubscribedToEmail: filters.subscribed_to_email,
    inactivity: filters.inactivity && inactivity(filters.inactivity, account, now),
    joinedAt: instantRange(filters.joined_at),
    last_login_at: instantRange(filters.last_login_at),
    custom_fields: [filters.custom_field1, filters.custom_field2]
      .filter((field) => field !== undefined)
      .map(({ key, value, operator }) => ({ key, values: value, isPartial: operator === "partial" })),
    stats: statRanges(filters),
  };
}

/** The sort orders by the domain's names. */
function promoterSorting({ sorting = {} }: z.output<typeof listParams>, query: Query): PromoterSorting {
  return sortsOf(sorting, query, SORT_NAMES);
}

function inactivity(
  { metric, days }: { metric: (typeof ACTIVITIES)[number]; days: number },
  account: Account,
  now: Date,
): NonNullable<PromoterFilter["inactivity"]> {
  const since = dayOf(account, new Date(Math.max(0, now.getTime() - days * DAY_MS)));
  return { metric: `${metric}s`, since };
}

function instantRange(given: z.output<typeof instants> | undefined): Bounds | undefined {
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

/** The promoter that the path names. */
export function readSelection(event: H3Event, by: z.output<typeof findBy> = "id"): Selection {
  return { by, value: readPathSegment(event, "id") };
}
