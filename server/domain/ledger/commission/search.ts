import { sql, type RawBuilder, type SqlBool } from "kysely";
import { among, belongingTo, contains, type BelongingTo, type Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { leads } from "../../people/lead/lead.ts";
import { promoterCampaigns } from "../../people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import { isDue, type DuePeriod } from "../payout/search.ts";
import { payouts } from "../payout/payout.ts";
import { commissions, type CommissionStatus } from "./commission.ts";

/** The records that commissions are shown with. */
export const commissionParts = belongingTo(commissions, {
  promoterCampaign: [promoterCampaigns, "promoter_campaign_id"],
  promoter: [promoters, "promoter_id"],
  campaign: [campaigns, "campaign_id"],
  lead: [leads, "lead_id"],
  payout: [payouts, "payout_id"],
});
export type CommissionParts = BelongingTo<typeof commissionParts>;

const PAYOUT_ID = sql.ref("commissions.payout_id");

/** Whether it belongs to the first event that earned something for its lead. Without a lead it never does. */
const IS_FIRST: RawBuilder<SqlBool> = sql<SqlBool>`(commissions.lead_id is not null and exists (
  select 1 from (
    select earliest.id, earliest.sale_id from commissions as earliest
    where earliest.account_id = commissions.account_id and earliest.lead_id = commissions.lead_id
    order by earliest.id limit 1
  ) as first_one where first_one.id = commissions.id or first_one.sale_id = commissions.sale_id))`;

export function isFirst(wanted: boolean): RawBuilder<SqlBool> {
  return wanted ? IS_FIRST : sql<SqlBool>`not ${IS_FIRST}`;
}

/** Whether its payout is due then. Commissions without a payout have no due date. */
export function isDueIn(
  period: DuePeriod,
  { account_id, today }: { account_id: number; today: string },
): RawBuilder<SqlBool> {
  return inPayouts(PAYOUT_ID, account_id, isDue(account_id, { period, today, status: "pending" }));
}

/** Whether the event's id, or the lead's e-mail address or uid, contains a text. */
export function mentions(accountId: number, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains("commissions.words", text.trim())} or commissions.lead_id in (
    select leads.id from leads where leads.account_id = ${accountId} and ${contains("leads.names", text.trim())}))`;
}

/** Whether the promoter was paid in cash, or got a reward in another unit. */
export function isDone(
  accountId: number,
  { wanted, isCash }: { wanted: boolean; isCash: boolean },
): RawBuilder<SqlBool> {
  // No payout has the id 0. A null would make the condition unknown.
  const isCompleted = inPayouts(sql`coalesce(${PAYOUT_ID}, 0)`, accountId, sql`payouts.status = 'completed'`);
  const done = sql<SqlBool>`(commissions.is_paid_elsewhere or ${isCompleted})`;
  const ofUnit = isCash ? sql`commissions.unit = 'cash'` : sql`commissions.unit <> 'cash'`;
  return sql<SqlBool>`${ofUnit} and ${wanted ? done : sql`not ${done}`}`;
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
