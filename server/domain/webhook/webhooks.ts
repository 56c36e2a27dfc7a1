import { Failure } from "../../failure.ts";
import type { Webhook } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store } from "../../storage/store.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";

export const webhooks = table<Webhook>()({
  name: "webhook",
  columns: { id: "integer", url: "text", format: "text", is_active: "integer", created_at: "text" },
});

/** A page of an account's webhooks, newest first. */
export function findWebhooks(store: Store, accountId: number, window: Window): Promise<Found<Webhook>> {
  const question = store
    .question<Schema<{ webhooks: typeof webhooks }>>()
    .selectFrom("webhooks")
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
  return findPage(store, webhooks, { question, ...window });
}

/** @throws Failure `not_found` */
export async function loadWebhook(reader: Reader, accountId: number, id: number): Promise<Webhook> {
  const webhook = await reader.get(webhooks, accountId, id);
  if (webhook === null) throw new Failure("not_found", "Webhook not found.");
  return webhook;
}
