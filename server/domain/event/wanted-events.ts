import type { Transaction } from "../../storage/store.ts";
import { campaigns } from "../campaign/campaign.ts";
import { wantedEvents } from "./event.ts";
import { EMAIL_EVENTS } from "./event-type.ts";
import { causeOf } from "./v1-event-type.ts";
import { webhooks } from "../webhook/webhooks.ts";

/** Updates the list of events that somebody wants, after the same transaction has changed a webhook or a campaign's e-mails. */
export async function updateWantedEvents(tx: Transaction, accountId: number): Promise<void> {
  const before = await tx.get(wantedEvents, accountId, 1);
  const wanted = new Set<string>();
  for (const webhook of await tx.view.list(webhooks, "id", accountId, [])) {
    if (webhook.isActive) for (const type of webhook.eventTypes) wanted.add(causeOf(type));
  }
  for (const campaign of await tx.view.list(campaigns, "id", accountId, [])) {
    for (const kind of campaign.emails) wanted.add(EMAIL_EVENTS[kind]);
  }
  const eventTypes = [...wanted].toSorted();
  await tx.put(wantedEvents, { accountId, eventTypes, version: (before?.version ?? 0) + 1 });
}
