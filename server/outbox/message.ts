import { actionOf, eventTypesOf, v1EventTypesOf, type EventMessage } from "../domain/events/event-type.ts";
import type { RecordChange } from "../domain/ledger/announcement.ts";
import type { Fact } from "../domain/events/event.ts";
import { promoterCampaigns } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { unlessGone } from "../domain/show.ts";
import { webhooks, type Webhook } from "../domain/events/webhook/webhook.ts";
import type { Store } from "../storage/store.ts";
import { showEvent } from "../v1/event/event-data.ts";
import { showEventData } from "../v2/webhook/event-data.ts";
import type { OutboxParts } from "./parts.ts";

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
export async function messagesOf(parts: OutboxParts, occasion: Occasion): Promise<Addressed[]> {
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
export async function activeWebhooks(store: Store, ownerId: number): Promise<Webhook[]> {
  const all = await store.page(webhooks, "id", ownerId, [], { limit: MAX_WEBHOOKS });
  return all.filter(({ isActive }) => isActive);
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
    message: newMessage(occasion, { format: "v2", eventId: parts.chance.uuid(), type, data, changes }),
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
    const message = newMessage(occasion, { format: "v1", eventId, type, data, changes: {} });
    messages.push({ message, webhookIds });
  }
  return messages;
}

/** The requested event types, with their webhooks. */
function addressed(receivers: Webhook[], types: string[]): { type: string; webhookIds: number[] }[] {
  return types
    .map((type) => ({
      type,
      webhookIds: receivers.filter(({ eventTypes }) => eventTypes.includes(type)).map(({ id }) => id),
    }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}

/** @see docs/spec/events.md "Webhooks" on events whose records were deleted */
async function ifShown<T>(
  { log }: OutboxParts,
  { entity, entityId }: Fact,
  shown: Promise<T>,
): Promise<T | null> {
  const present = await unlessGone(shown);
  if (present === null)
    log.warn({ entity, entityId }, "an event was dropped: a record that it shows was deleted");
  return present;
}

function newMessage(
  { fact, change }: Pick<Occasion, "fact" | "change">,
  given: Pick<EventMessage, "format" | "eventId" | "type" | "data" | "changes">,
): EventMessage {
  const { entity, entityId, at } = fact;
  return { ...given, action: actionOf(change), entity, entityId, at };
}

/** The webhooks among `all` that want an event of this change. */
async function wantingOf(store: Store, change: RecordChange, all: Webhook[]): Promise<Webhook[]> {
  const types = { v2: eventTypesOf(change), v1: v1EventTypesOf(change) as string[] };
  const wanting = all.filter(({ format, eventTypes }) =>
    types[format].some((type) => eventTypes.includes(type)),
  );
  if (wanting.length === 0) return [];
  const campaignId = await campaignOf(store, change);
  return wanting.filter(({ campaignIds }) => includes(campaignIds, campaignId));
}

/** The campaign that a change belongs to, or null if it belongs to no single one. */
async function campaignOf(store: Store, change: RecordChange): Promise<number | null> {
  const record = change.after ?? change.before;
  if (record === null) return null;
  if ("campaignId" in record) return record.campaignId;
  if (!("promoterCampaignId" in record)) return null;
  const owner = await store.get(promoterCampaigns, record.accountId, record.promoterCampaignId);
  return owner?.campaignId ?? null;
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
  if (before === null || after === null) return { data, changes: {} };
  const former = await showEventData(store, change, "before");
  const changes: Rendering["changes"] = {};
  for (const [name, now] of Object.entries(data)) {
    if (JSON.stringify(former[name]) !== JSON.stringify(now)) changes[name] = [former[name], now];
  }
  return { data, changes };
}
