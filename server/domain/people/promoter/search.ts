import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import {
  among,
  anyOf,
  contains,
  findPage,
  isWithin,
  type Found,
  type Schema,
  type Sort,
  type Window,
} from "../../../storage/query.ts";
import type { Reader, View } from "../../../storage/store.ts";
import type { Suspicion } from "../lead/lead.ts";
import { findCodeOwner } from "../promo-code/promo-code.ts";
import {
  promoterCampaigns,
  findByRefToken,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../promoter-campaign/promoter-campaign.ts";
import { columnOf, dailyQuery, totalsOf, type Metric, type TotalMetric } from "../daily.ts";
import { findRecordId } from "../../program/migration/source-id.ts";
import { isoRange, type Span } from "../../span.ts";
import {
  fieldPattern,
  findPromoterByEmail,
  promoters,
  type InvoiceDetailsStatus,
  type Promoter,
} from "./promoter.ts";

/** A page of the promoters that match a filter. */
export async function findPromoters(
  store: View,
  accountId: number,
  { filter, sorting = [], ...window }: { filter: PromoterFilter; sorting?: PromoterSorting } & Window,
): Promise<Found<Promoter>> {
  const named = filter.text === undefined ? null : await findNamed(store, accountId, filter.text.trim());
  const metrics = sorting.map(({ by }) => by).filter((by) => by !== "joinedAt");
  const query = withTotals(store, accountId, [
    ...metrics,
    ...Object.keys(filter.stats ?? {}),
  ] as TotalMetric[])
    .where("promoters.account_id", "=", accountId)
    .where(conditionsOf(accountId, filter, named));
  return findPage(store, promoters, { query: inOrder(query, sorting), ...window });
}

/** The id of the promoter with this ref token, or with this id in a former program, or null. */
async function findNamed(store: View, accountId: number, text: string): Promise<number | null> {
  const named = await findByRefToken(store, accountId, text);
  return named?.promoter_id ?? findRecordId(store, accountId, { kind: "promoter", source_id: text });
}

/** The promoter with this id in a former program, or null. */
async function findBySourceId(reader: Reader, accountId: number, sourceId: string): Promise<Promoter | null> {
  const id = await findRecordId(reader, accountId, { kind: "promoter", source_id: sourceId });
  return id === null ? null : reader.get(promoters, accountId, id);
}

/** The number of promoter campaigns that wait for a decision. */
export function countPending(store: View, accountId: number): Promise<number> {
  return store.count(promoterCampaigns, "state", accountId, ["pending"]);
}

/** The values that can identify a promoter. */
export const SELECTORS = [
  "id",
  "email",
  "cust_id",
  "auth_token",
  "ref_token",
  "promo_code",
  "source_id",
] as const;
export type Selector = (typeof SELECTORS)[number];

/** Identifies a promoter in a request. `value` may be any text. */
export interface Selection {
  by: Selector;
  value: string;
}

/** Selects a promoter by a known id. */
export function byId(id: number): Selection {
  return { by: "id", value: String(id) };
}

/** A promoter that was found. */
export interface Selected {
  promoter: Promoter;
  /**
   * The promoter campaign whose ref token or code was given, or null if another value identified the
   * promoter.
   */
  promoterCampaign: PromoterCampaign | null;
}

type Find<R> = (reader: Reader, accountId: number, value: string) => Promise<R | null>;

const PROMOTER_CAMPAIGN_BY: Partial<Record<Selector, Find<PromoterCampaign>>> = {
  ref_token: findByRefToken,
  promo_code: findCodeOwner,
};

const PROMOTER_BY: Partial<Record<Selector, Find<Promoter>>> = {
  id: async (reader, accountId, value) =>
    /^\d{1,15}$/.test(value) ? reader.get(promoters, accountId, Number(value)) : null,
  cust_id: (reader, accountId, value) => reader.find(promoters, "cust_id", accountId, [indexed(value)]),
  auth_token: (reader, accountId, value) => reader.find(promoters, "auth_token", accountId, [value]),
  email: findPromoterByEmail,
  source_id: findBySourceId,
};

/** Finds the promoter of a selection. @throws Failure `not_found` */
export async function loadSelected(
  reader: Reader,
  accountId: number,
  { by, value }: Selection,
): Promise<Selected> {
  const text = value.trim();
  const promoterCampaign = (await PROMOTER_CAMPAIGN_BY[by]?.(reader, accountId, text)) ?? null;
  const promoter = promoterCampaign
    ? await reader.get(promoters, accountId, promoterCampaign.promoter_id)
    : await PROMOTER_BY[by]?.(reader, accountId, text);
  if (!promoter) throw new Failure("not_found", "Promoter not found.");
  return { promoter, promoterCampaign };
}

/** A range that includes both ends. Null bounds are open. */
export interface Bounds {
  from: number | null;
  to: number | null;
}

/** The conditions for listed promoters. Absent ones are ignored. */
export interface PromoterFilter {
  /** Part of the e-mail address or name, or a whole ref token or id of a former program. */
  text?: string | undefined;
  ids?: number[] | undefined;
  /** Promoters in any of these campaigns, in the wanted state. `not_set`: in none of them. */
  campaign_ids?: number[] | undefined;
  state?: PromoterCampaignState | "not_set" | undefined;
  parent_promoter_id?: number | undefined;
  isArchived?: boolean | undefined;
  /** Any of these. `no_suspicion`: none at all. */
  suspicions?: Suspicion[] | undefined;
  /** `not_submitted`: the promoter has given no data for invoices. */
  invoiceDetails?: InvoiceDetailsStatus | "not_submitted" | undefined;
  /** Whether the promoter gave a W-8 or W-9 form. */
  hasTaxForm?: boolean | undefined;
  isSubscribedToEmail?: boolean | undefined;
  /** Promoters without an event of the metric since a day, inclusive. */
  inactivity?: { metric: Metric; since: string } | undefined;
  /** In milliseconds. */
  joinedAt?: Bounds | undefined;
  last_login_at?: Bounds | undefined;
  custom_fields?: { key: string; values: string[]; isPartial: boolean }[] | undefined;
  /** Summed over all promoter campaigns. */
  stats?: Partial<Record<TotalMetric, Bounds>> | undefined;
}

/** By the first one, then by the next. Ties are sorted by id. */
export type PromoterSorting = Sort<TotalMetric | "joinedAt">[];

type Condition = RawBuilder<SqlBool>;

/** No suspicion's name is part of another's. */
export function isSuspect(suspicion: Suspicion): Condition {
  if (suspicion === "no_suspicion") return sql`promoters.suspicion_words = ''`;
  return contains("promoters.suspicion_words", suspicion);
}

type PromoterQuery = SelectQueryBuilder<PromoterSchema, "promoters", object>;

type PromoterSchema = Schema<{ promoters: typeof promoters }>;

/** The promoters with their totals of some metrics. */
function withTotals(view: View, accountId: number, metrics: TotalMetric[]): PromoterQuery {
  const query = view.query<PromoterSchema>().selectFrom("promoters");
  if (metrics.length === 0) return query;
  const totals = dailyQuery(view, accountId, "promoter-month")
    .groupBy("daily.subject_id")
    .select("daily.subject_id")
    .select(totalsOf([...new Set(metrics)]))
    .as("totals");
  return query.leftJoin(totals, "totals.subject_id", "promoters.id") as unknown as PromoterQuery;
}

type Wanted = Required<{ [F in keyof PromoterFilter]: NonNullable<PromoterFilter[F]> }>;

const ALL: Condition = sql<SqlBool>`1 = 1`;

/** The condition for each field of a filter, except the text and the state within campaigns. */
const CONDITIONS: {
  [F in Exclude<keyof Wanted, "text" | "state" | "campaign_ids">]: (wanted: Wanted[F]) => Condition;
} = {
  ids: (ids) => among("promoters.id", ids),
  parent_promoter_id: (id) => sql`promoters.parent_promoter_id = ${id}`,
  isArchived: (wanted) => sql`promoters.is_archived = ${Number(wanted)}`,
  suspicions: (wanted) => anyOf(wanted.map(isSuspect)),
  invoiceDetails: (wanted) =>
    wanted === "not_submitted"
      ? sql`promoters.invoice_details_status = 'pending' and not promoters.has_invoice_details`
      : sql`promoters.invoice_details_status = ${wanted}`,
  // Such forms can't be submitted yet, so no promoter has one.
  hasTaxForm: (wanted) => (wanted ? sql`1 = 0` : ALL),
  isSubscribedToEmail: (wanted) => sql`promoters.skip_email_notification = ${Number(!wanted)}`,
  inactivity: ({ metric, since }) => sql`not exists (
    select 1 from daily where daily.account_id = promoters.account_id and daily.series = 'promoter'
    and daily.subject_id = promoters.id and daily.subject_key = '' and daily.day >= ${since}
    group by daily.subject_id having sum(${sql.ref(`daily.${columnOf(metric)}`)}) <> 0)`,
  joinedAt: (range) => isWithin("promoters.created_at", isoRange(spanOf(range))),
  last_login_at: (range) => isWithin("promoters.last_login_at", isoRange(spanOf(range))),
  custom_fields: (wanted) =>
    allOf(
      wanted.map(({ key, values, isPartial }) =>
        anyOf(
          values.map(
            (value) => sql`promoters.custom_words like ${fieldPattern(key, value, isPartial)} escape '\\'`,
          ),
        ),
      ),
    ),
  stats: (ranges) =>
    allOf(
      (Object.keys(ranges) as TotalMetric[]).map((metric) =>
        isWithin(totalOf(metric), spanOf(ranges[metric]!)),
      ),
    ),
};

/** All conditions of a filter. `named` is the promoter whose ref token equals the text. */
function conditionsOf(accountId: number, filter: PromoterFilter, named: number | null): Condition {
  const demands = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).map((field) =>
    demandOf(field, filter),
  );
  return allOf([...demands, isNamed(filter, named), isMember(accountId, filter)]);
}

function demandOf<F extends keyof typeof CONDITIONS>(field: F, filter: PromoterFilter): Condition {
  const wanted = filter[field];
  return wanted === undefined ? ALL : CONDITIONS[field](wanted as Wanted[F]);
}

function allOf(conditions: Condition[]): Condition {
  const demanding = conditions.filter((condition) => condition !== ALL);
  return demanding.length === 0 ? ALL : sql`(${sql.join(demanding, sql` and `)})`;
}

function isNamed({ text }: PromoterFilter, named: number | null): Condition {
  if (text === undefined) return ALL;
  const found = contains("promoters.words", text);
  return named === null ? found : anyOf([found, sql`promoters.id = ${named}`]);
}

function isMember(accountId: number, { campaign_ids, state }: PromoterFilter): Condition {
  if (campaign_ids === undefined && state === undefined) return ALL;
  const within = campaign_ids === undefined ? ALL : among("joined.campaign_id", campaign_ids);
  if (state === "not_set") {
    return sql`not exists (select 1 from promoter_campaigns as joined
      where joined.account_id = promoters.account_id and joined.promoter_id = promoters.id and ${within})`;
  }
  const inState: Condition = state === undefined ? ALL : sql`joined.state = ${state}`;
  // With `exists`, SQLite would scan all rows of a state once for each promoter.
  return sql`promoters.id in (select joined.promoter_id from promoter_campaigns as joined
    where joined.account_id = ${accountId} and ${allOf([within, inState])})`;
}

function inOrder(query: PromoterQuery, sorting: PromoterSorting): PromoterQuery {
  return sorting
    .reduce((sorted, { by, isDescending }) => {
      const direction = isDescending ? "desc" : "asc";
      if (by !== "joinedAt") return sorted.orderBy(totalOf(by), direction);
      // Of those who joined in the same millisecond, the last one has the highest id.
      return sorted.orderBy("promoters.created_at", direction).orderBy("promoters.id", direction);
    }, query)
    .orderBy("promoters.id");
}

/** A promoter's total, in a query that joins the totals. */
function totalOf(metric: TotalMetric): RawBuilder<number> {
  return sql<number>`coalesce(${sql.ref(`totals.${metric}`)}, 0)`;
}

/** The same range as a span of whole numbers. */
function spanOf({ from, to }: Bounds): Span {
  return { from, before: to === null ? null : to + 1 };
}
