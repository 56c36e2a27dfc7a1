import {
  actionOf,
  eventTypesOf,
  v1EventTypesOf,
  type EventMessage,
  type RecordChange,
} from "../domain/event/event-type.ts";
import type { Fact } from "../domain/event/event.ts";
import { unlessGone } from "../domain/show.ts";
import type { Webhook } from "../domain/webhook/webhook.ts";
import { showEvent } from "../v1/event/event-data.ts";
import type { OutboxParts } from "./parts.ts";
import { render } from "./render.ts";
import { wantingOf } from "./webhook-choice.ts";

/** An event, and the webhooks that it goes to. */
export interface Addressed {
  message: EventMessage;
  webhookIds: number[];
}

/** A change, and everybody who might want its events. */
interface Occasion {
  fact: Fact;
  change: RecordChange;
  receivers: Webhook[];
}

/** The messages to make from a change. Each is rendered once, however many webhooks it goes to. */
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

/** Choice: an update causes no event if nothing changed that receivers can see. */
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

/** The event types that somebody wants, with their webhooks. */
function addressed(receivers: Webhook[], types: string[]): { type: string; webhookIds: number[] }[] {
  return types
    .map((type) => ({
      type,
      webhookIds: receivers.filter(({ eventTypes }) => eventTypes.includes(type)).map(({ id }) => id),
    }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}

/** Choice: an event is dropped if a record that it must show, such as its campaign, was deleted before it was sent. */
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
