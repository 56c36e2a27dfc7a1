import { sql, type SqlBool } from "kysely";
import type { Unit } from "../money/money.ts";
import type { Schema } from "../../storage/query.ts";
import type { Transaction, View } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";

type UnpaidSchema = Schema<{ commissions: typeof commissions }>;

/** Whether a payout may still take a commission: the condition of the index. */
const IS_UNPAID = sql<SqlBool>`${sql.raw(commissions.indexes.unpaid.where ?? "")}`;

/** Begins a question about the approved commissions that are in no payout. */
export function unpaidOf(view: View, accountId: number) {
  return view
    .question<UnpaidSchema>()
    .selectFrom("commissions")
    .where("account_id", "=", accountId)
    .where(IS_UNPAID);
}

/** The commissions that belong into one payout. */
export interface GroupKey {
  promoterId: number;
  campaignId: number;
  unit: Unit;
}

/** The unpaid commissions of one promoter, campaign and unit. */
export interface UnpaidGroup extends GroupKey {
  /** Cents of `cash`, otherwise whole units. Negative if refunds took back more than was earned. */
  amount: number;
  commissionsCount: number;
}

/** The groups of unpaid commissions that were made until an instant, by promoter, campaign and unit. */
export function groupQuestion(view: View, accountId: number, until: string) {
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
    promoterId: Number(row.promoter_id),
    campaignId: Number(row.campaign_id),
    unit: row.unit as Unit,
    amount: Number(row.amount),
    commissionsCount: Number(row.length),
  };
}

/** The groups that one question reads. */
const PAGE = 500;

/** All groups of unpaid commissions that were made until an instant. */
export async function* unpaidGroups(
  view: View,
  accountId: number,
  until: string,
): AsyncGenerator<UnpaidGroup> {
  const all = groupQuestion(view, accountId, until).limit(PAGE);
  let question = all;
  for (;;) {
    const groups = (await view.rows(question)).map(groupOf);
    yield* groups;
    const last = groups.at(-1);
    if (last === undefined || groups.length < PAGE) return;
    const place = sql`(${last.promoterId}, ${last.campaignId}, ${last.unit})`;
    question = all.where(sql<SqlBool>`(promoter_id, campaign_id, unit) > ${place}`);
  }
}

/** Commissions that were put into a payout: at least one. */
export interface Taken extends GroupKey {
  accountId: number;
  amount: number;
  /** When the first and the last of them were made. */
  firstAt: string;
  lastAt: string;
  /** The promoter campaign of the last one. */
  promoterCampaignId: number;
}

/**
 * Puts the unpaid commissions of a group that were made until an instant into a payout. From then on, nobody else changes
 * them until the transaction has ended. null: there are none.
 */
export async function takeUnpaid(
  tx: Transaction,
  { accountId, promoterId, campaignId, unit }: GroupKey & { accountId: number },
  { until, payoutId }: { until: string; payoutId: number },
): Promise<Taken | null> {
  // No instant is later than `until` and before this.
  const between = { from: "", before: `${until}~` };
  const group = { index: "unpaid", accountId, start: [promoterId, campaignId, unit], between } as const;
  await tx.fill(commissions, group, { column: "payout_id", value: payoutId });
  const inside = tx.view
    .question<UnpaidSchema>()
    .selectFrom("commissions")
    .where("account_id", "=", accountId)
    .where("payout_id", "=", payoutId);
  // An expression, so that SQLite does not read the index of all commissions by date.
  const latest = sql`created_at || ''`;
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
    accountId,
    promoterId,
    campaignId,
    unit,
    amount: Number(found.amount),
    firstAt: found.first_at,
    lastAt: found.last_at,
    promoterCampaignId: Number(found.promoter_campaign_id),
  };
}
