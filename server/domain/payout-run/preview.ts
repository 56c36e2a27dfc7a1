import { sql } from "kysely";
import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { findSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { periodAt, type Period } from "../payout/period.ts";
import { loadPromoterTotals } from "../report/stats.ts";
import { joined } from "./run.ts";
import { carryReason, type CarryReason } from "./carry-reason.ts";
import { groupOf, groupQuestion, type UnpaidGroup } from "../payout/unpaid.ts";

/** The outcome of a run for the unpaid commissions of one promoter, campaign and unit. */
export interface PreviewedPayout extends UnpaidGroup {
  /** Why a run would not pay it yet. null: it would. */
  carryReason: CarryReason | null;
}

/** A page of the payouts that the next run would make. */
export interface RunPreview {
  period: Period;
  payouts: PreviewedPayout[];
  /** How many there are on all pages. */
  total: number;
}

/** The payouts that the run of the current period would make if it ended now. */
export async function previewRun(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  { offset, limit }: { offset: number; limit: number },
): Promise<RunPreview> {
  const period = await joined(store, account.id, periodAt(account, now));
  const all = groupQuestion(store, account.id, now.toISOString());
  const length = store
    .question()
    .selectFrom(all.clearOrderBy().as("groups"))
    .select(sql<number>`count(*)`.as("total"));
  const [rows, [count]] = await Promise.all([
    store.rows(all.limit(limit).offset(offset)),
    store.rows(length),
  ]);
  const payouts: PreviewedPayout[] = [];
  for (const group of rows.map(groupOf)) {
    const { activeCustomers } = await loadPromoterTotals(store, account.id, group.promoterId);
    const method = await findSelectedPayoutMethod(store, account.id, group.promoterId);
    payouts.push({ ...group, carryReason: carryReason({ ...group, activeCustomers, method }, account) });
  }
  return { period, payouts, total: Number(count?.total) };
}
