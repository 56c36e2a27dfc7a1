import type { Transaction } from "../../storage/store.ts";
import { commissions, newCommission, type Commission } from "../commission/commission.ts";
import { withTakeBacks } from "../commission/review.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { Lead } from "../lead/lead.ts";
import { share } from "../money/money.ts";
import type { Refund, Sale } from "./record.ts";
import { isBonusLost, reopenTargets } from "./target.ts";

/**
 * Takes back a part of each commission of a sale, of every tier and split. Rounding errors never add up: all
 * refunds of a sale together take back exactly what it gave. The bonus of a target goes back whole or not at all.
 *
 * @see docs/spec/money.md "Targets"
 */
export async function takeBack(
  tx: Transaction,
  context: Context,
  { lead, sale, after, refund }: { lead: Lead; sale: Sale; after: Sale; refund: Refund | null },
): Promise<Commission[]> {
  const added: Commission[] = [];
  const lost: Commission[] = [];
  for (const id of sale.commissionIds) {
    const commission = await tx.get(commissions, sale.accountId, id);
    if (commission === null || commission.takesBackId !== null || commission.isReplaced) continue;
    const isBonus = commission.targetRules !== undefined;
    const isLost = isBonus && (await isBonusLost(tx, commission, { lead, after }));
    const part = takenBack(commission, sale) - takenBack(commission, after);
    const whole = isLost ? -commission.amount : 0;
    const amount = isBonus ? whole : part;
    if (amount === 0) continue;
    if (isLost) lost.push(commission);
    added.push(await addOpposite(tx, context, { commission, amount, sale, refund }));
  }
  await reopenTargets(tx, sale, lost);
  return added;
}

/** What a further commission changes of an earlier one. */
interface Opposite {
  commission: Commission;
  amount: number;
  sale: Sale;
  /** null: no money went back, but the amount of the sale has become known better. */
  refund: Refund | null;
}

/** Adds a commission that takes back a part of an earlier one, or gives it back. */
export async function addOpposite(tx: Transaction, context: Context, given: Opposite): Promise<Commission> {
  const { commission, refund } = given;
  const opposite = oppositeOf(given, await context.store.nextId("commission"));
  await tx.insert(commissions, opposite);
  await announce(tx, context, { entity: "commission", before: null, after: opposite });
  // Nobody is told of the mark, because commissions don't show it.
  await tx.put(commissions, {
    ...commission,
    takenBackByIds: [...commission.takenBackByIds, opposite.id],
    ...(refund === null && { correctedByIds: [...(commission.correctedByIds ?? []), opposite.id] }),
  });
  return opposite;
}

/**
 * Takes back all that is left of a commission, because an earlier sale that arrived later has got its reward. null:
 * nothing is left.
 *
 * @see docs/spec/money.md "Durations"
 */
export async function takeBackReplaced(
  tx: Transaction,
  context: Context,
  { commission, sale }: Pick<Opposite, "commission" | "sale">,
): Promise<Commission | null> {
  const family = await withTakeBacks(tx, commission);
  const left = family.reduce((sum, { amount }) => sum + amount, 0);
  const replaced = { ...commission, isReplaced: true as const };
  if (left !== 0)
    return addOpposite(tx, context, { commission: replaced, amount: -left, sale, refund: null });
  await tx.put(commissions, replaced);
  return null;
}

/**
 * The part of a commission that its sale's refunds take back. An instalment was computed from the amount that was left
 * on its day, so only later refunds count. It is negative if a bank has given back money that was missing on that day.
 */
function takenBack({ amount, saleCents, originalSaleAmount }: Commission, sale: Sale): number {
  const { amountCents, refundedCents, originalAmount, refundedOriginalAmount } = sale;
  // A sale in another currency may be worth nothing in the account's, and still earn a flat reward.
  const [left, whole, refunded] =
    amountCents === 0
      ? [originalSaleAmount, originalAmount, refundedOriginalAmount]
      : [saleCents, amountCents, refundedCents];
  const refundedSince = refunded - (whole - left);
  return left <= 0 ? 0 : share(amount, refundedSince, left);
}

/** It has the status of the commission that it takes back, and is approved or denied with it. Nobody gave it by hand. */
function oppositeOf({ commission, amount, sale, refund }: Opposite, id: number): Commission {
  const { createdByUser: _, correctedByIds: __, ...earned } = commission;
  const event = refund ?? { ...sale, id: null, amountCents: 0, originalAmount: 0 };
  return newCommission({
    ...earned,
    id,
    amount,
    refundId: event.id,
    takesBackId: commission.id,
    takenBackByIds: [],
    eventId: event.eventId,
    saleCents: 0 - event.amountCents,
    originalSaleAmount: 0 - event.originalAmount,
    originalSaleCurrency: event.originalCurrency,
    saleId: sale.id,
    payoutId: null,
    isPaidElsewhere: false,
    internalNote: null,
    externalNote: null,
    statusUpdatedAt: null,
    createdAt: event.createdAt,
    // A correction is no news of a sale.
    ...(refund === null && { isSilent: true as const }),
  });
}
