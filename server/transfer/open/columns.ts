import type { Account } from "../../domain/program/account/account.ts";
import type { Decimal } from "../../csv.ts";
import { exponentOf, type Unit } from "../../domain/money.ts";
import { decimalOf } from "../../domain/ledger/payments-batch/payments.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { View } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/** A value of an open file. Objects are JSON in a CSV file. */
export type OpenValue = string | number | boolean | null | Decimal | object;

/** One record of an open file, by column. */
export type OpenLine = Record<string, OpenValue>;

/** The context of all columns. */
export interface Opening {
  view: View;
  account: Account;
  /** Whether details of payout methods are written, such as bank account numbers. */
  hasPayoutDetails: boolean;
  people: People;
}

/** Names of people by id. */
export interface People {
  promoterEmail(id: number): Promise<string | null>;
  lead(id: number | null): Promise<{ email: string | null; uid: string | null }>;
}

/** The size of the cache of names. Records of one promoter are often adjacent. */
const MOST_REMEMBERED = 10_000;
const NO_LEAD = { email: null, uid: null };

/** Finds the names of people, with a cache. */
export function newPeople(view: View, { id: accountId }: Account): People {
  const promoterOf = remembered(view, promoters, accountId);
  const leadOf = remembered(view, leads, accountId);
  return {
    promoterEmail: async (id) => (await promoterOf(id))?.email ?? null,
    lead: async (id) => (id === null ? NO_LEAD : ((await leadOf(id)) ?? NO_LEAD)),
  };
}

/** An amount as a decimal number: cash in this currency, other units as they are. */
export function amountOf(amount: number, currency: string, unit: Unit = "cash"): Decimal {
  if (unit !== "cash") return { decimal: String(amount) };
  const size = decimalOf(Math.abs(amount), currency);
  return { decimal: amount < 0 ? `-${size}` : size };
}

/** A reward's amount, which is kept in ten-thousandths. */
export function tenThousandthsOf(amount: number): Decimal {
  const whole = Math.trunc(amount / 10_000);
  const rest = String(amount % 10_000)
    .padStart(4, "0")
    .replace(/0+$/, "");
  return { decimal: rest === "" ? String(whole) : `${whole}.${rest}` };
}

/** A known currency, or the account's. */
export function currencyOf({ currency }: Account, original: string | null): string {
  return original !== null && exponentOf(original) !== null ? original : currency;
}

function remembered<R>(view: View, from: Table<R>, accountId: number): (id: number) => Promise<R | null> {
  const known = new Map<number, Promise<R | null>>();
  return (id) => {
    if (known.size >= MOST_REMEMBERED) known.clear();
    const found = known.get(id) ?? Promise.resolve(view.get(from, accountId, id));
    known.set(id, found);
    return found;
  };
}
