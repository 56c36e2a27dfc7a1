import { Failure } from "../../failure.ts";
import { commissions, isPaid, type Commission } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { withTax } from "./terms.ts";
import { payouts } from "./payout.ts";
import type { Payout } from "./record.ts";

/** Refuses to change a settled commission. @throws Failure `refused` */
export async function refuseSettled(reader: Reader, commission: Commission): Promise<void> {
  const reason = await settlementOf(reader, commission);
  if (reason !== null) throw new Failure("refused", reason);
}

/**
 * Why a commission can't be changed: its money is paid, or may be on its way. null: it can be changed.
 *
 * Choice: a payout in a payments batch counts as on its way, because a file for the bank may exist.
 */
export async function settlementOf(reader: Reader, commission: Commission): Promise<string | null> {
  const { accountId, id, payoutId } = commission;
  const payout = payoutId === null ? null : await reader.get(payouts, accountId, payoutId);
  if (isPaid(commission, payout)) {
    return `Commission ${id} is paid and can't be changed`;
  }
  const isUnderWay = payout !== null && (payout.status !== "pending" || payout.paymentsBatchId !== null);
  return isUnderWay ? `Commission ${id} belongs to a payout that is under way or has failed` : null;
}

/**
 * Takes commissions out of their pending payouts, lowers the amounts of these payouts, and returns the
 * commissions without a payout. The caller writes them.
 *
 * Choice: a payout whose remaining amount is not positive is deleted. Its other commissions are free for a
 * later one.
 */
export async function withdrawFromPayouts(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  leaving: Commission[],
): Promise<Commission[]> {
  for (const payout of await payoutsOf(tx, leaving)) {
    const parts = leaving.filter(({ payoutId }) => payoutId === payout.id);
    await lower(tx, context, { payout, by: parts.reduce((sum, { amount }) => sum + amount, 0) });
  }
  return leaving.map((each) => ({ ...each, payoutId: null }));
}

/** The payouts that commissions belong to, each once. */
async function payoutsOf(reader: Reader, leaving: Commission[]): Promise<Payout[]> {
  const found = new Map<number, Payout>();
  for (const { accountId, payoutId } of leaving) {
    const payout = payoutId === null ? null : await reader.get(payouts, accountId, payoutId);
    if (payout !== null) found.set(payout.id, payout);
  }
  return [...found.values()];
}

async function lower(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { payout, by }: { payout: Payout; by: number },
): Promise<void> {
  const amount = payout.amount - by;
  if (amount > 0) {
    const lowered = { ...payout, amount, totalInclTax: withTax(amount, payout.taxRateHundredths) };
    await tx.put(payouts, lowered);
    return announce(tx, context, { entity: "payout", before: payout, after: lowered });
  }
  await freeCommissions(tx, payout);
  await tx.remove(payouts, payout.accountId, payout.id);
  await announce(tx, context, { entity: "payout", before: payout, after: null });
}

/** Takes all commissions out of a payout that ends without paying them, so that a later run may pay them. */
export async function freeCommissions(tx: Transaction, { accountId, id }: Payout): Promise<void> {
  for (const commission of await tx.view.list(commissions, "payout", accountId, [id])) {
    await tx.put(commissions, { ...commission, payoutId: null });
  }
}
