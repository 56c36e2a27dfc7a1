import type { Commission } from "../commission/record.ts";
import type { Unit } from "../money/unit.ts";
import type { Payout } from "./record.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { commissions, isUnpaid } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { PayoutTerms } from "./terms.ts";
import { payouts } from "./payout.ts";

/** Unpaid commissions that belong into one payout. */
export interface UnpaidGroup {
  promoterId: number;
  campaignId: number;
  unit: Unit;
  commissionIds: number[];
}

/**
 * Reads the commissions of a group by key, without those that are no longer unpaid. In a transaction, the commit then
 * fails if one of them changes meanwhile.
 */
export async function readUnpaid(
  reader: Pick<Reader, "get">,
  accountId: number,
  { promoterId, campaignId, unit, commissionIds }: UnpaidGroup,
): Promise<Commission[]> {
  const unpaid: Commission[] = [];
  for (const id of commissionIds) {
    const commission = await reader.get(commissions, accountId, id);
    if (commission === null || !isUnpaid(commission)) continue;
    // Its lead may have been moved to another promoter meanwhile.
    if (commission.promoterId !== promoterId || commission.campaignId !== campaignId) continue;
    if (commission.unit === unit) unpaid.push(commission);
  }
  return unpaid;
}

/** A new payout with its commissions. */
export interface NewPayout extends Pick<Payout, "id" | "runId" | "groupRef"> {
  terms: PayoutTerms;
  /** At least one. */
  paid: Commission[];
}

/** Writes a pending payout, and puts its commissions into it. */
export async function insertPayout(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { paid, ...given }: NewPayout,
): Promise<Payout> {
  const payout = newPayout(context, { paid, ...given });
  await tx.insert(payouts, payout);
  for (const commission of paid) await tx.put(commissions, { ...commission, payoutId: payout.id });
  await announce(tx, context, { entity: "payout", before: null, after: payout });
  return payout;
}

/** A pending payout of some commissions. Choice: it belongs to the promoter campaign of the latest one. */
function newPayout({ now }: Pick<Context, "now">, { id, runId, groupRef, terms, paid }: NewPayout): Payout {
  const latest = paid.at(-1);
  if (latest === undefined) throw new Error("A payout needs a commission");
  return {
    accountId: latest.accountId,
    id,
    promoterCampaignId: latest.promoterCampaignId,
    promoterId: latest.promoterId,
    campaignId: latest.campaignId,
    status: "pending",
    ...terms,
    runId,
    groupRef,
    paymentsBatchId: null,
    payoutMethodId: null,
    error: null,
    paidAt: null,
    processingStartedAt: null,
    failedAt: null,
    createdAt: now.toISOString(),
  };
}

/** The sum of commissions of one unit. */
export function sumOf(paid: Commission[]): number {
  return paid.reduce((sum, { amount }) => sum + amount, 0);
}
