import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import { USUAL_BASE, type Account } from "../../program/account/account.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { earnAgain } from "../commission/earnings.ts";
import { withTakeBacks } from "../commission/review.ts";
import type { Context } from "../../context.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { exponentOf, share } from "../../money.ts";
import { isMissing, toAccountCurrency } from "../rate.ts";
import {
  bestParts,
  countedAmount,
  loadPayment,
  paidAmount,
  salePayments,
  takenAmount,
  type PaymentParts,
  type SalePayment,
  type Taking,
} from "./payment.ts";
import { addOpposite, markRefunded, newRefund, takeBack } from "./refunded-sale.ts";
import { refunds, sales, type Refund, type Sale } from "./sale.ts";
import { isBonusLost, regainTarget, reopenTargets } from "./tiers.ts";

/** The payment of a billing provider that an event is about. */
export interface ReportedPayment {
  /** The event ids under which its sale may be recorded. */
  eventIds: string[];
  /** Our present knowledge of it, or null. */
  parts: PaymentParts | null;
}

/** A refund, a dispute or a reversal that a billing provider reports. */
export interface ReportedTaking extends Omit<Taking, "kind" | "at"> {
  kind: Exclude<Taking["kind"], "own">;
  /** ISO 4217 code of the amounts. */
  currency: string;
  at: Date;
}

/**
 * The outcome of a report: no sale of it is recorded; it was recorded before; it changed nothing, because
 * refunds have taken back the whole sale; the same, because it is worth less than the smallest unit; or it
 * changed the sale.
 */
export type Settling = "unknown" | "repeated" | "unchanged" | "worthless" | "changed";

/**
 * Brings the sale of a payment in line with the provider's reports. If the payment was recorded as two sales,
 * before an event showed that they are one, the earlier sale stays, and the other one counts for nothing.
 */
export function settlePayment(
  context: Context,
  account: Account,
  reported: ReportedPayment,
): Promise<Settling> {
  return context.store.transact(async (tx) => {
    const sale = await mergeSales(tx, context, { account, reported });
    if (sale === null) return "unknown";
    const payment = await tx.get(salePayments, account.id, sale.id);
    if (payment === null) return "repeated";
    const parts = bestParts([payment.parts, reported.parts]);
    if (parts === payment.parts) return "repeated";
    const corrected = { account, sale, payment: { ...payment, parts }, at: sale.created_at };
    const { sale: after } = await settle(tx, context, corrected);
    return after.amount_cents === sale.amount_cents ? "unchanged" : "changed";
  });
}

/**
 * Records money that went back to a customer, or was returned. However often it is reported, it counts once.
 */
export async function recordTaking(
  context: Context,
  account: Account,
  { taking, ...reported }: ReportedPayment & { taking: ReportedTaking },
): Promise<Settling> {
  return context.store.transact(async (tx) => {
    const sale = await mergeSales(tx, context, { account, reported });
    if (sale === null) return "unknown";
    const payment = await loadPayment(tx, sale, reported.parts);
    const isKnown = payment.takings.some(({ id }) => id === taking.id);
    if (isKnown || (await tx.find(refunds, "event", account.id, [digest(taking.id)])) !== null)
      return "repeated";
    const takings = [...payment.takings, await inSaleCurrency(tx, { account, sale, payment, taking })];
    const taken = { account, sale, payment: { ...payment, takings }, at: taking.at.toISOString() };
    const { sale: after } = await settle(tx, context, taken);
    if (after.refunded_original_amount === sale.refunded_original_amount) return "unchanged";
    // It is stored, because several of them together may be worth something.
    return after.refunded_cents === sale.refunded_cents && sale.amount_cents > 0 ? "worthless" : "changed";
  });
}

/** A sale after a settlement, and its lead. */
export interface Settled {
  sale: Sale;
  lead: Lead;
  /** The refund that was added, or null. */
  refund: Refund | null;
  /** The commissions that were added. */
  commissions: Commission[];
}

/** A sale with the present knowledge of its payment. */
interface Settlement {
  account: Account;
  sale: Sale;
  payment: SalePayment;
  /** The instant from which the lead is refunded, or a customer again. */
  at: string;
  /** The refund that the account has recorded itself. Absent: none. */
  refund?: Refund;
  /** Whether it turned out to be the payment of an earlier sale. Absent: no. */
  is_duplicate?: true;
}

/**
 * Brings a sale in line with its payment: its amount, its refunds, and its commissions. Commissions never
 * change. Further ones, with the terms of the first, add or take back the difference.
 *
 * @see docs/spec/money.md "Billing providers"
 */
export async function settle(
  tx: Transaction,
  context: Context,
  { account, sale, payment, at, refund: own, is_duplicate }: Settlement,
): Promise<Settled> {
  const marked: Sale = { ...sale, ...(is_duplicate && { is_duplicate }) };
  const known = { ...marked, ...(await amountsOf(tx, account, { sale: marked, payment })) };
  const taken = takenAmount(known.original_amount, payment);
  const after = { ...known, refunded_original_amount: taken, refunded_cents: inCents(known, taken) };
  const currencyDigits = exponentOf(account.currency) ?? 2;
  const settled = { ...payment, earnings: earnAgain(payment.earnings, { ...after, currencyDigits }) };
  const added = await writeRefunds(tx, context, { sale: after, payment });
  const refund = added ?? (own && (await tx.get(refunds, own.account_id, own.id))) ?? null;
  const before = { sale, payment };
  await tx.put(salePayments, settled);
  await tx.put(sales, after);
  const lead = await markRefunded(tx, context, { before: sale, after, at });
  const made = payment.is_reported
    ? await correct(tx, context, { lead, before, after: { sale: after, payment: settled }, refund })
    : await takeBack(tx, context, { lead, sale, after, refund });
  return keepCommissions(tx, { sale: after, lead, refund, commissions: made });
}

/** A sale or a refund with the commissions that were added to it. */
function withCommissions<R extends { commission_ids: number[] }>(record: R, added: Commission[]): R {
  return { ...record, commission_ids: [...record.commission_ids, ...added.map(({ id }) => id)] };
}

/** Writes a sale and its refund with the commissions that were added to them. */
export async function keepCommissions(tx: Transaction, settled: Settled): Promise<Settled> {
  const { commissions } = settled;
  const sale = withCommissions(settled.sale, commissions);
  await tx.put(sales, sale);
  const refund = settled.refund && withCommissions(settled.refund, commissions);
  if (refund !== null) await tx.put(refunds, refund);
  return { ...settled, sale, refund };
}

/** The sale of a payment, after its duplicates are dropped. Null if none is recorded. */
async function mergeSales(
  tx: Transaction,
  context: Context,
  { account, reported }: { account: Account; reported: ReportedPayment },
): Promise<Sale | null> {
  const found = await salesOf(tx, account.id, reported.eventIds);
  const [first = null, ...others] = found.filter(({ is_duplicate }) => !is_duplicate);
  if (first === null || others.length === 0) return first;
  const payment = await loadPayment(tx, first, reported.parts);
  const takings = [...payment.takings];
  for (const other of others) {
    const dropped = await tx.get(salePayments, account.id, other.id);
    // The account sent the other sale itself, and knows whether it is a separate one.
    if (!dropped?.is_reported) continue;
    const given = { account, sale: other, payment: { ...dropped, takings: [] }, at: other.created_at };
    await settle(tx, context, { ...given, is_duplicate: true });
    takings.push(...dropped.takings.filter(({ id }) => takings.every((each) => each.id !== id)));
  }
  const merged = { account, sale: first, payment: { ...payment, takings }, at: first.created_at };
  return (await settle(tx, context, merged)).sale;
}

/** The sales under some event ids. One that the account sent itself comes first, then the earliest. */
async function salesOf(tx: Transaction, accountId: number, eventIds: string[]): Promise<Sale[]> {
  const found: { sale: Sale; is_reported: boolean }[] = [];
  for (const eventId of new Set(eventIds)) {
    const sale = await tx.find(sales, "event", accountId, [digest(eventId)]);
    if (sale === null) continue;
    const isReported = (await tx.get(salePayments, accountId, sale.id))?.is_reported ?? false;
    found.push({ sale, is_reported: isReported });
  }
  return found
    .toSorted(
      (one, other) => Number(one.is_reported) - Number(other.is_reported) || one.sale.id - other.sale.id,
    )
    .map(({ sale }) => sale);
}

/** A sale, and the stored reports on its payment. */
interface Kept {
  sale: Sale;
  payment: SalePayment;
}

/**
 * A bank may dispute a payment in another currency, by the rate of its day. Without a rate it counts as the
 * whole payment, as most disputes do. A sale that the account sent itself may be in another currency than its
 * payment. If it is known what was paid, only the refunded part of it counts, and that is the same in any currency.
 */
async function inSaleCurrency(
  tx: Transaction,
  { account, sale, payment, taking }: Kept & { account: Account; taking: ReportedTaking },
): Promise<Taking> {
  const { currency, at, ...given } = taking;
  const kept = { ...given, at: at.toISOString() };
  const { amount_cents, original_amount, original_currency } = sale;
  const isOwnSale = !payment.is_reported;
  if (isOwnSale && paidAmount({ ...payment, takings: [...payment.takings, kept] }) !== null) return kept;
  if (currency === original_currency) return kept;
  const convert = async (amount: number) => {
    const money = await toAccountCurrency(tx, account, { amount, currency, at });
    if (isMissing(money)) return null;
    const isOwn = original_currency === null || amount_cents === 0;
    return isOwn ? money.cents : share(money.cents, original_amount, amount_cents);
  };
  const grossAmount = await convert(kept.gross_amount);
  if (grossAmount === null) {
    return { ...kept, gross_amount: payment.parts?.gross_amount ?? original_amount, net_amount: null };
  }
  return {
    ...kept,
    gross_amount: grossAmount,
    net_amount: kept.net_amount && (await convert(kept.net_amount)),
  };
}

/** The amounts of a reported sale. It keeps its currency and its day. Null if they are unchanged. */
async function amountsOf(
  tx: Transaction,
  account: Account,
  { sale, payment: { parts, base = USUAL_BASE, is_reported } }: Pick<Settlement, "sale" | "payment">,
): Promise<Pick<Sale, "amount_cents" | "original_amount" | "quantity"> | null> {
  if (sale.is_duplicate) return { amount_cents: 0, original_amount: 0, quantity: sale.quantity };
  if (parts === null || !is_reported) return null;
  const { quantity } = parts;
  const originalAmount = countedAmount(parts, base);
  if (originalAmount === sale.original_amount) {
    return { amount_cents: sale.amount_cents, original_amount: originalAmount, quantity };
  }
  const { original_currency: currency, created_at } = sale;
  const given = { amount: originalAmount, currency, at: new Date(created_at) };
  const money = await toAccountCurrency(tx, account, given);
  // The day's rate may be gone. Then the sale's own rate is used.
  const amountCents = isMissing(money) ? inCents(sale, originalAmount) : money.cents;
  return { amount_cents: amountCents, original_amount: originalAmount, quantity };
}

/** A part of a sale in the account's currency. */
function inCents({ amount_cents, original_amount }: Sale, part: number): number {
  return original_amount === 0 ? 0 : share(amount_cents, part, original_amount);
}

/**
 * Gives each refund of a payment the amount by which it raised the refunded part. A bank may return money, so
 * that the part falls again. A refund without effect leaves no record until it has one. Returns the last that
 * was added.
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
    const upTo = takenAmount(sale.original_amount, { ...payment, takings });
    const originalAmount = upTo - before;
    const amountCents = inCents(sale, upTo) - inCents(sale, before);
    before = upTo;
    const known = await tx.find(refunds, "event", sale.account_id, [digest(eventId)]);
    const isNothing = sale.amount_cents === 0 ? originalAmount === 0 : amountCents === 0;
    if (known === null && isNothing) continue;
    if (known?.amount_cents === amountCents && known.sale_id === sale.id) continue;
    const id = known?.id ?? (await context.store.nextId("event"));
    const given = {
      id,
      event_id: eventId,
      amount_cents: amountCents,
      original_amount: originalAmount,
      original_currency: sale.original_currency,
    };
    const refund = {
      ...newRefund(sale, { ...given, created_at: createdAt }),
      commission_ids: known?.commission_ids ?? [],
    };
    if (known === null) await tx.insert(refunds, (added = refund));
    // The account may have sent its own refund in another currency.
    else await tx.put(refunds, kind === "own" ? { ...known, amount_cents: amountCents } : refund);
  }
  return added;
}

/** The change of a sale. */
interface Change {
  lead: Lead;
  before: Moment;
  after: Moment;
}

/** A sale and its payment at one moment. */
type Moment = Pick<Settlement, "sale" | "payment">;

/** Adds the missing part of each commission, or takes back the excess. */
async function correct(
  tx: Transaction,
  context: Context,
  { refund, ...change }: Change & { refund: Refund | null },
): Promise<Commission[]> {
  const { before, after } = change;
  const added: Commission[] = [];
  const lost: Commission[] = [];
  for (const [index, id] of before.payment.commission_ids.entries()) {
    const commission = await tx.get(commissions, before.sale.account_id, id);
    // It may have been deleted by hand.
    if (commission === null) continue;
    const isBonus = commission.target_rules !== undefined;
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
 * The correction of a target's bonus. It is lost when the rules no longer hold without the refunded part of
 * the sale, and returns with the money unless the target was reached again meanwhile.
 */
async function bonusChange(
  tx: Transaction,
  commission: Commission,
  { lead, before, after, index }: Change & { index: number },
): Promise<number> {
  const whole = after.payment.earnings[index]?.amount ?? 0;
  const family = await withTakeBacks(tx, commission);
  const current = family.reduce((sum, { amount }) => sum + amount, 0);
  if (after.sale.is_duplicate) return -current;
  const isLost = await isBonusLost(tx, { ...commission, taken_back_by_ids: [] }, { lead, sale: after.sale });
  if (current > 0) return (isLost ? 0 : whole) - current;
  const isBack = leftCents(after.sale) > leftCents(before.sale);
  return isBack && !isLost && (await regainTarget(tx, commission, after.sale)) ? whole : 0;
}

function leftCents({ amount_cents, refunded_cents }: Sale): number {
  return amount_cents - refunded_cents;
}

/** The unrefunded part of a commission. */
function dueOf({ sale, payment }: Moment, index: number): number {
  const { amount } = payment.earnings[index] ?? { amount: 0 };
  const { amount_cents, refunded_cents, original_amount, refunded_original_amount } = sale;
  if (original_amount === 0) return 0;
  // A sale in another currency may be worth zero in the account's, and still earn a flat reward.
  return amount_cents === 0
    ? amount - share(amount, refunded_original_amount, original_amount)
    : amount - share(amount, refunded_cents, amount_cents);
}
