import { z } from "zod";
import { soldQuantity, type PaymentTold } from "../told.ts";
import { payerOf } from "../payer.ts";
import type { StripeApi } from "./api.ts";
import { asked } from "./api.ts";
import { amount, instant, isoAmount, metadata, objectId, shippingCost, shippingOf } from "./fields.ts";
import { invoicePaid } from "./invoice.ts";

/** As many as Stripe lists at once. A checkout holds fewer. */
const MOST_ITEMS = 100;

const sessionShape = z.object({
  id: z.string(),
  created: instant,
  customer: objectId.nullish(),
  customer_email: z.string().nullish(),
  customer_details: z.object({ email: z.string().nullish() }).nullish(),
  client_reference_id: z.string().nullish(),
  currency: z.string().nullish(),
  amount_total: amount.nullish(),
  total_details: z.object({ amount_tax: amount.nullish(), amount_shipping: amount.nullish() }).nullish(),
  shipping_cost: shippingCost,
  payment_status: z.string().nullish(),
  invoice: objectId.nullish(),
  payment_intent: objectId.nullish(),
  subscription: objectId.nullish(),
  discounts: z.array(z.object({ promotion_code: objectId.nullish() })).nullish(),
  metadata,
});

type Session = z.output<typeof sessionShape>;

/**
 * A checkout. It carries the visit that led to it, which its invoice and charge lack, so whichever comes first records
 * the sale. One that is not paid yet, or free, is a sign-up.
 */
export async function sessionCompleted(data: unknown, api: StripeApi | null): Promise<PaymentTold> {
  const session = sessionShape.parse(data);
  const { id, invoice, payment_intent: intent, currency, subscription } = session;
  const isPaid = session.payment_status === "paid";
  const gross = isPaid ? (session.amount_total ?? 0) : 0;
  const tax = isPaid ? (session.total_details?.amount_tax ?? 0) : 0;
  const { shipping_cost: cost, total_details: details } = session;
  const shipping = cost ? shippingOf(cost) : (details?.amount_shipping ?? 0);
  const code = currency ?? "usd";
  const told: PaymentTold = {
    kind: "payment",
    objects: [invoice, intent, id].filter((each) => typeof each === "string"),
    subscriptionId: subscription ?? null,
    payer: payerOf({
      customerId: session.customer ?? null,
      email: session.customer_details?.email ?? session.customer_email ?? null,
      metadata: [session.metadata],
      reference: session.client_reference_id ?? null,
      promoCodes: await promoCodesOf(session, api),
    }),
    parts: {
      source: "checkout",
      grossAmount: isoAmount(gross, code),
      netAmount: isoAmount(gross - tax, code),
      shippingAmount: isoAmount(isPaid ? shipping : 0, code),
      quantity: 1,
    },
    currency: code.toUpperCase(),
    planId: null,
    billingPeriod: subscription ? null : "one_time",
    at: session.created,
  };
  return isPaid && gross > 0 && api !== null ? withPlan(told, session, api) : told;
}

/** The same with what was sold, which the event leaves out. */
async function withPlan(told: PaymentTold, { id, invoice }: Session, api: StripeApi): Promise<PaymentTold> {
  if (!invoice) {
    const { data } = await asked(api.client.checkout.sessions.listLineItems(id, { limit: MOST_ITEMS }));
    const [largest] = data.toSorted((one, other) => other.amount_total - one.amount_total);
    const parts = { ...told.parts, quantity: soldQuantity(largest?.quantity ?? 1) };
    return { ...told, planId: largest?.price?.id ?? null, parts };
  }
  const paid = await invoicePaid(await asked(api.client.invoices.retrieve(invoice)), api);
  if (paid.kind === "nothing") return told;
  return { ...paid, objects: [...paid.objects, ...told.objects], payer: told.payer };
}

async function promoCodesOf({ discounts }: Session, api: StripeApi | null): Promise<string[]> {
  if (api === null) return [];
  const codes: string[] = [];
  for (const { promotion_code: id } of discounts ?? []) {
    const code = id ? await api.promoCode(id) : null;
    if (code !== null) codes.push(code);
  }
  return codes;
}
