import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import {
  allOf,
  among,
  contains,
  filtered,
  findIds,
  findInOrder,
  isWithin,
  type Conditions,
  type Found,
  type Schema,
  type Sort,
  type Window,
} from "../../../storage/query.ts";
import type { Reader, View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { campaigns, type Campaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import { leads, type Lead, type Suspicion } from "../../people/lead/lead.ts";
import type { Unit } from "../../money.ts";
import { isDue, type DuePeriod } from "../payout/search.ts";
import { payouts, type Payout } from "../payout/payout.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { isoRange, type Span } from "../../span.ts";
import { commissions, type Commission, type CommissionStatus } from "./commission.ts";

const COLUMNS = {
  id: "commissions.id",
  saleAmount: "commissions.sale_cents",
  amount: "commissions.amount",
  created_at: "commissions.created_at",
  lead: "commissions.sorted_lead_id",
} as const;

/**
 * The field that commissions are sorted by, and the direction. Leads are sorted by id, the order in which
 * they came, because their e-mail addresses change.
 */
export type CommissionSort = Sort<keyof typeof COLUMNS>;

/** A commission with the related records that are shown. Null: it has none, or it was deleted. */
export interface CommissionParts {
  commission: Commission;
  promoterCampaign: PromoterCampaign | null;
  promoter: Promoter | null;
  campaign: Campaign | null;
  lead: Lead | null;
  payout: Payout | null;
}

interface CommissionRequest extends Window {
  filter: CommissionFilter;
  /** By the first one, then by the next. Ties are sorted by id, in the direction of the first. */
  sorting: CommissionSort[];
}

/** A page of the commissions that match a filter, by default sorted by id. */
export async function listCommissions(
  context: Pick<Context, "store" | "now">,
  account: Account,
  { limit, offset, ...wanted }: CommissionRequest,
): Promise<Found<CommissionParts>> {
  const { store } = context;
  const query = sorted(commissionQuery(context, account, wanted.filter), wanted.sorting);
  const { ids, total } = await findIds(store, commissions, { query, limit, offset });
  const parts = withParts(commissionQuery(context, account, { ids }));
  const rows = await findInOrder(store, ids, parts.select("commissions.id"));
  return { records: rows.map((row) => partsOf(store, row)), total };
}

/** Commissions that an export reads at a time. */
const CHUNK = 1_000;

/** All commissions of an account, oldest first, in chunks. */
export async function* allCommissions(
  context: Pick<Context, "store" | "now">,
  account: Account,
): AsyncGenerator<CommissionParts[]> {
  const { store } = context;
  const all = withParts(commissionQuery(context, account, {}))
    .orderBy("commissions.id")
    .limit(CHUNK);
  for (let last = 0; ;) {
    const chunk = (await store.rows(all.where("commissions.id", ">", last))).map((row) =>
      partsOf(store, row),
    );
    yield chunk;
    if (chunk.length < CHUNK) return;
    last = chunk.at(-1)!.commission.id;
  }
}

/** The same for one commission. */
export async function readCommissionParts(reader: Reader, commission: Commission): Promise<CommissionParts> {
  const { account_id, lead_id, payout_id } = commission;
  return {
    commission,
    promoterCampaign: await reader.get(promoterCampaigns, account_id, commission.promoter_campaign_id),
    promoter: await reader.get(promoters, account_id, commission.promoter_id),
    campaign: await reader.get(campaigns, account_id, commission.campaign_id),
    lead: lead_id === null ? null : await reader.get(leads, account_id, lead_id),
    payout: payout_id === null ? null : await reader.get(payouts, account_id, payout_id),
  };
}

/** The conditions for listed commissions. Absent ones are ignored. */
export interface CommissionFilter {
  /** Part of the event's id, or of the lead's e-mail address or uid, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  status?: CommissionStatus | undefined;
  unit?: Unit | undefined;
  /** True: paid cash. False: unpaid cash. */
  isPaid?: boolean | undefined;
  /** True: other units that the promoter got. False: those that they did not get yet. */
  isFulfilled?: boolean | undefined;
  sale_cents?: Span | undefined;
  amount?: Span | undefined;
  created_at?: Span | undefined;
  promoter_campaign_id?: number | undefined;
  campaign_ids?: number[] | undefined;
  payout_ids?: number[] | undefined;
  /** When its payout is due. Commissions without a payout have no due date. */
  duePeriod?: DuePeriod | undefined;
  promoter_id?: number | undefined;
  /** Whether it belongs to the first event that earned a commission for its lead. */
  isFirst?: boolean | undefined;
  /** Whether a refund took back a part of it, or made it to take back another. */
  isRefunded?: boolean | undefined;
  suspicions?: Suspicion[] | undefined;
  planIds?: string[] | undefined;
}

type CommissionQuery = SelectQueryBuilder<CommissionSchema, "commissions", object>;

type CommissionSchema = Schema<{ commissions: typeof commissions }>;

function sorted(query: CommissionQuery, sorting: CommissionSort[]): CommissionQuery {
  const last: CommissionSort = { by: "id", isDescending: sorting[0]?.isDescending ?? false };
  return [...sorting, last].reduce(
    (ordered, { by, isDescending }) => ordered.orderBy(COLUMNS[by], isDescending ? "desc" : "asc"),
    query,
  );
}

/** The request that a query runs for. */
interface Asking {
  account_id: number;
  /** The calendar day of the request in the account's time zone. */
  today: string;
  filter: CommissionFilter;
}

const PAYOUT_ID = sql.ref("commissions.payout_id");

/** A commission without a lead is never the first. */
const IS_FIRST = sql<SqlBool>`(commissions.lead_id is not null and exists (
  select 1 from (
    select earliest.id, earliest.sale_id from commissions as earliest
    where earliest.account_id = commissions.account_id and earliest.lead_id = commissions.lead_id
    order by earliest.id limit 1
  ) as first_one where first_one.id = commissions.id or first_one.sale_id = commissions.sale_id))`;

/** How each condition narrows a query. */
const CONDITIONS: Conditions<CommissionFilter, CommissionQuery, Asking> = {
  text: (query, text, { account_id }) => query.where(mentions(account_id, text.trim())),
  ids: (query, ids) => query.where(among("commissions.id", ids)),
  status: (query, status) => query.where("commissions.status", "=", status),
  unit: (query, unit) => query.where("commissions.unit", "=", unit),
  // `isPaid` only concerns cash, and `isFulfilled` all other units.
  isPaid: (query, wanted, { account_id }) =>
    query.where("commissions.unit", "=", "cash").where(isDone(account_id, wanted)),
  isFulfilled: (query, wanted, { account_id }) =>
    query.where("commissions.unit", "<>", "cash").where(isDone(account_id, wanted)),
  sale_cents: (query, span) => query.where(isWithin("commissions.sale_cents", span)),
  amount: (query, span) => query.where(isWithin("commissions.amount", span)),
  created_at: (query, span) => query.where(isWithin("commissions.created_at", isoRange(span))),
  promoter_campaign_id: (query, id) => query.where("commissions.promoter_campaign_id", "=", id),
  campaign_ids: (query, ids) => query.where(among("commissions.campaign_id", ids)),
  payout_ids: (query, ids) => query.where(among("commissions.payout_id", ids)),
  duePeriod: (query, period, { account_id, today }) =>
    query.where(inPayouts(PAYOUT_ID, account_id, isDue(account_id, { period, today, status: "pending" }))),
  promoter_id: (query, id) => query.where("commissions.promoter_id", "=", id),
  isFirst: (query, wanted) => query.where(wanted ? IS_FIRST : sql<SqlBool>`not ${IS_FIRST}`),
  isRefunded: (query, wanted) => query.where("commissions.is_of_refund", "=", Number(wanted)),
  suspicions: (query, wanted) => query.where(among("commissions.suspicion", wanted)),
  planIds: (query, ids) => query.where(among("commissions.plan_id", ids)),
};

/** A query for the commissions that match a filter, used by lists and exports. */
function commissionQuery(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  filter: CommissionFilter,
): CommissionQuery {
  const asking = { account_id: account.id, today: dayIn(timeZoneOf(account), now), filter };
  const all = store
    .query<CommissionSchema>()
    .selectFrom("commissions")
    .where("commissions.account_id", "=", account.id);
  return filtered(all, CONDITIONS, asking);
}

type PartSchema = CommissionSchema &
  Schema<{
    promoter_campaigns: typeof promoterCampaigns;
    promoters: typeof promoters;
    campaigns: typeof campaigns;
    leads: typeof leads;
    payouts: typeof payouts;
  }>;

/** Selects commissions with their parts, for `partsOf`. */
function withParts(query: CommissionQuery) {
  return (query as unknown as SelectQueryBuilder<PartSchema, "commissions", object>)
    .leftJoin("promoter_campaigns", (join) =>
      join
        .onRef("promoter_campaigns.account_id", "=", "commissions.account_id")
        .onRef("promoter_campaigns.id", "=", "commissions.promoter_campaign_id"),
    )
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "commissions.account_id")
        .onRef("promoters.id", "=", "commissions.promoter_id"),
    )
    .leftJoin("campaigns", (join) =>
      join
        .onRef("campaigns.account_id", "=", "commissions.account_id")
        .onRef("campaigns.id", "=", "commissions.campaign_id"),
    )
    .leftJoin("leads", (join) =>
      join
        .onRef("leads.account_id", "=", "commissions.account_id")
        .onRef("leads.id", "=", "commissions.lead_id"),
    )
    .leftJoin("payouts", (join) =>
      join
        .onRef("payouts.account_id", "=", "commissions.account_id")
        .onRef("payouts.id", "=", "commissions.payout_id"),
    )
    .select(
      [commissions, promoterCampaigns, promoters, campaigns, leads, payouts].flatMap((each) => allOf(each)),
    );
}

function partsOf(view: Pick<View, "record">, row: object): CommissionParts {
  return {
    commission: view.record(commissions, row)!,
    promoterCampaign: view.record(promoterCampaigns, row),
    promoter: view.record(promoters, row),
    campaign: view.record(campaigns, row),
    lead: view.record(leads, row),
    payout: view.record(payouts, row),
  };
}

/** Whether the event's id, or the lead's e-mail address or uid, contains a text. */
function mentions(accountId: number, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains("commissions.words", text)} or commissions.lead_id in (
    select leads.id from leads where leads.account_id = ${accountId} and ${contains("leads.names", text)}))`;
}

/** Whether the promoter was paid, or got the reward. */
function isDone(accountId: number, wanted: boolean): RawBuilder<SqlBool> {
  // No payout has the id 0. A null would make the condition unknown.
  const isCompleted = inPayouts(sql`coalesce(${PAYOUT_ID}, 0)`, accountId, sql`payouts.status = 'completed'`);
  const done = sql<SqlBool>`(commissions.is_paid_elsewhere = 1 or ${isCompleted})`;
  return wanted ? done : sql<SqlBool>`not ${done}`;
}

function inPayouts(
  payoutId: RawBuilder<unknown>,
  accountId: number,
  condition: RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${payoutId} in (select payouts.id from payouts
    where payouts.account_id = ${accountId} and ${condition})`;
}

/** How many commissions in cash there are, and their sum. */
export interface CommissionSum {
  count: number;
  cents: number;
}

/** Commissions in cash by status. Statuses without commissions are absent. Without campaigns: of all. */
export async function sumCommissions(
  view: View,
  accountId: number,
  campaignIds: number[] | undefined,
): Promise<Map<CommissionStatus, CommissionSum>> {
  let query = view
    .query<Schema<{ commissions: typeof commissions }>>()
    .selectFrom("commissions")
    .select(["status", sql<number>`count(*)`.as("count"), sql<number>`coalesce(sum(amount), 0)`.as("cents")])
    .where("account_id", "=", accountId)
    .where("unit", "=", "cash")
    .groupBy("status");
  if (campaignIds !== undefined) query = query.where(among("campaign_id", campaignIds));
  const rows = await view.rows(query);
  return new Map(
    rows.map(({ status, count, cents }) => [
      status as CommissionStatus,
      { count: Number(count), cents: Number(cents) },
    ]),
  );
}
