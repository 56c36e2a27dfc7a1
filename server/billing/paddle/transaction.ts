import type { TransactionNotification } from "@paddle/paddle-node-sdk";
import { share } from "../../domain/money/amount.ts";
import type { BillingPeriod } from "../../domain/sale/record.ts";
import type { Nothing, PaymentTold } from "../told.ts";
import { payerOf } from "../payer.ts";
import type { PaddleApi } from "./api.ts";

const PERIODS: Record<string, BillingPeriod> = {
  "1 month": "monthly",
  "1 year": "yearly",
  "12 month": "yearly",
};

/** A completed transaction. Paddle's amounts are texts, in the minor unit of their currency. */
export async function transactionCompleted(
  transaction: TransactionNotification,
  api: PaddleApi | null,
): Promise<PaymentTold | Nothing> {
  const { id, customerId, subscriptionId, currencyCode, details, items } = transaction;
  const totals = details?.totals;
  if (!totals) return { kind: "nothing", reason: "The transaction has no totals" };
  const [total, tax, paid] = [totals.total, totals.tax, totals.grandTotal].map(Number) as [
    number,
    number,
    number,
  ];
  const { price = null, quantity = 1 } = largestOf(items) ?? {};
  const cycle = price?.billingCycle ?? null;
  const discount = transaction.discountId;
  const code = discount && api ? await api.promoCode(discount) : null;
  return {
    kind: "payment",
    objects: [id],
    subscriptionId,
    payer: payerOf({
      customerId,
      email: null,
      metadata: [transaction.customData as Record<string, unknown> | null],
      promoCodes: code === null ? [] : [code],
    }),
    grossAmount: paid,
    // Credit that pays a part of it pays the same part of the tax.
    netAmount: total > 0 ? share(paid, total - tax, total) : paid,
    currency: currencyCode,
    planId: price?.id ?? null,
    quantity,
    billingPeriod: cycle === null ? "one_time" : (PERIODS[`${cycle.frequency} ${cycle.interval}`] ?? null),
    at: new Date(transaction.billedAt ?? transaction.createdAt),
  };
}

/** The item that costs most. Choice: as for Stripe's invoices, it is what the sale sells. */
function largestOf(items: TransactionNotification["items"]) {
  const cost = ({ price, quantity }: (typeof items)[number]) =>
    Number(price?.unitPrice.amount ?? 0) * quantity;
  return items.toSorted((one, other) => cost(other) - cost(one))[0];
}
