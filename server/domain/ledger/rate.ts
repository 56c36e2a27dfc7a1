import { Failure } from "../../failure.ts";
import type { Reader } from "../../storage/store.ts";
import { json, table, text, time, type RowOf } from "../../storage/table.ts";
import { accounts, type Account } from "../program/account/account.ts";
import { SYSTEM, type Context } from "../context.ts";
import { exponentOf, share } from "../money.ts";
import { DAY_MS } from "../span.ts";

const fields = {
  /** In UTC, such as `2026-03-04`. */
  day: text(),
  /** ISO 4217 code of the currency that the rates are relative to. */
  base: text(),
  /** How much of each currency one unit of the base buys, as decimal text. */
  rates: json<Record<string, string>>(),
  updated_at: time(),
};

/** The exchange rates of one day. */
export type DayRates = RowOf<typeof fields>;

export const dayRates = table("day-rates", fields, {
  key: ["day"],
});

/** An amount in the account's currency, and as given. */
export interface Converted {
  cents: number;
  original_amount: number;
  /** Null for the account's currency. */
  original_currency: string | null;
}

/** A rate that is not stored. */
export interface MissingRate {
  /** ISO 4217 codes. */
  from: string;
  to: string;
  /** Such as `2026-03-04`. */
  day: string;
}

const RATE = /^(\d{1,12})(?:\.(\d{1,12}))?$/;

/** Whether a text is a positive decimal number of at most twelve digits on each side of the point. */
export function isRate(text: string): boolean {
  return RATE.test(text) && /[1-9]/.test(text);
}

/**
 * Stores the rates of some days, in one commit. New rates of a known day are added, and replace those of the
 * same currencies. A day has one base, so rates with another base replace all of the day's rates.
 *
 * @see docs/spec/v2.md "Exchange rates"
 */
export function storeRates(
  { store, now }: Context,
  ownerId: number,
  days: Pick<DayRates, "day" | "base" | "rates">[],
): Promise<DayRates[]> {
  return store.transact(async (tx) => {
    const stored: DayRates[] = [];
    for (const { day, base, rates } of days) {
      const before = await tx.get(dayRates, ownerId, day);
      const known = before?.base === base ? before.rates : {};
      const after = {
        account_id: ownerId,
        day,
        base,
        rates: { ...known, ...rates },
        updated_at: now.toISOString(),
      };
      await tx.put(dayRates, after);
      stored.push(after);
    }
    return stored;
  });
}

/** How many days back a rate is looked up. Central banks publish none on weekends and holidays. */
const DAYS_BACK = 7;

/**
 * The rates that a sale of this day may use, in order: the latest day first, and for each day the account's
 * own before the operator's.
 */
export async function* ratesFor(reader: Reader, accountId: number, at: Date): AsyncGenerator<DayRates> {
  for (let back = 0; back <= DAYS_BACK; back++) {
    const day = new Date(at.getTime() - back * DAY_MS).toISOString().slice(0, 10);
    for (const ownerId of [accountId, SYSTEM]) {
      const found = await reader.get(dayRates, ownerId, day);
      if (found !== null) yield found;
    }
  }
}

/**
 * Converts an amount in a currency's minor unit to the account's currency, by the rate of its day or of the
 * seven days before, or returns the missing rate. `currency` is null if the amount is in the account's
 * currency.
 *
 * Within a transaction it also ensures that the account's currency does not change before the commit.
 *
 * @throws Failure `rule_broken` if the currency is unknown
 */
export async function toAccountCurrency(
  reader: Reader,
  account: Account,
  { amount, currency, at }: { amount: number; currency: string | null; at: Date },
): Promise<Converted | MissingRate> {
  const { currency: own } = (await reader.get(accounts, SYSTEM, account.id)) ?? account;
  const given = currency?.trim().toUpperCase() ?? own;
  if (given === own) return { cents: amount, original_amount: amount, original_currency: null };
  const exponent = exponentOf(given);
  if (exponent === null) throw new Failure("rule_broken", `${currency} is not an ISO 4217 currency`);
  const rate = await findRate(reader, account.id, { from: given, to: own, at });
  if (rate === null) return { from: given, to: own, day: at.toISOString().slice(0, 10) };
  const cents = share(
    amount,
    rate.numerator * 10n ** BigInt(exponentOf(own) ?? 2),
    rate.denominator * 10n ** BigInt(exponent),
  );
  if (!Number.isSafeInteger(cents)) throw new Failure("rule_broken", `${amount} ${given} is too large`);
  return { cents, original_amount: amount, original_currency: given };
}

/** Whether an amount could not be converted. */
export function isMissing(money: object): money is MissingRate {
  return "day" in money;
}

/** A sentence about a missing rate. */
export function missingRate({ from, to, day }: MissingRate): string {
  return `There is no exchange rate from ${from} to ${to} for ${day}`;
}

/** The error for an amount that converts to zero. */
export function worthless(
  { amount, currency }: { amount: number; currency: string | null },
  account: Account,
): Failure {
  const given = `${amount} ${currency ?? account.currency}`;
  return new Failure("worthless", `${given} are worth less than the smallest unit of ${account.currency}`);
}

/** The rate between two currencies as a fraction, or null if no day has rates for both. */
async function findRate(
  reader: Reader,
  accountId: number,
  { from, to, at }: { from: string; to: string; at: Date },
): Promise<{ numerator: bigint; denominator: bigint } | null> {
  for await (const { base, rates } of ratesFor(reader, accountId, at)) {
    const [price, value] = [from, to].map((code) => (code === base ? "1" : rates[code]));
    if (price === undefined || value === undefined) continue;
    const [one, other] = [fractionOf(value), fractionOf(price)];
    return {
      numerator: one.numerator * other.denominator,
      denominator: one.denominator * other.numerator,
    };
  }
  return null;
}

function fractionOf(rate: string): { numerator: bigint; denominator: bigint } {
  const [, units = "", decimals = ""] = RATE.exec(rate) ?? [];
  return { numerator: BigInt(units + decimals), denominator: 10n ** BigInt(decimals.length) };
}
