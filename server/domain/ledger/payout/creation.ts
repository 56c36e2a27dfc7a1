import { sql, type SqlBool } from "kysely";
import type { Schema } from "../../../storage/query.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import { accounts } from "../../program/account/account.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { commissions, isUnpaid, type Commission } from "../commission/commission.ts";
import { announceMoney } from "../announcement.ts";
import type { Unit } from "../../money.ts";
import { upTo } from "../../span.ts";
import type { Belonging } from "../../people/promoter-campaign/promoter-campaign.ts";
import { loadPromoter, promoters } from "../../people/promoter/promoter.ts";
import { payouts, payoutTerms, type Payout, type PayoutTerms } from "./payout.ts";

/** The commissions that share one payout. */
export interface GroupKey {
  promoter_id: number;
  campaign_id: number;
  unit: Unit;
}

/** The unpaid commissions of one promoter, campaign and unit. */
export interface UnpaidGroup extends GroupKey {
  /** Cents of `cash`, otherwise whole units. Negative if refunds took back more than was earned. */
  amount: number;
  commissionsCount: number;
}

/** The groups of unpaid commissions made until an instant, by promoter, campaign and unit. */
export function groupQuery(view: View, accountId: number, until: string) {
  return unpaidOf(view, accountId)
    .where("created_at", "<=", until)
    .select(["promoter_id", "campaign_id", "unit"])
    .select([sql<number>`sum(amount)`.as("amount"), sql<number>`count(*)`.as("length")])
    .groupBy(["promoter_id", "campaign_id", "unit"])
    .orderBy("promoter_id")
    .orderBy("campaign_id")
    .orderBy("unit");
}

interface GroupRow {
  promoter_id: number | null;
  campaign_id: number | null;
  unit: string | null;
  amount: number;
  length: number;
}

/** A group from a row. */
export function groupOf(row: GroupRow): UnpaidGroup {
  return {
    promoter_id: Number(row.promoter_id),
    campaign_id: Number(row.campaign_id),
    unit: row.unit as Unit,
    amount: Number(row.amount),
    commissionsCount: Number(row.length),
  };
}

/** The groups that one query reads. */
const PAGE = 500;

/** All groups of unpaid commissions made until an instant. */
export async function* unpaidGroups(
  view: View,
  accountId: number,
  until: string,
): AsyncGenerator<UnpaidGroup> {
  const all = groupQuery(view, accountId, until).limit(PAGE);
  let query = all;
  for (;;) {
    const groups = (await view.rows(query)).map(groupOf);
    yield* groups;
    const last = groups.at(-1);
    if (last === undefined || groups.length < PAGE) return;
    const place = sql`(${last.promoter_id}, ${last.campaign_id}, ${last.unit})`;
    query = all.where(sql<SqlBool>`(promoter_id, campaign_id, unit) > ${place}`);
  }
}

/** Commissions that were added to a payout: at least one. */
export interface Taken extends GroupKey {
  account_id: number;
  amount: number;
  /** When the first and the last of them were made. */
  first_at: string;
  last_at: string;
  /** The promoter campaign of the last one. */
  promoter_campaign_id: number;
}

type UnpaidSchema = Schema<{ commissions: typeof commissions }>;

/**
 * Adds the unpaid commissions of a group made until an instant, or all if it is null, to a payout. They stay locked until the
 * transaction has ended. Null if there are none.
 */
export async function takeUnpaid(
  tx: Transaction,
  { account_id, promoter_id, campaign_id, unit }: GroupKey & { account_id: number },
  { until, payout_id }: { until: string | null; payout_id: number },
): Promise<Taken | null> {
  const start = [promoter_id, campaign_id, unit];
  const group = { index: "unpaid", account_id, start, between: upTo(until) } as const;
  await tx.fill(commissions, group, { column: "payout_id", value: payout_id });
  const inside = tx.view
    .query<UnpaidSchema>()
    .selectFrom("commissions")
    .where("account_id", "=", account_id)
    .where("payout_id", "=", payout_id);
  // An expression, so that SQLite does not use the index of all commissions by date.
  const latest = sql`coalesce(created_at, created_at)`;
  const last = inside.select("promoter_campaign_id").orderBy(latest, "desc").orderBy("id", "desc").limit(1);
  const sums = inside.select([
    sql<number>`sum(amount)`.as("amount"),
    sql<string | null>`min(created_at)`.as("first_at"),
    sql<string | null>`max(created_at)`.as("last_at"),
    last.as("promoter_campaign_id"),
  ]);
  const [found] = await tx.view.rows(sums);
  if (found === undefined || found.first_at === null || found.last_at === null) return null;
  return {
    account_id,
    promoter_id,
    campaign_id,
    unit,
    amount: Number(found.amount),
    first_at: found.first_at,
    last_at: found.last_at,
    promoter_campaign_id: Number(found.promoter_campaign_id),
  };
}

/** A payout to be made. */
interface NewPayout extends Pick<Payout, "id" | "run_id" | "group_ref" | "set_offs"> {
  terms: PayoutTerms;
  /** It belongs to the promoter campaign of its latest commission. */
  latest: Belonging;
}

/** Writes a pending payout. The caller adds its commissions. */
export async function insertPayout(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  given: NewPayout,
): Promise<Payout> {
  const payout = newPayout(context, given);
  await tx.insert(payouts, payout);
  await announceMoney(tx, context, { entity: "payout", before: null, after: payout });
  return payout;
}

/**
 * Makes a payout for one approved non-cash commission, so that the company can fulfil it. The commission must
 * be written first. Other commissions are ignored.
 *
 * @see docs/spec/money.md "Refunds, cancellations and moves", 8
 */
export async function ensureNonCashPayout(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  commission: Commission,
): Promise<Commission> {
  const { account_id, promoter_id, unit, amount, created_at } = commission;
  if (unit === "cash" || amount <= 0 || !isUnpaid(commission)) return commission;
  if (await isIndebted(tx, commission)) return commission;
  const account = await tx.get(accounts, SYSTEM, account_id);
  if (account === null) throw new Error(`Account ${account_id} is gone`);
  const promoter = await loadPromoter(tx, account_id, promoter_id);
  const now = context.now.toISOString();
  const period = { start: created_at, end: now > created_at ? now : created_at };
  const terms = payoutTerms({ unit, amount }, period, { ...account, promoter });
  const { id: payoutId } = await insertPayout(tx, context, {
    id: await context.store.nextId("payout"),
    run_id: null,
    group_ref: null,
    terms: { ...terms, has_own_terms: true },
    latest: commission,
  });
  const inside = { ...commission, payout_id: payoutId };
  await tx.put(commissions, inside);
  return inside;
}

/** Whether a payout may still include a commission: the condition of the index. */
const IS_UNPAID = sql<SqlBool>`${sql.raw(commissions.indexes.unpaid.where ?? "")}`;

/** The promoter campaign of unpaid commissions, of which there is at least one. */
export async function promoterCampaignIn(
  view: View,
  { account_id, promoter_id, campaign_id, unit }: GroupKey & { account_id: number },
): Promise<number> {
  const unpaid = unpaidOf(view, account_id)
    .where("promoter_id", "=", promoter_id)
    .where("campaign_id", "=", campaign_id)
    .where("unit", "=", unit);
  const [found] = await view.rows(unpaid.select("promoter_campaign_id").limit(1));
  if (found === undefined) throw new Error(`Promoter ${promoter_id} owes nothing in campaign ${campaign_id}`);
  return Number(found.promoter_campaign_id);
}

/** Begins a query for the approved commissions without a payout. */
function unpaidOf(view: View, accountId: number) {
  return view
    .query<UnpaidSchema>()
    .selectFrom("commissions")
    .where("account_id", "=", accountId)
    .where(IS_UNPAID);
}

function newPayout(
  { now }: Pick<Context, "now">,
  { id, run_id, group_ref, terms, latest, set_offs = [] }: NewPayout,
): Payout {
  return {
    account_id: latest.account_id,
    id,
    promoter_campaign_id: latest.promoter_campaign_id,
    promoter_id: latest.promoter_id,
    campaign_id: latest.campaign_id,
    status: "pending",
    ...terms,
    ...(set_offs.length > 0 && { set_offs }),
    run_id,
    group_ref,
    payments_batch_id: null,
    payout_method_id: null,
    error: null,
    paid_at: null,
    processing_started_at: null,
    failed_at: null,
    created_at: now.toISOString(),
  };
}

/**
 * Whether refunds took back more than the promoter had in the unit without the commission, in all campaigns, and no
 * payout has subtracted it yet. Until then the promoter gets no payout.
 */
async function isIndebted(tx: Transaction, commission: Commission): Promise<boolean> {
  const { account_id, promoter_id, unit, amount } = commission;
  await tx.lock(promoters, account_id, promoter_id);
  const unpaid = unpaidOf(tx.view, account_id)
    .where("promoter_id", "=", promoter_id)
    .where("unit", "=", unit);
  const [found] = await tx.view.rows(unpaid.select(sql<number | null>`sum(amount)`.as("amount")));
  return Number(found?.amount ?? 0) - amount < 0;
}
