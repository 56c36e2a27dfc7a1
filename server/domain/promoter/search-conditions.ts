import type { InvoiceDetailsStatus, Promoter } from "./record.ts";
import type { PromoterCampaignState } from "../promoter-campaign/record.ts";
import type { Suspicion } from "../lead/record.ts";
import type { Metric, TotalMetric } from "../report/counters.ts";
import type { Sort } from "../../storage/listing/filter-search.ts";

/** A range that includes both ends. null: open. */
export interface Range {
  from: number | null;
  to: number | null;
}

/** The conditions for listed promoters, and their order. null: does not matter. */
export interface PromoterQuery {
  /** Part of the e-mail address or name, or a whole ref token. */
  text: string | null;
  ids: number[] | null;
  campaignIds: number[] | null;
  /** `not_set`: in no campaign. */
  state: PromoterCampaignState | "not_set" | null;
  parentPromoterId: number | null;
  isArchived: boolean | null;
  /** Any of these. `no_suspicion`: none at all. */
  suspicions: Suspicion[] | null;
  /** `not_submitted`: the promoter gave nothing that an invoice could show. */
  invoiceDetails: InvoiceDetailsStatus | "not_submitted" | null;
  /** Whether the promoter gave a W-8 or W-9 form. */
  hasTaxForm: boolean | null;
  isSubscribedToEmail: boolean | null;
  /** Promoters without such a fact since a day, that day included. */
  inactivity: { metric: Metric; since: string } | null;
  /** In milliseconds. */
  joinedAt: Range | null;
  lastLoginAt: Range | null;
  customFields: { key: string; values: string[]; isPartial: boolean }[];
  /** Summed over all promoter campaigns. */
  stats: Partial<Record<TotalMetric, Range>>;
  /** The first one decides, then the next. Ties are sorted by id. */
  sorting: Sort<TotalMetric | "joinedAt">[];
}

/** A query that every promoter of an account passes. */
export const ALL_PROMOTERS: PromoterQuery = {
  text: null,
  ids: null,
  campaignIds: null,
  state: null,
  parentPromoterId: null,
  isArchived: null,
  suspicions: null,
  invoiceDetails: null,
  hasTaxForm: null,
  isSubscribedToEmail: null,
  inactivity: null,
  joinedAt: null,
  lastLoginAt: null,
  customFields: [],
  stats: {},
  sorting: [],
};

type Condition = (query: PromoterQuery, promoter: Promoter) => boolean;

/** The conditions on the promoter's own record. */
const CONDITIONS: Condition[] = [
  ({ ids }, { id }) => ids === null || ids.includes(id),
  ({ parentPromoterId: parent }, promoter) => parent === null || promoter.parentPromoterId === parent,
  ({ isArchived }, { archivedAt }) => isArchived === null || isArchived === (archivedAt !== null),
  ({ suspicions }, { fraudSuspicions }) => suspicions === null || isSuspect(suspicions, fraudSuspicions),
  ({ invoiceDetails }, promoter) => invoiceDetails === null || hasInvoiceDetails(invoiceDetails, promoter),
  // Nothing takes such a form yet, so no promoter has one.
  ({ hasTaxForm }) => hasTaxForm !== true,
  ({ isSubscribedToEmail: wanted }, promoter) =>
    wanted === null || wanted === !promoter.skipEmailNotification,
  ({ joinedAt }, { createdAt }) => joinedAt === null || isWithin(joinedAt, Date.parse(createdAt)),
  ({ lastLoginAt: range }, { lastLoginAt }) =>
    range === null || (lastLoginAt !== null && isWithin(range, Date.parse(lastLoginAt))),
  ({ customFields }, promoter) => customFields.every((wanted) => hasCustomField(wanted, promoter)),
];

/** Whether a promoter's own record passes a query. */
export function meetsConditions(query: PromoterQuery, promoter: Promoter): boolean {
  return CONDITIONS.every((condition) => condition(query, promoter));
}

/** Whether a value lies in a range. */
export function isWithin({ from, to }: Range, value: number): boolean {
  return (from === null || value >= from) && (to === null || value <= to);
}

function isSuspect(wanted: Suspicion[], suspicions: Suspicion[]): boolean {
  const held = suspicions.length === 0 ? ["no_suspicion"] : suspicions;
  return wanted.some((suspicion) => held.includes(suspicion));
}

function hasInvoiceDetails(wanted: PromoterQuery["invoiceDetails"], promoter: Promoter): boolean {
  const { companyName, companyNumber, vatId } = promoter.profile;
  if (wanted !== "not_submitted") return promoter.invoiceDetailsStatus === wanted;
  return promoter.invoiceDetailsStatus === "pending" && !companyName && !companyNumber && !vatId;
}

function hasCustomField(
  { key, values, isPartial }: PromoterQuery["customFields"][number],
  { customFields }: Promoter,
): boolean {
  const held = customFields && Object.hasOwn(customFields, key) ? [customFields[key]].flat() : [];
  const texts = held.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
  return values
    .map((value) => value.toLowerCase())
    .some((value) =>
      texts.some((text) => (isPartial ? text.toLowerCase().includes(value) : text.toLowerCase() === value)),
    );
}
