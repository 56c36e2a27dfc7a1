import { eventTypesOf, v1EventTypesOf, type RecordChange } from "../domain/event/event-type.ts";
import { promoterCampaigns } from "../domain/promoter-campaign/promoter-campaign.ts";
import { webhooks, type Webhook } from "../domain/webhook/webhook.ts";
import type { Store } from "../storage/store.ts";

const MAX_WEBHOOKS = 1_000;

/** An account's active webhooks. */
export async function activeWebhooks(store: Store, ownerId: number): Promise<Webhook[]> {
  const all = await store.page(webhooks, "id", ownerId, [], { limit: MAX_WEBHOOKS });
  return all.filter(({ isActive }) => isActive);
}

/** The webhooks among `all` that want an event of this change. */
export async function wantingOf(store: Store, change: RecordChange, all: Webhook[]): Promise<Webhook[]> {
  const types = { v2: eventTypesOf(change), v1: v1EventTypesOf(change) as string[] };
  const wanting = all.filter(({ format, eventTypes }) =>
    types[format].some((type) => eventTypes.includes(type)),
  );
  if (wanting.length === 0) return [];
  const campaignId = await campaignOf(store, change);
  return wanting.filter(({ campaignIds }) => includes(campaignIds, campaignId));
}

/** The campaign that a change belongs to. null: it belongs to no single one. */
async function campaignOf(store: Store, change: RecordChange): Promise<number | null> {
  const record = change.after ?? change.before;
  if (record === null) return null;
  if ("campaignId" in record) return record.campaignId;
  if (!("promoterCampaignId" in record)) return null;
  const owner = await store.get(promoterCampaigns, record.accountId, record.promoterCampaignId);
  return owner?.campaignId ?? null;
}

/**
 * Choice: a webhook for certain campaigns still gets events about promoters, who belong to no single
 * campaign.
 */
function includes(campaignIds: number[], campaignId: number | null): boolean {
  return campaignIds.length === 0 || campaignId === null || campaignIds.includes(campaignId);
}
