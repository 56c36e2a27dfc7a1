import type { Account } from "../../domain/account/account.ts";
import type { BillingProvider } from "../../domain/billing/connection.ts";
import type { Context } from "../../domain/context.ts";
import { missingRate } from "../../domain/money/rate.ts";
import type { WaitingEvent } from "../../domain/sale/waiting.ts";
import { Failure } from "../../failure.ts";
import type { Payer } from "../told.ts";

export const OUTCOMES = ["sale", "signup", "refund", "cancellation", "known", "waiting", "ignored"] as const;

/** The outcome of an event. */
export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of an event, with the reason if nothing was recorded. */
export interface Taken {
  outcome: Outcome;
  reason: string | null;
}

/** Where an event comes from. */
export interface Source {
  context: Context;
  account: Account;
  provider: BillingProvider;
  /** The provider's API's knowledge of a customer besides the event. null: none. */
  lookUp(customerId: string): Promise<Payer | null>;
}

export function taken(outcome: Outcome, reason: string | null = null): Taken {
  return { outcome, reason };
}

/** The outcome of an event that is kept until there is an exchange rate. */
export function waits({ rate }: WaitingEvent): Taken {
  return taken("waiting", missingRate(rate));
}

/** The result of recording something, or what its refusal means: nobody is meant, or it is recorded already. */
export async function recordOnce(record: Promise<Outcome | Taken>): Promise<Taken> {
  try {
    const result = await record;
    return typeof result === "string" ? taken(result) : result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === "not_found") return taken("ignored", "Nobody referred this customer");
    if (error.kind === "worthless") return taken("ignored", error.message);
    if (error.kind === "already_registered") return taken("known", "It was recorded before");
    throw error;
  }
}
