import { decimalOf, exponentOf, share, withPoint } from "../../money.ts";
import type { PaymentProviderName } from "./connection.ts";

/** How a provider writes amounts. */
interface ProviderMoney {
  /** The currencies whose decimals differ from those of ISO 4217. */
  decimals: Readonly<Record<string, number>>;
  /** The currencies of which it takes only multiples of some units of the last decimal. */
  steps: Readonly<Record<string, number>>;
}

const AS_ISO: ProviderMoney = { decimals: {}, steps: {} };

/**
 * What each provider's documents say, read in November 2026.
 *
 * Stripe, https://docs.stripe.com/currencies ("Special cases", "Three-decimal currencies"): krónur and Ugandan shillings have two
 * decimals for compatibility, which must be 00. The last of three decimals must be 0. Forints and new Taiwan dollars lack decimals only in
 * payouts to banks. Ariary are among the currencies without decimals.
 *
 * PayPal, https://developer.paypal.com/docs/api/reference/currency-codes/, note 1: a decimal amount of forints, yen or new Taiwan dollars is an
 * error.
 *
 * Wise and Tremendous take decimal numbers and list no exceptions (https://docs.wise.com/api-reference/quote,
 * https://developers.tremendous.com/docs/handling-currencies).
 */
const MONEY: Record<PaymentProviderName, ProviderMoney> = {
  stripe: {
    decimals: { ISK: 2, UGX: 2, MGA: 0 },
    steps: { ISK: 100, UGX: 100, BHD: 10, JOD: 10, KWD: 10, OMR: 10, TND: 10 },
  },
  paypal: { decimals: { HUF: 0, JPY: 0, TWD: 0 }, steps: {} },
  wise: AS_ISO,
  tremendous: AS_ISO,
};

/** The decimals that a provider writes an amount of a currency with. */
export function providerDecimals(provider: PaymentProviderName, currency: string): number {
  return MONEY[provider].decimals[currency] ?? exponentOf(currency) ?? 2;
}

/** The smallest amount that a provider pays, in the minor unit of ISO 4217. It pays multiples of it only. */
export function smallestPayment(provider: PaymentProviderName, currency: string): number {
  const step = MONEY[provider].steps[currency] ?? 1;
  const own = providerDecimals(provider, currency);
  return Math.max(1, (step * 10 ** (exponentOf(currency) ?? own)) / 10 ** own);
}

/** Why a provider can't pay an amount that is no multiple of its smallest one, after the provider's name. */
export function stepWords(provider: PaymentProviderName, amount: number, currency: string): string {
  const step = decimalOf(smallestPayment(provider, currency), currency);
  return `pays ${currency} in steps of ${step}, and this is ${decimalOf(amount, currency)}`;
}

/** An amount in the provider's smallest unit, from the minor unit of ISO 4217. */
export function providerAmount(provider: PaymentProviderName, amount: number, currency: string): number {
  return share(amount, 10 ** providerDecimals(provider, currency), 10 ** (exponentOf(currency) ?? 2));
}

/** An amount in the minor unit of ISO 4217, from the provider's smallest unit. */
export function isoAmount(provider: PaymentProviderName, amount: number, currency: string): number {
  return share(amount, 10 ** (exponentOf(currency) ?? 2), 10 ** providerDecimals(provider, currency));
}

/** An amount as a decimal number with a point, as the provider writes it. */
export function providerDecimal(provider: PaymentProviderName, amount: number, currency: string): string {
  const decimals = providerDecimals(provider, currency);
  return withPoint(providerAmount(provider, amount, currency), decimals);
}
