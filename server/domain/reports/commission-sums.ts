import { sql } from "kysely";
import { among, type Schema } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { commissions, type CommissionStatus } from "../ledger/commission/commission.ts";

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
