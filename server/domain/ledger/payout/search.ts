import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import {
  allOf,
  among,
  anyOf,
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
import type { View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { campaigns, type Campaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import type { FraudSuspicion } from "../../people/lead/lead.ts";
import { payoutMethods, type PayoutMethod, type PayoutMethodName } from "../payout-method/payout-method.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { isSuspect } from "../../people/promoter/search.ts";
import { isoRange, type Span } from "../../span.ts";
import { payouts, type Payout, type PayoutStatus } from "./payout.ts";

const COLUMNS = {
  id: "payouts.id",
  amount: "payouts.amount",
  period_start: "payouts.period_start",
  period_end: "payouts.period_end",
} as const;

/** The field that payouts are sorted by, and the direction. */
export type PayoutSort = Sort<keyof typeof COLUMNS>;

/** A payout with the related records that are shown. Null: there is none. */
export interface PayoutParts {
  payout: Payout;
  promoter: Promoter | null;
  campaign: Campaign | null;
  /** The method that it was paid by, or is being paid by. */
  used: PayoutMethod | null;
  /** The method that its promoter has selected. */
  selected: PayoutMethod | null;
}

interface PayoutRequest extends Window {
  filter: PayoutFilter;
  /** By the first one, then by the next. Ties are sorted by id, in the direction of the first. */
  sorting: PayoutSort[];
}

/** A page of the payouts that match a filter, by default sorted by id. */
export async function listPayouts(
  context: Context,
  account: Account,
  { filter, sorting, ...window }: PayoutRequest,
): Promise<Found<PayoutParts>> {
  const { store } = context;
  const query = sorted(payoutQuery(context, account, filter), sorting);
  const { ids, total } = await findIds(store, payouts, { query, ...window });
  const parts = withParts(payoutQuery(context, account, { ids }));
  const rows = await findInOrder(store, ids, parts.select("payouts.id"));
  return { records: rows.map((row) => partsOf(store, row)), total };
}

/** Selects payouts with their parts, for `partsOf`. */
export function withParts(query: PayoutQuery) {
  return query
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "payouts.account_id")
        .onRef("promoters.id", "=", "payouts.promoter_id"),
    )
    .leftJoin("campaigns", (join) =>
      join
        .onRef("campaigns.account_id", "=", "payouts.account_id")
        .onRef("campaigns.id", "=", "payouts.campaign_id"),
    )
    .leftJoin("payout_methods as used", (join) =>
      join
        .onRef("used.account_id", "=", "payouts.account_id")
        .onRef("used.id", "=", "payouts.payout_method_id"),
    )
    .leftJoin("payout_methods as selected", (join) =>
      join
        .onRef("selected.account_id", "=", "payouts.account_id")
        .onRef("selected.selected_by_id", "=", "payouts.promoter_id"),
    )
    .select([
      ...allOf(payouts),
      ...allOf(promoters),
      ...allOf(campaigns),
      ...allOf(payoutMethods, "used"),
      ...allOf(payoutMethods, "selected"),
    ]);
}

/** A payout with its parts from a row. */
export function partsOf(view: Pick<View, "record">, row: object): PayoutParts {
  return {
    payout: view.record(payouts, row)!,
    promoter: view.record(promoters, row),
    campaign: view.record(campaigns, row),
    used: view.record(payoutMethods, row, "used"),
    selected: view.record(payoutMethods, row, "selected"),
  };
}

export const DUE_PERIODS = ["next", "overdue", "custom"] as const;
export type DuePeriod = (typeof DUE_PERIODS)[number];

/** The conditions for listed payouts. Absent ones are ignored. */
export interface PayoutFilter {
  /** Part of the promoter's first name, last name or e-mail address, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  status?: PayoutStatus | undefined;
  campaign_ids?: number[] | undefined;
  paymentsBatchIds?: number[] | undefined;
  duePeriod?: DuePeriod | undefined;
  period_start?: Span | undefined;
  period_end?: Span | undefined;
  payoutMethod?: PayoutMethodName | "not_set" | undefined;
  promoter_id?: number | undefined;
  onlyPayable?: boolean | undefined;
  group_ref?: string | undefined;
  /** Promoters with any of these. */
  fraud_suspicions?: (FraudSuspicion | "no_suspicion")[] | undefined;
}

export type PayoutQuery = SelectQueryBuilder<PayoutSchema, "payouts", object>;

type PayoutSchema = Schema<{
  payouts: typeof payouts;
  promoters: typeof promoters;
  campaigns: typeof campaigns;
  payout_methods: typeof payoutMethods;
}>;

/** The request that a query runs for. */
interface Asking {
  account: Account;
  /** The calendar day of the request in the account's time zone. */
  today: string;
  filter: PayoutFilter;
}

/** How each condition narrows a query. */
const CONDITIONS: Conditions<PayoutFilter, PayoutQuery, Asking> = {
  text: (query, text, { account }) =>
    query.where(ofPromoters(account, contains("promoters.words", text.trim()))),
  ids: (query, ids) => query.where(among("payouts.id", ids)),
  status: (query, status) => query.where("payouts.status", "=", status),
  campaign_ids: (query, ids) => query.where(among("payouts.campaign_id", ids)),
  paymentsBatchIds: (query, ids) => query.where(among("payouts.payments_batch_id", ids)),
  duePeriod: (query, period, { account, today, filter: { status, campaign_ids } }) =>
    query.where(isDue(account.id, { period, today, status, campaign_ids })),
  period_start: (query, span) => query.where(isWithin("payouts.period_start", isoRange(span))),
  period_end: (query, span) => query.where(isWithin("payouts.period_end", isoRange(span))),
  payoutMethod: (query, name) => query.where(methodName, "=", name),
  promoter_id: (query, id) => query.where("payouts.promoter_id", "=", id),
  onlyPayable: (query, wanted, { account }) => (wanted ? query.where(isPayable(account)) : query),
  group_ref: (query, ref) => query.where("payouts.group_ref", "=", ref),
  fraud_suspicions: (query, wanted, { account }) =>
    query.where(ofPromoters(account, anyOf(wanted.map(isSuspect)))),
};

/** A query for the payouts that match a filter, used by lists and statistics. */
export function payoutQuery({ store, now }: Context, account: Account, filter: PayoutFilter): PayoutQuery {
  const asking = { account, today: dayIn(timeZoneOf(account), now), filter };
  const all = store.query<PayoutSchema>().selectFrom("payouts").where("payouts.account_id", "=", account.id);
  return filtered(all, CONDITIONS, asking);
}

/** Whether a payout's promoter is one of these. */
export function ofPromoters({ id }: Account, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql<SqlBool>`payouts.promoter_id in (select promoters.id from promoters
    where promoters.account_id = ${id} and ${condition})`;
}

/** When payouts are due, and the payouts among which the next due date is looked up. */
interface Due extends Pick<PayoutFilter, "status" | "campaign_ids"> {
  period: DuePeriod;
  today: string;
}

/**
 * Whether a payout of the table `payouts` is due then. The next due date is that of the payouts of the wanted
 * status and campaigns, as in `dueStats`. A payout that was paid early does not hide those that are due after
 * it.
 *
 * @see docs/spec/v2.md "List payouts"
 */
export function isDue(accountId: number, { period, today, status, campaign_ids }: Due): RawBuilder<SqlBool> {
  if (period === "custom") return sql<SqlBool>`payouts.has_own_terms`;
  if (period === "overdue") {
    return sql<SqlBool>`(not payouts.has_own_terms and payouts.status = 'pending' and payouts.due_date < ${today})`;
  }
  const ofStatus = status === undefined ? sql`` : sql`and others.status = ${status}`;
  const ofCampaigns =
    campaign_ids === undefined ? sql`` : sql`and ${among("others.campaign_id", campaign_ids)}`;
  return sql<SqlBool>`(not payouts.has_own_terms and payouts.due_date = (select others.due_date
    from payouts as others where others.account_id = ${accountId} and not others.has_own_terms
    and others.due_date >= ${today} ${ofStatus} ${ofCampaigns} order by others.due_date limit 1))`;
}

/** The method that a payout was paid by, otherwise the one that its promoter selected. */
export const methodName = sql<string>`coalesce(
  case when payouts.payout_method_id is null
    then (select selected.method from payout_methods as selected
      where selected.account_id = payouts.account_id and selected.selected_by_id = payouts.promoter_id)
    else (select used.method from payout_methods as used
      where used.account_id = payouts.account_id and used.id = payouts.payout_method_id)
  end, 'not_set')`;

/** The sum of the pending cash payouts of a promoter of the table `promoters`. */
export const pendingCents = sql<number>`(select coalesce(sum(pending.amount), 0) from payouts as pending
  where pending.account_id = promoters.account_id and pending.promoter_id = promoters.id
  and pending.status = 'pending' and pending.unit = 'cash')`;

function sorted(query: PayoutQuery, sorting: PayoutSort[]): PayoutQuery {
  const last: PayoutSort = { by: "id", isDescending: sorting[0]?.isDescending ?? false };
  return [...sorting, last].reduce(
    (ordered, { by, isDescending }) => ordered.orderBy(COLUMNS[by], isDescending ? "desc" : "asc"),
    query,
  );
}

/** Whether the pending payouts of a payout's promoter can be paid: there is no `unpayableReason`. */
function isPayable({ id, requires_invoice_details, min_payment_cents }: Account): RawBuilder<SqlBool> {
  const isApproved = requires_invoice_details
    ? sql`and promoters.invoice_details_status = 'approved'`
    : sql``;
  return sql<SqlBool>`payouts.promoter_id in (select promoters.id from promoters
    join payout_methods as chosen on chosen.account_id = promoters.account_id and chosen.selected_by_id = promoters.id
    where promoters.account_id = ${id} and not chosen.is_disabled ${isApproved}
    and ${pendingCents} >= ${min_payment_cents}
    and not exists (select 1 from payout_holds as hold where hold.account_id = promoters.account_id
      and hold.promoter_id = promoters.id and hold.released_at is null))`;
}
