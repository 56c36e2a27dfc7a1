import { z } from "zod";
import { exponentOf, share } from "../../domain/money.ts";

/*
 * Stripe sends events in the API version that the endpoint was created with. These schemas read all versions
 * since 2020. They list only the fields that we use.
 */

/** An object's id, given alone or as a whole object. */
export const objectId = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);

/** The metadata that the account's own code attached to an object. */
export const metadata = z.record(z.string(), z.string()).nullish();

/** Seconds since 1970. */
export const instant = z.int().transform((seconds) => new Date(seconds * 1_000));

/** An amount in the currency's minor unit. */
export const amount = z.int();

/** The cost of shipping, after discounts. */
export const shippingCost = z.object({ amount_total: amount, amount_tax: amount.nullish() }).nullish();

/** The cost of shipping without its tax. */
export function shippingOf(cost: z.output<typeof shippingCost>): number {
  return cost ? cost.amount_total - (cost.amount_tax ?? 0) : 0;
}

/**
 * The currencies whose decimals at Stripe differ from ISO 4217.
 *
 * @see https://docs.stripe.com/currencies#special-cases
 */
const OWN_EXPONENTS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 };

/** An amount of Stripe in the minor unit of ISO 4217. */
export function isoAmount(amount: number, currency: string): number {
  const code = currency.toUpperCase();
  const own = OWN_EXPONENTS[code];
  return own === undefined ? amount : share(amount, 10 ** (exponentOf(code) ?? own), 10 ** own);
}
