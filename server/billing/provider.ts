import { z } from "zod";
import type { BillingConnection, BillingMode, BillingProvider } from "../domain/ledger/billing/connection.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import { Failure } from "../failure.ts";
import type { Nothing, Payer, BillingEvent } from "./event.ts";

/** An event in the provider's own form. */
export interface ProviderEvent {
  /** The provider's id, or null if it gave none. */
  id: string | null;
  type: string;
  /** When it happened. */
  at: Date;
  /** When the provider signed it. Null: it was listed by the provider's API. */
  signed_at: Date | null;
  /** Whether it is about money, not about a test. Null: the provider does not say. */
  isLive: boolean | null;
  data: unknown;
}

/**
 * An adapter of a billing provider, bound to one account's connection. A further provider needs a module like
 * `stripe/stripe.ts`, its name in `BILLING_PROVIDERS`, and a line in `MODULES`.
 */
export interface Provider {
  /** The mode of the connection. */
  mode: BillingMode;
  /** Whether the provider signed a request, and not too long ago. Its own package checks it. */
  isSigned(body: string, headers: Headers, now: Date): Promise<boolean>;
  /** Signs a body as the provider does, to try the connection. */
  sign(body: string, now: Date): Promise<Headers>;
  /** Reads the event of a signed request. @throws Failure `malformed` */
  read(body: string, headers: Headers): Promise<ProviderEvent>;
  /**
   * Translates an event into our terms. It may ask the provider's API for details that the event leaves out.
   */
  toOperation(event: ProviderEvent): Promise<BillingEvent | Nothing>;
  /** The API's further names of a payer. Null: none, or the connection has no API key. */
  lookUp(customerId: string): Promise<Payer | null>;
  /** The events since an instant, newest first. @throws Failure `refused` without an API key */
  list(since: Date): AsyncGenerator<ProviderEvent>;
  /** All payments and refunds of a lead, in any order. @throws Failure `refused` without an API key */
  history(lead: Lead): AsyncGenerator<BillingEvent | Nothing>;
}

/** The adapter of a connection. A provider's package is loaded only when an account uses it. */
export async function openProvider(connection: BillingConnection): Promise<Provider> {
  const { newProvider } = await MODULES[connection.provider]();
  return newProvider(connection);
}

/** The types of events that a provider must send. All others are ignored. */
export async function eventTypesOf(provider: BillingProvider): Promise<string[]> {
  return (await MODULES[provider]()).EVENT_TYPES;
}

/** Older than all known providers; an earlier date is a clock fault. */
const EARLIEST = Date.UTC(2000);
/** The tolerated clock difference. */
const TOLERANCE_MS = 5 * 60 * 1_000;

/**
 * Translates a provider's event into our terms, and refuses impossible ones. One of the other mode means nothing, and the
 * provider's API does not know it.
 *
 * @throws Failure `malformed` for a missing field, an amount with a fraction, or an impossible date
 * @see docs/spec/money.md "Billing providers"
 */
export async function translate(provider: Provider, event: ProviderEvent): Promise<BillingEvent | Nothing> {
  const { mode } = provider;
  if (event.isLive !== null && event.isLive !== (mode === "live"))
    return { kind: "nothing", reason: OTHER_MODE[mode], isOtherMode: true };
  const reported = await readable(() => provider.toOperation(event));
  if (reported.kind === "nothing") return reported;
  for (const date of [event.at, reported.at]) refuseImpossible(date, event.signed_at);
  return reported;
}

/** The reasons why an event of the other mode does not count, by the mode of the connection. */
const OTHER_MODE: Record<BillingMode, string> = {
  live: "It is of the test mode, and the connection is live",
  test: "It is live, and the connection is of the test mode",
};

/** @throws Failure `malformed` instead of a schema's own error */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    throw new Failure("malformed", `The event can't be read: ${issue?.path.join(".")} ${issue?.message}`);
  }
}

interface Module {
  newProvider(of: BillingConnection): Provider;
  EVENT_TYPES: string[];
}

const MODULES: Record<BillingProvider, () => Promise<Module>> = {
  stripe: () => import("./stripe/stripe.ts"),
  paddle: () => import("./paddle.ts"),
};

/**
 * An event may be days old when it is signed, because providers repeat it, but it can't be from the future.
 */
function refuseImpossible(date: Date, signedAt: Date | null): void {
  const time = date.getTime();
  if (Number.isNaN(time)) throw new Failure("malformed", "The event has a date that does not exist");
  if (time < EARLIEST) throw new Failure("malformed", "The event has a date before 2000");
  if (signedAt !== null && time > signedAt.getTime() + TOLERANCE_MS) {
    throw new Failure("malformed", "The event has a date more than five minutes after its signature");
  }
}
