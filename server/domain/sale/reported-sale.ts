import type { Account } from "../account/account.ts";
import { digest } from "../../storage/digests.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { share } from "../money/money.ts";
import { isMissing, toAccountCurrency } from "../money/rate.ts";
import {
  bestParts,
  loadPayment,
  salePayments,
  type PaymentParts,
  type SalePayment,
  type Taking,
} from "./payment.ts";
import type { Sale } from "./record.ts";
import { markRefunded } from "./refunded-sale.ts";
import { refunds, sales } from "./sales.ts";
import { settle } from "./settlement.ts";

/** The payment of a billing provider that an event is about. */
export interface ReportedPayment {
  /** The event ids under which its sale may be recorded. */
  eventIds: string[];
  /** What is known of it by now. null: nothing. */
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
 * What became of a report: no sale of it is recorded; it was recorded before; it changed nothing, because refunds have
 * taken the whole sale back, or because it is worth less than the smallest unit; or it changed something.
 */
export type Settling = "unknown" | "repeated" | "unchanged" | "worthless" | "changed";

/**
 * Makes the sale of a payment agree with what the provider has reported of it. If the payment was recorded as two sales,
 * before an event showed that they are one, the earlier sale stays, and the other one counts nothing.
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
    const { sale: after } = await settle(tx, context, { account, sale, payment: { ...payment, parts } });
    await markRefunded(tx, context, { before: sale, after, at: sale.createdAt });
    return after.amountCents === sale.amountCents ? "unchanged" : "changed";
  });
}

/** Records money that went back to a customer, or came again. However often it is reported, it counts once. */
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
    const { sale: after } = await settle(tx, context, { account, sale, payment: { ...payment, takings } });
    await markRefunded(tx, context, { before: sale, after, at: taking.at.toISOString() });
    if (after.refundedOriginalAmount === sale.refundedOriginalAmount) return "unchanged";
    // It is kept, because several of them may be worth something.
    return after.refundedCents === sale.refundedCents && sale.amountCents > 0 ? "worthless" : "changed";
  });
}

/** The sale of a payment, after all others of it are dropped. null: none is recorded. */
async function mergeSales(
  tx: Transaction,
  context: Context,
  { account, reported }: { account: Account; reported: ReportedPayment },
): Promise<Sale | null> {
  const found = await salesOf(tx, account.id, reported.eventIds);
  const [first = null, ...others] = found.filter(({ isDuplicate }) => !isDuplicate);
  if (first === null || others.length === 0) return first;
  const payment = await loadPayment(tx, first, reported.parts);
  const takings = [...payment.takings];
  for (const other of others) {
    const dropped = await tx.get(salePayments, account.id, other.id);
    // The account sent the other sale itself, and knows whether it is one of its own.
    if (!dropped?.isReported) continue;
    const sale: Sale = { ...other, isDuplicate: true };
    const after = await settle(tx, context, { account, sale, payment: { ...dropped, takings: [] } });
    await markRefunded(tx, context, { before: other, after: after.sale, at: other.createdAt });
    takings.push(...dropped.takings.filter(({ id }) => takings.every((each) => each.id !== id)));
  }
  const settled = await settle(tx, context, { account, sale: first, payment: { ...payment, takings } });
  await markRefunded(tx, context, { before: first, after: settled.sale, at: first.createdAt });
  return settled.sale;
}

/** The sales under some event ids. One that the account sent itself comes first, then the earliest. */
async function salesOf(tx: Transaction, accountId: number, eventIds: string[]): Promise<Sale[]> {
  const found: { sale: Sale; isReported: boolean }[] = [];
  for (const eventId of new Set(eventIds)) {
    const sale = await tx.find(sales, "event", accountId, [digest(eventId)]);
    if (sale === null) continue;
    const isReported = (await tx.get(salePayments, accountId, sale.id))?.isReported ?? false;
    found.push({ sale, isReported });
  }
  return found
    .toSorted(
      (one, other) => Number(one.isReported) - Number(other.isReported) || one.sale.id - other.sale.id,
    )
    .map(({ sale }) => sale);
}

/**
 * A bank may dispute a payment in another currency, by the rate of its day. Without a rate it is the whole payment, which
 * most disputes are about.
 */
async function inSaleCurrency(
  tx: Transaction,
  { account, sale, payment, taking }: Kept & { account: Account; taking: ReportedTaking },
): Promise<Taking> {
  const { currency, at, ...given } = taking;
  const kept = { ...given, at: at.toISOString() };
  const { amountCents, originalAmount, originalCurrency } = sale;
  if (currency === originalCurrency) return kept;
  const convert = async (amount: number) => {
    const money = await toAccountCurrency(tx, account, { amount, currency, at });
    if (isMissing(money)) return null;
    const isOwn = originalCurrency === null || amountCents === 0;
    return isOwn ? money.cents : share(money.cents, originalAmount, amountCents);
  };
  const grossAmount = await convert(kept.grossAmount);
  if (grossAmount === null) {
    return { ...kept, grossAmount: payment.parts?.grossAmount ?? originalAmount, netAmount: null };
  }
  return { ...kept, grossAmount, netAmount: kept.netAmount && (await convert(kept.netAmount)) };
}

/** A sale, and what is kept of its payment. */
interface Kept {
  sale: Sale;
  payment: SalePayment;
}
