import { z } from "zod";
import { share } from "../../domain/money/money.ts";
import type { BillingPeriod } from "../../domain/sale/sale.ts";
import { soldQuantity, type Nothing, type PaymentTold } from "../told.ts";
import { payerOf } from "../payer.ts";
import type { PaddleApi } from "./api.ts";
import { amount, customData, instant } from "./fields.ts";

const PERIODS: Record<string, BillingPeriod> = {
  "1 month": "monthly",
  "1 year": "yearly",
  "12 month": "yearly",
};

const item = z.object({
  price: z
    .object({
      id: z.string(),
      unitPrice: z.object({ amount }),
      billingCycle: z.object({ interval: z.string(), frequency: z.number() }).nullish(),
    })
    .nullish(),
  quantity: z.int(),
});

const transactionShape = z.object({
  id: z.string(),
  customerId: z.string().nullish(),
  subscriptionId: z.string().nullish(),
  currencyCode: z.string(),
  discountId: z.string().nullish(),
  customData,
  details: z
    .object({ totals: z.object({ total: amount, tax: amount, grandTotal: amount }).nullish() })
    .nullish(),
  items: z.array(item),
  billedAt: instant.nullish(),
  createdAt: instant,
});

/** A completed transaction. */
export async function transactionCompleted(
  data: unknown,
  api: PaddleApi | null,
): Promise<PaymentTold | Nothing> {
  const transaction = transactionShape.parse(data);
  const { id, currencyCode, details, items } = transaction;
  const totals = details?.totals;
  if (!totals) return { kind: "nothing", reason: "The transaction has no totals" };
  const { total, tax, grandTotal: paid } = totals;
  const { price = null, quantity = 1 } = largestOf(items) ?? {};
  const cycle = price?.billingCycle ?? null;
  const discount = transaction.discountId;
  const code = discount && api ? await api.promoCode(discount) : null;
  return {
    kind: "payment",
    objects: [id],
    subscriptionId: transaction.subscriptionId ?? null,
    payer: payerOf({
      customerId: transaction.customerId ?? null,
      email: null,
      metadata: [transaction.customData],
      promoCodes: code === null ? [] : [code],
    }),
    parts: {
      source: "transaction",
      grossAmount: paid,
      // Credit that pays a part of it pays the same part of the tax.
      netAmount: total > 0 ? share(paid, total - tax, total) : paid,
      quantity: soldQuantity(quantity),
    },
    currency: currencyCode,
    planId: price?.id ?? null,
    billingPeriod: cycle === null ? "one_time" : (PERIODS[`${cycle.frequency} ${cycle.interval}`] ?? null),
    at: transaction.billedAt ?? transaction.createdAt,
  };
}

/** The item that costs most. Choice: as for Stripe's invoices, it is what the sale sells. */
function largestOf(items: z.output<typeof item>[]) {
  const cost = ({ price, quantity }: z.output<typeof item>) => (price?.unitPrice.amount ?? 0) * quantity;
  return items.toSorted((one, other) => cost(other) - cost(one))[0];
}
