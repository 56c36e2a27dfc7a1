import { USUAL_BASE, type Account } from "../account/account.ts";
import { leads, type Lead } from "../lead/lead.ts";
import { digest } from "../../storage/digests.ts";
import type { Transaction } from "../../storage/store.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { earnAgain } from "../commission/earnings.ts";
import { withTakeBacks } from "../commission/review.ts";
import type { Context } from "../context.ts";
import { exponentOf, share } from "../money/money.ts";
import { isMissing, toAccountCurrency } from "../money/rate.ts";
import { countedAmount, salePayments, takenAmount, type SalePayment } from "./payment.ts";
import type { Refund, Sale } from "./record.ts";
import { newRefund } from "./refunded-sale.ts";
import { refunds, sales } from "./sales.ts";
import { addOpposite, takeBack } from "./take-back.ts";
import { isBonusLost, regainTarget, reopenTargets } from "./target.ts";

/** A sale with what is now known of its payment. */
interface Settlement {
  account: Account;
  sale: Sale;
  payment: SalePayment;
  /** The refund that the account has recorded itself. Absent: none. */
  refund?: Refund;
}

/** A sale after a settlement. */
export interface Settled {
  sale: Sale;
  /** The refund that was added. null: none. */
  refund: Refund | null;
  /** The commissions that were added. */
  commissions: Commission[];
}

/**
 * Makes a sale agree with its payment: its amount, its refunds, and its commissions. Commissions never change. Further
 * ones, with the terms of the first, add or take back the difference.
 *
 * @see docs/spec/money.md "Billing providers"
 */
export async function settle(
  tx: Transaction,
  context: Context,
  { account, sale, payment, refund: own }: Settlement,
): Promise<Settled> {
  const known: Sale = { ...sale, ...(await amountsOf(tx, account, { sale, payment })) };
  const taken = takenAmount(known.originalAmount, payment);
  const after = { ...known, refundedOriginalAmount: taken, refundedCents: inCents(known, taken) };
  const currencyDigits = exponentOf(account.currency) ?? 2;
  const settled = { ...payment, earnings: earnAgain(payment.earnings, { ...after, currencyDigits }) };
  const added = await writeRefunds(tx, context, { sale: after, payment });
  const refund = added ?? (own && (await tx.get(refunds, own.accountId, own.id))) ?? null;
  const before = { sale, payment };
  await tx.put(salePayments, settled);
  const lead = await tx.get(leads, sale.accountId, sale.leadId);
  if (lead === null) throw new Error(`Sale ${sale.id} has no lead`);
  const made = payment.isReported
    ? await correct(tx, context, { lead, before, after: { sale: after, payment: settled }, refund })
    : await takeBack(tx, context, { lead, sale, after, refund });
  return keepCommissions(tx, { sale: after, refund, commissions: made });
}

/** Writes a sale and its refund with the commissions that were added to them. */
export async function keepCommissions(
  tx: Transaction,
  { sale, refund, commissions: added }: Settled,
): Promise<Settled> {
  const ids = added.map(({ id }) => id);
  const whole = { ...sale, commissionIds: [...sale.commissionIds, ...ids] };
  await tx.put(sales, whole);
  if (refund === null) return { sale: whole, refund, commissions: added };
  const refunded = { ...refund, commissionIds: [...refund.commissionIds, ...ids] };
  await tx.put(refunds, refunded);
  return { sale: whole, refund: refunded, commissions: added };
}

/** The amounts of a reported sale. It keeps its currency and its day. null: they stay. */
async function amountsOf(
  tx: Transaction,
  account: Account,
  { sale, payment: { parts, base = USUAL_BASE, isReported } }: Pick<Settlement, "sale" | "payment">,
): Promise<Pick<Sale, "amountCents" | "originalAmount" | "quantity"> | null> {
  if (sale.isDuplicate) return { amountCents: 0, originalAmount: 0, quantity: sale.quantity };
  if (parts === null || !isReported) return null;
  const { quantity } = parts;
  const originalAmount = countedAmount(parts, base);
  if (originalAmount === sale.originalAmount) {
    return { amountCents: sale.amountCents, originalAmount, quantity };
  }
  const { originalCurrency: currency, createdAt } = sale;
  const given = { amount: originalAmount, currency, at: new Date(createdAt) };
  const money = await toAccountCurrency(tx, account, given);
  // The day's rate may be gone. Then that of the sale itself counts.
  const amountCents = isMissing(money) ? inCents(sale, originalAmount) : money.cents;
  return { amountCents, originalAmount, quantity };
}

/** A part of a sale in the account's currency. */
function inCents({ amountCents, originalAmount }: Sale, part: number): number {
  return originalAmount === 0 ? 0 : share(amountCents, part, originalAmount);
}

/**
 * Gives each refund of a payment the amount by which it raised the refunded part. A bank may give money back, so the part
 * falls, too. A refund that took nothing leaves no record until it does. Returns the last that was added.
 */
async function writeRefunds(
  tx: Transaction,
  context: Context,
  { sale, payment }: Pick<Settlement, "sale" | "payment">,
): Promise<Refund | null> {
  let added: Refund | null = null;
  let before = 0;
  for (const [index, { id: eventId, kind, at: createdAt }] of payment.takings.entries()) {
    const takings = payment.takings.slice(0, index + 1);
    const upTo = takenAmount(sale.originalAmount, { ...payment, takings });
    const originalAmount = upTo - before;
    const amountCents = inCents(sale, upTo) - inCents(sale, before);
    before = upTo;
    const known = await tx.find(refunds, "event", sale.accountId, [digest(eventId)]);
    const isNothing = sale.amountCents === 0 ? originalAmount === 0 : amountCents === 0;
    if (known === null && isNothing) continue;
    if (known?.amountCents === amountCents && known.saleId === sale.id) continue;
    const id = known?.id ?? (await context.store.nextId("event"));
    const given = { id, eventId, amountCents, originalAmount, originalCurrency: sale.originalCurrency };
    const refund = { ...newRefund(sale, { ...given, createdAt }), commissionIds: known?.commissionIds ?? [] };
    if (known === null) await tx.insert(refunds, (added = refund));
    // The account may have given its own refund in another currency.
    else await tx.put(refunds, kind === "own" ? { ...known, amountCents } : refund);
  }
  return added;
}

/** A sale and its payment at one moment. */
type Moment = Pick<Settlement, "sale" | "payment">;

/** What changes about a sale. */
interface Change {
  lead: Lead;
  before: Moment;
  after: Moment;
}

/** Adds what is missing to each commission, or takes it back. */
async function correct(
  tx: Transaction,
  context: Context,
  { refund, ...change }: Change & { refund: Refund | null },
): Promise<Commission[]> {
  const { before, after } = change;
  const added: Commission[] = [];
  const lost: Commission[] = [];
  for (const [index, id] of before.payment.commissionIds.entries()) {
    const commission = await tx.get(commissions, before.sale.accountId, id);
    // It may have been deleted by hand.
    if (commission === null) continue;
    const isBonus = commission.targetRules !== undefined;
    const amount = isBonus
      ? await bonusChange(tx, commission, { ...change, index })
      : dueOf(after, index) - dueOf(before, index);
    if (amount === 0) continue;
    if (isBonus && amount < 0) lost.push(commission);
    added.push(await addOpposite(tx, context, { commission, amount, sale: after.sale, refund }));
  }
  await reopenTargets(tx, after.sale, lost);
  return added;
}

/**
 * How much of a target's bonus is missing or too much. It is lost when the rules no longer hold without what was taken
 * off the sale, and comes again with the money unless the target was reached again meanwhile.
 */
async function bonusChange(
  tx: Transaction,
  commission: Commission,
  { lead, before, after, index }: Change & { index: number },
): Promise<number> {
  const whole = after.payment.earnings[index]?.amount ?? 0;
  const family = await withTakeBacks(tx, commission);
  const current = family.reduce((sum, { amount }) => sum + amount, 0);
  if (after.sale.isDuplicate) return -current;
  const fell = before.sale.amountCents - after.sale.amountCents;
  const sale = { ...after.sale, refundedCents: after.sale.refundedCents + fell };
  const isLost = await isBonusLost(tx, { ...commission, takenBackByIds: [] }, { lead, after: sale });
  if (current > 0) return (isLost ? 0 : whole) - current;
  const isBack = sale.refundedCents < before.sale.refundedCents && !isLost;
  return isBack && (await regainTarget(tx, commission, after.sale)) ? whole : 0;
}

/** What refunds left of a commission. */
function dueOf({ sale, payment }: Moment, index: number): number {
  const { amount } = payment.earnings[index] ?? { amount: 0 };
  const { amountCents, refundedCents, originalAmount, refundedOriginalAmount } = sale;
  if (originalAmount === 0) return 0;
  // A sale in another currency may be worth nothing in the account's, and still earn a flat reward.
  return amountCents === 0
    ? amount - share(amount, refundedOriginalAmount, originalAmount)
    : amount - share(amount, refundedCents, amountCents);
}
