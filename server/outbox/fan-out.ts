import { listAccounts } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { countErasures } from "../domain/people/erased.ts";
import { facts, type Fact } from "../domain/events/event.ts";
import { recordChangeOf, type RecordChange } from "../domain/ledger/announcement.ts";
import { deliveries, enqueue, newDelivery, type Delivery } from "../domain/events/webhook/delivery.ts";
import { webhooks, type Webhook } from "../domain/events/webhook/webhook.ts";
import { countNewLead } from "../domain/people/mailing/digest.ts";
import { plannedEmails, type PlannedEmail } from "../domain/people/mailing/mailing.ts";
import { Failure } from "../failure.ts";
import { isFrozen } from "../storage/freeze.ts";
import { isSameJson } from "../storage/digests.ts";
import type { Transaction, Store } from "../storage/store.ts";
import { isSetAside } from "./clock-watch.ts";
import { emailInLog, emailsFor } from "./email.ts";
import type { OutboxParts } from "./parts.ts";
import { actionOf, eventTypesOf, v1EventTypesOf, type EventMessage } from "../domain/events/event-type.ts";
import { promoterCampaigns } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { unlessGone } from "../domain/show.ts";
import { showEvent } from "../v1/event-data.ts";
import { showEventData } from "../v2/webhook/event-data.ts";

/** How long a fact that can't be rendered (a bug) gives way to others. */
const SET_ASIDE_MS = 60_000;

/** Makes deliveries from facts. Returns how many facts it processed. */
export type FanOut = (limit: number) => Promise<number>;

/** A fact and the deliveries to make from it. */
interface Plan {
  fact: Fact;
  /** The number of erasures before anything was read for this plan. */
  erasures: number;
  deliveries: Delivery[];
  emails: PlannedEmails;
}

/** The e-mails of a plan. */
interface PlannedEmails {
  now: Delivery | null;
  /** Those that are sent after a delay. */
  later: PlannedEmail[];
  /** The promoter campaign that they tell a new lead of, or null. */
  newLeadOf: number | null;
}

/** Makes the part of the outbox that turns each fact into one delivery for every receiver that wants it. */
export function newFanOut(parts: OutboxParts): FanOut {
  const { store, clock, log } = parts;
  const nextFacts = newRound(parts);
  /** For each entity, the time until which its facts are skipped. */
  const setAside = new Map<string, number>();
  /** Accounts that are frozen. Their facts must not delay others. */
  const frozen = new Set<number>();

  function isLeftAlone(fact: Fact): boolean {
    return (
      frozen.has(fact.owner_id) ||
      isSetAside(setAside.get(entityOf(fact)) ?? 0, clock().getTime(), SET_ASIDE_MS)
    );
  }

  async function plan(found: Fact[]): Promise<Plan[]> {
    const plans: Plan[] = [];
    const receivers = new Map<number, Webhook[]>();
    for (const fact of found) {
      // An earlier fact of the same entity may have been set aside meanwhile.
      if (isLeftAlone(fact)) continue;
      try {
        if (await isFrozen(store, fact.owner_id)) {
          frozen.add(fact.owner_id);
          continue;
        }
        const known = receivers.get(fact.owner_id) ?? (await activeWebhooks(store, fact.owner_id));
        receivers.set(fact.owner_id, known);
        const erasures = await countErasures(parts.store, fact.owner_id);
        plans.push({ fact, erasures, ...(await planDeliveries(parts, fact, known)) });
      } catch (error) {
        // The store is unavailable, so the fact is not at fault. It is retried as soon as the store is back.
        if (error instanceof Failure && error.kind === "unavailable") throw error;
        // One fact that can't be rendered must not block all others. Later facts of the same entity wait with
        // it.
        setAside.set(entityOf(fact), clock().getTime() + SET_ASIDE_MS);
        log.error(
          { err: error, entity: fact.entity, entity_id: fact.entity_id },
          "an event can't be rendered",
        );
      }
    }
    return plans;
  }

  return async function fanOut(limit) {
    for (const [key, until] of setAside) {
      if (!isSetAside(until, clock().getTime(), SET_ASIDE_MS)) setAside.delete(key);
    }
    for (const ownerId of frozen) if (!(await isFrozen(store, ownerId))) frozen.delete(ownerId);
    const plans = await plan(await nextFacts(limit, isLeftAlone));
    if (plans.length === 0) return 0;
    const carriedOut = await store.transact(async (tx) => {
      await parts.lease.guard(tx);
      const done: Plan[] = [];
      for (const each of plans) if (await isCarriedOut(tx, each, clock())) done.push(each);
      return done;
    });
    for (const { emails } of carriedOut) {
      if (emails.now?.status === "held")
        log.warn(emailInLog(emails.now), "e-mail held until SMTP_URL is set");
    }
    return plans.length;
  };
}

/** Returns some of the waiting facts. */
export type Round = (limit: number, isLeftAlone: (fact: Fact) => boolean) => Promise<Fact[]>;

/** Returns the next fact of one account that fits, or null after the last one. */
type Walk = (fits: (fact: Fact) => boolean) => Promise<Fact | null>;

/**
 * Visits the waiting facts in rounds. The accounts take turns, with one fact each, so one account's backlog
 * does not delay another's few facts. A round returns a fact once, and facts that arrive during a round wait
 * for the next one, so new facts never delay an old one. A fact may have changed since it was read.
 *
 * Facts of one entity keep their order. Facts of different entities of an account are returned by id.
 */
export function newRound({ store, clock }: Pick<OutboxParts, "store" | "clock">): Round {
  /** The accounts of this round that may have facts left, in order. */
  let turns: Walk[] = [];
  let beganAt = 0;

  /**
   * Without this, a round would never end while facts arrive faster than they are sent, and the last ones
   * would starve.
   */
  function isForNext({ at }: Fact): boolean {
    const cameAt = Date.parse(at);
    // A machine whose clock is ahead may have dated a fact in our future. Such a fact is not postponed.
    return cameAt > beganAt && cameAt <= clock().getTime();
  }

  async function begin(): Promise<void> {
    beganAt = clock().getTime();
    const [first] = await store.page(facts, "id", SYSTEM, [], { limit: 1 });
    // Most rounds find nothing, and skip the query for each account.
    turns = first === undefined ? [] : (await listAccounts(store)).map(({ id }) => walkOf(id));
  }

  function walkOf(ownerId: number): Walk {
    const chunks = store.scan(facts, "id", SYSTEM, [ownerId]);
    let ahead: Fact[] = [];
    return async (fits) => {
      for (;;) {
        const fact = ahead.shift();
        if (fact === undefined) {
          const { value, done } = await chunks.next();
          if (done) return null;
          ahead = value;
        } else if (fits(fact)) return fact;
      }
    };
  }

  async function takeTurns(limit: number, isLeftAlone: (fact: Fact) => boolean): Promise<Fact[]> {
    const taken: Fact[] = [];
    while (taken.length < limit) {
      const walk = turns.shift();
      if (walk === undefined) break;
      const fact = await walk((each) => !isForNext(each) && !isLeftAlone(each));
      if (fact === null) continue;
      taken.push(fact);
      turns.push(walk);
    }
    return taken;
  }

  return async function next(limit, isLeftAlone) {
    const rest = await takeTurns(limit, isLeftAlone);
    if (rest.length > 0) return rest;
    await begin();
    return takeTurns(limit, isLeftAlone);
  };
}

/** Facts of one entity are sent in order. */
function entityOf({ owner_id, entity, entity_id }: Fact): string {
  return `${owner_id} ${entity} ${entity_id}`;
}

/**
 * Carries out a plan, unless something that it was based on has changed. The next round then plans it again.
 */
async function isCarriedOut(tx: Transaction, plan: Plan, now: Date): Promise<boolean> {
  const { fact, erasures, deliveries: made, emails } = plan;
  const { owner_id, entity, entity_id, number } = fact;
  const key = [owner_id, entity, entity_id] as const;
  const current = await tx.get(facts, SYSTEM, ...key, number);
  if (!isSameJson(current, fact)) return false;
  // The fact before it may be one that was not carried out.
  if (number > 1 && (await tx.get(facts, SYSTEM, ...key, number - 1)) !== null) return false;
  if ((await countErasures(tx, fact.owner_id)) !== erasures) return false;
  await tx.remove(facts, SYSTEM, ...key, number);
  for (const delivery of made) await enqueue(tx, delivery, now);
  await planEmails(tx, owner_id, { emails, now });
  return true;
}

async function planEmails(
  tx: Transaction,
  accountId: number,
  { emails: { now: email, later, newLeadOf }, now }: { emails: PlannedEmails; now: Date },
): Promise<void> {
  if (email === null && later.length === 0) return;
  const isTold =
    newLeadOf === null ||
    (await countNewLead(tx, { account_id: accountId, promoter_campaign_id: newLeadOf, now }));
  if (!isTold) return;
  if (email?.status === "held") await tx.put(deliveries, email);
  else if (email !== null) await enqueue(tx, email, now);
  for (const planned of later) await tx.insert(plannedEmails, planned);
}

async function planDeliveries(
  parts: OutboxParts,
  fact: Fact,
  receivers: Webhook[],
): Promise<Pick<Plan, "deliveries" | "emails">> {
  const change = await recordChangeOf(parts.store, fact);
  const planned: Delivery[] = [];
  if (change === null) return { deliveries: planned, emails: { now: null, later: [], newLeadOf: null } };
  const lane = `${fact.entity}/${fact.entity_id}`;
  for (const { message, webhookIds } of await messagesOf(parts, { fact, change, receivers })) {
    for (const webhookId of webhookIds) {
      planned.push(
        await plannedDelivery(parts, { owner_id: fact.owner_id, webhook_id: webhookId, lane, message }),
      );
    }
  }
  const { now: email, ...emails } = await emailsFor(parts, change, fact.at);
  const emailLane = `promoter/${email?.promoter_id}`;
  const now = email && (await plannedDelivery(parts, { owner_id: fact.owner_id, lane: emailLane, email }));
  return { deliveries: planned, emails: { ...emails, now } };
}

async function plannedDelivery(
  { store, clock, mailer }: OutboxParts,
  input: Pick<Delivery, "owner_id" | "lane"> & Partial<Pick<Delivery, "webhook_id" | "message" | "email">>,
): Promise<Delivery> {
  const isHeld = input.email !== undefined && mailer === null;
  return newDelivery({
    id: await store.nextId("delivery"),
    created_at: clock().toISOString(),
    status: isHeld ? "held" : "pending",
    ...input,
  });
}

/** An event and the webhooks that get it. */
export interface Addressed {
  message: EventMessage;
  webhookIds: number[];
}

/** A change and all possible receivers of its events. */
interface Occasion {
  fact: Fact;
  change: RecordChange;
  receivers: Webhook[];
}

/** The messages to make from a change. Each is rendered once for all of its webhooks. */
async function messagesOf(parts: OutboxParts, occasion: Occasion): Promise<Addressed[]> {
  const receivers = await wantingOf(parts.store, occasion.change, occasion.receivers);
  const [v2, v1] = (["v2", "v1"] as const).map((format) =>
    receivers.filter((webhook) => webhook.format === format),
  ) as [Webhook[], Webhook[]];
  return [
    ...(await v2Messages(parts, { ...occasion, receivers: v2 })),
    ...(await v1Messages(parts, { ...occasion, receivers: v1 })),
  ];
}

const MAX_WEBHOOKS = 1_000;

/** An account's active webhooks. */
async function activeWebhooks(store: Store, ownerId: number): Promise<Webhook[]> {
  const all = await store.page(webhooks, "id", ownerId, [], { limit: MAX_WEBHOOKS });
  return all.filter(({ is_active }) => is_active);
}

/**
 * An update without visible changes causes no event.
 *
 * @see docs/spec/events.md "Webhooks"
 */
async function v2Messages(parts: OutboxParts, occasion: Occasion): Promise<Addressed[]> {
  const { fact, change, receivers } = occasion;
  const rendering = receivers.length === 0 ? null : await ifShown(parts, fact, render(parts.store, change));
  if (rendering === null) return [];
  const { data, changes } = rendering;
  if (actionOf(change) === "updated" && Object.keys(changes).length === 0) return [];
  return addressed(receivers, eventTypesOf(change)).map(({ type, webhookIds }) => ({
    message: newMessage(occasion, { format: "v2", event_id: parts.chance.uuid(), type, data, changes }),
    webhookIds,
  }));
}

async function v1Messages(parts: OutboxParts, occasion: Occasion): Promise<Addressed[]> {
  const { fact, change, receivers } = occasion;
  const data = receivers.length === 0 ? null : await ifShown(parts, fact, showEvent(parts.store, change));
  if (data === null) return [];
  const messages: Addressed[] = [];
  for (const { type, webhookIds } of addressed(receivers, v1EventTypesOf(change))) {
    const eventId = String(await parts.store.nextId("v1-event"));
    const message = newMessage(occasion, { format: "v1", event_id: eventId, type, data, changes: {} });
    messages.push({ message, webhookIds });
  }
  return messages;
}

/** The requested event types, with their webhooks. */
function addressed(receivers: Webhook[], types: string[]): { type: string; webhookIds: number[] }[] {
  return types
    .map((type) => ({
      type,
      webhookIds: receivers.filter(({ event_types }) => event_types.includes(type)).map(({ id }) => id),
    }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}

/** @see docs/spec/events.md "Webhooks" on events whose records were deleted */
async function ifShown<T>(
  { log }: OutboxParts,
  { entity, entity_id }: Fact,
  shown: Promise<T>,
): Promise<T | null> {
  const present = await unlessGone(shown);
  if (present === null)
    log.warn({ entity, entity_id }, "an event was dropped: a record that it shows was deleted");
  return present;
}

function newMessage(
  { fact, change }: Pick<Occasion, "fact" | "change">,
  given: Pick<EventMessage, "format" | "event_id" | "type" | "data" | "changes">,
): EventMessage {
  const { entity, entity_id, at } = fact;
  return { ...given, action: actionOf(change), entity, entity_id, at };
}

/** The webhooks among `all` that want an event of this change. */
async function wantingOf(store: Store, change: RecordChange, all: Webhook[]): Promise<Webhook[]> {
  const types = { v2: eventTypesOf(change), v1: v1EventTypesOf(change) as string[] };
  const wanting = all.filter(({ format, event_types }) =>
    types[format].some((type) => event_types.includes(type)),
  );
  if (wanting.length === 0) return [];
  const campaignId = await campaignOf(store, change);
  return wanting.filter(({ campaign_ids }) => includes(campaign_ids, campaignId));
}

/** The campaign that a change belongs to, or null if it belongs to no single one. */
async function campaignOf(store: Store, change: RecordChange): Promise<number | null> {
  const record = change.after ?? change.before;
  if (record === null) return null;
  if ("campaign_id" in record) return record.campaign_id;
  if (!("promoter_campaign_id" in record)) return null;
  const owner = await store.get(promoterCampaigns, record.account_id, record.promoter_campaign_id);
  return owner?.campaign_id ?? null;
}

/**
 * A webhook for certain campaigns still gets events that belong to no single one.
 *
 * @see docs/spec/events.md "Webhooks"
 */
function includes(campaignIds: number[], campaignId: number | null): boolean {
  return campaignIds.length === 0 || campaignId === null || campaignIds.includes(campaignId);
}

type Json = Record<string, unknown>;

/** A change in the form for receivers: the record in V2's shape, and its fields that differ from before. */
interface Rendering {
  data: Json;
  changes: Record<string, [old: unknown, now: unknown]>;
}

/**
 * Renders a change. Related records are shown in their present state.
 *
 * @throws Failure `not_found` if one was deleted
 */
async function render(store: Store, change: RecordChange): Promise<Rendering> {
  const { before, after } = change;
  const data = await showEventData(store, change, "after");
  if (change.entity === "contract_document")
    return { data, changes: { signed_at: [null, data["signed_at"]] } };
  if (before === null || after === null) return { data, changes: {} };
  const former = await showEventData(store, change, "before");
  const changes: Rendering["changes"] = {};
  for (const [name, now] of Object.entries(data)) {
    if (!isSameJson(former[name], now)) changes[name] = [former[name], now];
  }
  return { data, changes };
}
