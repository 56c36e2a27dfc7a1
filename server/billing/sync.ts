import { listConnections, type BillingConnection } from "../domain/ledger/billing/connection.ts";
import { findLine, OUTCOMES, type Outcome, type ReceivedEvent } from "../domain/ledger/billing/received.ts";
import type { Account } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import { Failure, isOutage } from "../failure.ts";
import type { Nothing, BillingEvent } from "./event.ts";
import {
  eventTypesOf,
  openProvider,
  readable,
  translate,
  type Provider,
  type ProviderEvent,
} from "./provider.ts";
import { takeEvent } from "./reception.ts";
import type { Recorded } from "./record/source.ts";
import { recordEvent } from "./record/record.ts";

/** The result of reading through a provider's events. */
export interface Synced {
  events: number;
  /** How many events had each outcome. */
  outcomes: Record<Outcome, number>;
  /** Why events could not be recorded. */
  faults: string[];
}

/**
 * Records a provider's events since an instant, for example after our endpoint was down. Known events change
 * nothing.
 *
 * @throws Failure `refused` without an API key, or if the provider's API refuses
 */
export async function syncBilling(
  context: Context,
  account: Account,
  { connection, since }: { connection: BillingConnection; since: Date },
): Promise<Synced> {
  const provider = await openProvider(connection);
  const read: Read[] = [];
  for await (const event of provider.list(since)) read.push(await readEvent(provider, event));
  const walk = { context, account, connection, provider };
  const types = await eventTypesOf(connection.provider);
  const synced = newSynced();
  // The provider lists the newest first, but rewards depend on which sale came first.
  for (const each of read.toReversed()) {
    synced.events += 1;
    try {
      const { outcome } = await takeRead(walk, each, types.includes(each.event.type));
      synced.outcomes[outcome] += 1;
    } catch (error) {
      if (!(error instanceof Failure) || isOutage(error)) throw error;
      synced.faults.push(error.message);
    }
  }
  return synced;
}

/** An event of a provider's list, and what it reports, or why it can't be read. */
interface Read {
  event: ProviderEvent;
  reported: BillingEvent | Nothing | Failure;
}

async function readEvent(provider: Provider, event: ProviderEvent): Promise<Read> {
  try {
    return { event, reported: await translate(provider, event) };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "malformed") throw error;
    return { event, reported: error };
  }
}

/** Records an event. The list of events shows it as if it had arrived, unless it has a line that says what became of it. */
async function takeRead(
  { context, account, connection, provider }: Walk,
  { event, reported }: Read,
  counts: boolean,
): Promise<Recorded> {
  const { provider: from } = connection;
  const line =
    event.id === null ? null : await findLine(context.store, account.id, { provider: from, name: event.id });
  const isListed = !counts || (line !== null && line.outcome !== "refused" && line.outcome !== "other_mode");
  const notes: (() => Promise<ReceivedEvent>)[] = [];
  const delivery = { context, account, connection, body: JSON.stringify(event.data), is_test: false };
  try {
    return await takeEvent(
      { ...delivery, later: (note) => void notes.push(note) },
      provider,
      async (known) => {
        known.event = event;
        if (reported instanceof Failure) throw reported;
        return reported;
      },
    );
  } finally {
    if (!isListed) for (const note of notes) await note();
  }
}

/**
 * Records all payments and refunds of a lead that the providers know.
 *
 * @throws Failure `refused` if the account is connected with no provider, or without an API key
 */
export async function importEvents(context: Context, account: Account, lead: Lead): Promise<Synced> {
  const connections = await listConnections(context.store, account.id);
  if (connections.length === 0) throw new Failure("refused", "No billing provider is connected");
  const all: Synced = newSynced();
  for (const connection of connections) {
    const provider = await openProvider(connection);
    const reported: (BillingEvent | Nothing)[] = [];
    await readable(async () => {
      for await (const each of provider.history(lead)) if (each.kind !== "nothing") reported.push(each);
    });
    reported.sort((one, other) => instantOf(one) - instantOf(other));
    add(all, await recordAll({ context, account, connection, provider }, reported));
  }
  return all;
}

interface Walk {
  context: Context;
  account: Account;
  connection: BillingConnection;
  provider: Provider;
}

async function recordAll(
  { context, account, connection, provider }: Walk,
  reported: (BillingEvent | Nothing)[],
): Promise<Synced> {
  const source = { context, account, provider: connection.provider, lookUp: provider.lookUp };
  const synced = newSynced();
  for (const each of reported) {
    synced.events += 1;
    try {
      const { outcome } = await recordEvent(source, each);
      synced.outcomes[outcome] += 1;
    } catch (error) {
      if (!(error instanceof Failure) || isOutage(error)) throw error;
      synced.faults.push(error.message);
    }
  }
  return synced;
}

function newSynced(): Synced {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Synced["outcomes"];
  return { events: 0, outcomes, faults: [] };
}

function add(sum: Synced, { events, outcomes, faults }: Synced): void {
  sum.events += events;
  for (const outcome of OUTCOMES) sum.outcomes[outcome] += outcomes[outcome];
  sum.faults.push(...faults);
}

function instantOf(reported: BillingEvent | Nothing): number {
  return reported.kind === "nothing" ? 0 : reported.at.getTime();
}
