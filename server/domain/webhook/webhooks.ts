import { Failure } from "../../failure.ts";
import type { Webhook } from "./record.ts";
import { collection, listCounts } from "../../storage/collection.ts";
import type { Reader, Store } from "../../storage/store.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";

export const webhooks = collection<Webhook>()({
  name: "webhook",
  id: ({ id }) => [id],
  claims: {},
  indexes: { newest: ({ createdAt }) => [-Date.parse(createdAt)] },
  counts: () => listCounts("webhook", { newest: [] }),
});

/** A page of an account's webhooks, newest first. */
export function findWebhooks(store: Store, accountId: number, window: Window): Promise<Found<Webhook>> {
  return findPage(store, webhooks, { accountId, index: "newest", start: [], ...window });
}

/** @throws Failure `not_found` */
export async function loadWebhook(reader: Reader, accountId: number, id: number): Promise<Webhook> {
  const webhook = await reader.get(webhooks, accountId, id);
  if (webhook === null) throw new Failure("not_found", "Webhook not found.");
  return webhook;
}
