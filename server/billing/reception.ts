import type { Account } from "../domain/program/account/account.ts";
import type { BillingConnection, BillingProvider } from "../domain/ledger/billing/connection.ts";
import {
  noteReceived,
  type Arrival,
  type Outcome,
  type ReceivedEvent,
} from "../domain/ledger/billing/received.ts";
import type { Context } from "../domain/context.ts";
import { cancellations, refunds, sales } from "../domain/ledger/sale/sale.ts";
import { waitingEvents } from "../domain/ledger/sale/waiting.ts";
import { leads } from "../domain/people/lead/lead.ts";
import { Failure, isOutage } from "../failure.ts";
import { digest } from "../storage/digests.ts";
import type { Store, Transaction } from "../storage/store.ts";
import type { Nothing, BillingEvent, Payer } from "./event.ts";
import { openProvider, translate, type Provider, type ProviderEvent } from "./provider.ts";
import { recordEvent } from "./record/record.ts";
import { findLead, ownersOf, recordedAs, type Recorded } from "./record/source.ts";

/** How people call the providers. */
export const PROVIDER_NAMES: Record<BillingProvider, string> = { stripe: "Stripe", paddle: "Paddle" };

/** A request that says it comes from a billing provider. */
export interface Delivery {
  context: Context;
  account: Account;
  connection: BillingConnection;
  body: string;
  headers: Headers;
  /** Whether a user tries the connection: everything is done except recording. */
  is_test: boolean;
  /** Runs a note that the sender need not wait for. */
  later: (note: () => Promise<ReceivedEvent>) => void;
  /** Called if the signature is right. */
  onSigned?: () => void;
  /** Called if it is wrong. */
  onForged?: () => void;
}

/**
 * Receives an event: checks its signature, records what it reports, and notes what became of it. The note is in
 * the commit that records the event. If nothing is recorded, it follows the answer, so no event costs another
 * commit that its sender waits for.
 *
 * @throws Failure `malformed` if it is not the provider's, or can't be read; otherwise as `recordEvent`
 */
export async function receiveEvent(delivery: Delivery): Promise<Recorded> {
  const { context, connection, body, headers } = delivery;
  const adapter = await openProvider(connection);
  if (!(await adapter.isSigned(body, headers, context.now))) {
    delivery.onForged?.();
    throw new Failure("malformed", forgery(connection.provider));
  }
  delivery.onSigned?.();
  return takeEvent(delivery, adapter, async (known) => {
    known.event = await adapter.read(body, headers);
    return translate(adapter, known.event);
  });
}

/** An event that is the provider's, whether it was posted or read from the provider's list. */
type Genuine = Pick<Delivery, "context" | "account" | "connection" | "body" | "is_test" | "later">;

/**
 * Records what an event reports, and notes what became of it. `read` sets `known.event` and translates it.
 *
 * @throws Failure as `read` and `recordEvent`
 */
export async function takeEvent(
  delivery: Genuine,
  adapter: Provider,
  read: (known: Known) => Promise<BillingEvent | Nothing>,
): Promise<Recorded> {
  const { context, account, connection, is_test, later } = delivery;
  const { provider } = connection;
  const known: Known = { event: null, reported: null };
  const noting = notingStore(delivery, known);
  const source = { context: { ...context, store: noting.store }, account, provider, lookUp: adapter.lookUp };
  try {
    const reported = await read(known);
    known.reported = reported;
    const result = is_test ? tried(reported) : await recordEvent(source, reported);
    if (result.outcome !== noting.noted()) later(() => noteOutcome(delivery, known, result, noting));
    return result;
  } catch (error) {
    if (!isOutage(error)) later(() => noteOutcome(delivery, known, refusedBy(error, known), noting));
    throw error;
  }
}

function forgery(provider: BillingProvider): string {
  return `The signature is not ${PROVIDER_NAMES[provider]}'s for this account, or it is too old`;
}

/** What is known of a signed event so far. */
interface Known {
  event: ProviderEvent | null;
  reported: BillingEvent | Nothing | null;
}

/** The tables that events add records to, and what that means. The first of them decides. */
const OUTCOME_OF: [name: string, outcome: Outcome][] = [
  [sales.name, "sale"],
  [refunds.name, "refund"],
  [cancellations.name, "cancellation"],
  [waitingEvents.name, "waiting"],
  [leads.name, "signup"],
];

interface Noting {
  store: Store;
  /** The outcome that was noted with the record, or null. */
  noted(): Outcome | null;
}

/** A store that notes the event in the first commit that records something of it. */
function notingStore(delivery: Genuine, known: Known): Noting {
  let noted: Outcome | null = null;
  const { store } = delivery.context;
  return {
    store: {
      ...store,
      transact: async (work) => {
        if (noted !== null) return store.transact(work);
        let outcome: Outcome | null = null;
        const result = await store.transact(async (tx) => {
          const added = new Map<string, object>();
          const done = await work(watched(tx, added));
          const [table, is] = OUTCOME_OF.find(([name]) => added.has(name)) ?? [];
          outcome = is ?? null;
          if (table !== undefined && outcome !== null) {
            const record = added.get(table) as { id: number; lead_id?: number };
            const leadId = record.lead_id ?? record.id;
            await noteReceived(tx, { ...arrivalOf(delivery, known), outcome, reason: null, lead_id: leadId });
          }
          return done;
        });
        noted = outcome;
        return result;
      },
    },
    noted: () => noted,
  };
}

function watched(tx: Transaction, added: Map<string, object>): Transaction {
  return {
    ...tx,
    async insert(into, record, refusals) {
      await tx.insert(into, record, refusals);
      added.set(into.name, record as object);
    },
  };
}

/** Notes an outcome that no record shows, or that later work has changed. */
async function noteOutcome(
  { context, account, ...delivery }: Genuine,
  known: Known,
  { outcome, reason }: { outcome: Arrival["outcome"]; reason: string | null },
  noting: Noting,
): Promise<ReceivedEvent> {
  const { reported } = known;
  const { provider } = delivery.connection;
  const source = { context, account, provider, lookUp: async () => null };
  const isOurs = reported !== null && "payer" in reported && !delivery.is_test;
  const lead = isOurs ? await findLead(source, reported.payer, ownersOf(reported)) : null;
  const arrival = arrivalOf({ context, account, ...delivery }, known);
  const times = noting.noted() === null ? 1 : 0;
  return context.store.transact((tx) =>
    noteReceived(tx, { ...arrival, outcome, reason, lead_id: lead?.id ?? null, times }),
  );
}

/** Counts requests with a wrong signature, by day. Their bodies may be anybody's, so nothing of them is kept. */
export async function noteForgeries(
  {
    context: { store, now },
    account,
    provider,
  }: Pick<Delivery, "context" | "account"> & { provider: BillingProvider },
  times: number,
): Promise<void> {
  const name = `wrong signature ${now.toISOString().slice(0, 10)}`;
  const about = { ...UNKNOWN, account_id: account.id, provider, name, at: now, times };
  const arrival = { ...about, outcome: "refused" as const, reason: forgery(provider) };
  await store.transact((tx) => noteReceived(tx, arrival));
}

const UNKNOWN = {
  event_id: null,
  type: null,
  amount: null,
  currency: null,
  lead_id: null,
  object: null,
  record_hash: null,
  is_test: false,
  happened_at: null,
};

function arrivalOf(
  { context, account, connection: { provider }, body, is_test }: Omit<Genuine, "later">,
  { event, reported }: Known,
): Omit<Arrival, "outcome" | "reason"> {
  const about = {
    ...UNKNOWN,
    account_id: account.id,
    provider,
    event_id: event?.id ?? null,
    name: event?.id ?? `unread ${digest(body)}`,
    type: event?.type ?? null,
    is_test,
    happened_at: event?.at.toISOString() ?? null,
    at: context.now,
    times: 1,
  };
  switch (reported?.kind) {
    case "payment": {
      const amount = reported.parts.gross_amount;
      return { ...about, amount, currency: reported.currency, object: reported.objects[0] ?? null };
    }
    case "refund":
    case "dispute":
    case "reversal": {
      const amount = reported.gross_to - reported.gross_from;
      const names = { object: reported.objects[0] ?? null, record_hash: digest(reported.id) };
      return { ...about, ...names, amount, currency: reported.currency };
    }
    case "cancellation":
      return { ...about, record_hash: digest(reported.subscription_id) };
    default:
      return about;
  }
}

function payerIn(reported: BillingEvent | Nothing | null): Payer | null {
  return reported !== null && "payer" in reported ? reported.payer : null;
}

const KINDS: Record<BillingEvent["kind"], string> = {
  payment: "a payment",
  refund: "a refund",
  dispute: "a dispute",
  reversal: "the end of a dispute",
  cancellation: "the end of a subscription",
  customer: "a customer",
};

/** The result of an event that only tries the connection. */
function tried(reported: BillingEvent | Nothing): Recorded {
  if (reported.kind === "nothing") return recordedAs("ignored", reported.reason);
  const reads = `The signature is right, and the event reads as ${KINDS[reported.kind]}`;
  return recordedAs("ignored", `${reads}. It was a test, so nothing was recorded`);
}

function refusedBy(error: unknown, { reported }: Known): { outcome: "refused"; reason: string } {
  if (!(error instanceof Failure))
    return { outcome: "refused", reason: "An error of the server. Its log has more" };
  return { outcome: "refused", reason: nameless(error.message, payerIn(reported)) };
}

/** Providers' own sentences may name the customer, whom an erasure could not find here. */
function nameless(reason: string, payer: Payer | null): string {
  const names = [payer?.email, payer?.customerId, ...(payer?.uids ?? []), ...(payer?.tids ?? [])];
  let text = reason;
  for (const name of names) if (name) text = text.replaceAll(name, "…");
  return text.replace(/\S+@\S+/g, "…").replace(/\b(?:cus|ctm|sub)_\w+/g, "…");
}
