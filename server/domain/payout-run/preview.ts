import type { Account } from "../account/record.ts";
import type { Context } from "../context.ts";
import type { Unit } from "../money/unit.ts";
import { findSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { readUnpaid, sumOf, type UnpaidGroup } from "../payout/creation.ts";
import { periodAt, type Period } from "../payout/period.ts";
import { loadPromoterStats } from "../report/counters.ts";
import { joined } from "./run.ts";
import { carryReason, type CarryReason } from "./carry-reason.ts";
import { unpaidGroups } from "./unpaid-groups.ts";

/** The outcome of a run for the unpaid commissions of one promoter, campaign and unit. */
export interface PreviewedPayout {
  promoterId: number;
  campaignId: number;
  unit: Unit;
  /** Cents of `cash`, otherwise whole units. Negative if refunds took back more than was earned. */
  amount: number;
  commissionsCount: number;
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

/**
 * The payouts that the run of the current period would make if it ended now. Only the keys of commissions are read for the
 * payouts of other pages.
 */
export async function previewRun(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  { offset, limit }: { offset: number; limit: number },
): Promise<RunPreview> {
  const period = await joined(store, account.id, periodAt(account, now));
  const shown: UnpaidGroup[] = [];
  let total = 0;
  for await (const group of unpaidGroups(store, account.id, now.getTime())) {
    if (total >= offset && total < offset + limit) shown.push(group);
    total += 1;
  }
  const payouts: PreviewedPayout[] = [];
  for (const { promoterId, campaignId, unit, commissionIds } of shown) {
    const paid = await readUnpaid(store, account.id, { promoterId, campaignId, unit, commissionIds });
    const amount = sumOf(paid);
    const { activeCustomers } = await loadPromoterStats(store, account.id, promoterId);
    const method = await findSelectedPayoutMethod(store, account.id, promoterId);
    payouts.push({
      promoterId,
      campaignId,
      unit,
      amount,
      commissionsCount: paid.length,
      carryReason: carryReason({ unit, amount, activeCustomers, method }, account),
    });
  }
  return { period, payouts, total };
}
