import type { Campaign } from "../campaign/record.ts";
import type { Webhook } from "../webhook/record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { campaigns } from "../campaign/campaign.ts";
import { wantedEvents } from "./event.ts";
import { EMAIL_EVENTS } from "./event-type.ts";
import { causeOf } from "./v1-event-type.ts";
import { webhooks } from "../webhook/webhooks.ts";

const ALL = { limit: 10_000 };

/** A change to one of the receivers of events, made by the same transaction. */
export interface ReceiverChange {
  accountId: number;
  webhook?: { id: number; after: Webhook | null };
  campaign?: { id: number; after: Campaign | null };
}

/** Updates the list of events that somebody wants, after a webhook or a campaign's e-mails changed. */
export async function updateWantedEvents(
  tx: Transaction,
  store: Store,
  change: ReceiverChange,
): Promise<void> {
  const { accountId } = change;
  const before = await tx.get(wantedEvents, accountId, 1);
  const wanted = new Set<string>();
  for (const webhook of changed(await tx.view.page(webhooks, "id", accountId, [], ALL), change.webhook)) {
    if (webhook.isActive) for (const type of webhook.eventTypes) wanted.add(causeOf(type));
  }
  for (const campaign of changed(await tx.view.page(campaigns, "id", accountId, [], ALL), change.campaign)) {
    for (const kind of campaign.emails) wanted.add(EMAIL_EVENTS[kind]);
  }
  const eventTypes = [...wanted].toSorted();
  await tx.put(wantedEvents, { accountId, eventTypes, version: (before?.version ?? 0) + 1 });
}

/** The listing as it will be after the transaction. */
function changed<R extends { id: number }>(listed: R[], change?: { id: number; after: R | null }): R[] {
  if (change === undefined) return listed;
  const others = listed.filter(({ id }) => id !== change.id);
  return change.after === null ? others : [...others, change.after];
}
