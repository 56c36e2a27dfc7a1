import { accounts } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { loadCampaign } from "../domain/program/campaign/campaign.ts";
import type { Balance } from "../domain/ledger/commission/balance.ts";
import type { Commission } from "../domain/ledger/commission/commission.ts";
import { actionOf, eventTypesOf, v1EventTypesOf, type EventMessage } from "../domain/events/event-type.ts";
import type { RecordChange } from "../domain/ledger/announcement.ts";
import type { ContractDocument } from "../domain/people/contract/document.ts";
import type { Fact } from "../domain/events/event.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import {
  findSelectedPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "../domain/ledger/payout-method/payout-method.ts";
import type { Payout } from "../domain/ledger/payout/payout.ts";
import type { PromoCode } from "../domain/people/promo-code/promo-code.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../domain/people/promoter/promoter.ts";
import { unlessGone } from "../domain/show.ts";
import { webhooks, type Webhook } from "../domain/events/webhook/webhook.ts";
import type { Store } from "../storage/store.ts";
import { showEvent } from "../v1/event/event-data.ts";
import { showCommission } from "../v2/commission/commission-json.ts";
import { showDocument } from "../v2/contract/contract-json.ts";
import { embeddedPromoterJson } from "../v2/embedded-json.ts";
import { showPaymentsBatch } from "../v2/payments-batch/payments-batch-json.ts";
import { payoutJson } from "../v2/payout/payout-json.ts";
import { payoutMethodJson } from "../v2/payout/payout-method-json.ts";
import { showPromoCode } from "../v2/promo-code/promo-codes.ts";
import {
  promoterCampaignJson,
  readPromoterCampaignParts,
} from "../v2/promoter-campaign/promoter-campaign-json.ts";
import { promoterJson } from "../v2/promoter/promoter-json.ts";
import { readPromoterParts } from "../v2/promoter/promoter-parts.ts";
import { showReferral } from "../v2/referral/referral-json.ts";
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
  const data = await dataOf(store, change, "after");
  if (before === null || after === null) return { data, changes: {} };
  const former = await dataOf(store, change, "before");
  const changes: Rendering["changes"] = {};
  for (const [name, now] of Object.entries(data)) {
    if (JSON.stringify(former[name]) !== JSON.stringify(now)) changes[name] = [former[name], now];
  }
  return { data, changes };
}

/** The record before or after the change. A deleted record is shown in its last state. */
async function dataOf(store: Store, change: RecordChange, time: "before" | "after"): Promise<Json> {
  switch (change.entity) {
    case "commission":
      return commissionData(store, recordAt(change, time));
    case "contract_document":
      return documentData(store, recordAt(change, time));
    case "promoter":
      return promoterData(store, recordAt(change, time), change.balance?.[time]);
    case "promoter_campaign":
      return promoterCampaignData(store, recordAt(change, time));
    case "referral":
      return referralData(store, recordAt(change, time));
    case "promo_code":
      return promoCodeData(store, recordAt(change, time));
    case "payments_batch":
      return showPaymentsBatch(store, recordAt(change, time));
    case "payout":
      return payoutData(store, recordAt(change, time));
    case "payout_method":
      return payoutMethodData(store, recordAt(change, time));
  }
}

function recordAt<R>(change: { before: R | null; after: R | null }, time: "before" | "after"): R {
  const record = change[time] ?? change.before;
  if (record === null) throw new Error("A change has no record");
  return record;
}

async function commissionData(store: Store, commission: Commission): Promise<Json> {
  const shown = await showCommission(store, commission);
  const promoter = await store.get(promoters, commission.accountId, commission.promoterId);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

async function documentData(store: Store, document: ContractDocument): Promise<Json> {
  const promoter = await store.get(promoters, document.accountId, document.promoterId);
  return { ...(await showDocument(store, document)), promoter: ownerJson(promoter) };
}

/**
 * The balance is shown in its present state, unless it is what changed. The parent is left out, so that an
 * erasure of the parent need not search the events of others.
 */
async function promoterData(store: Store, promoter: Promoter, balance?: Balance): Promise<Json> {
  const account = await store.get(accounts, SYSTEM, promoter.accountId);
  if (account === null) throw new Error(`Account ${promoter.accountId} is gone`);
  const extras = { withPayoutMethod: true, withParent: false };
  const parts = await readPromoterParts(store, account, { promoter, ...extras });
  return promoterJson({ ...parts, balance: balance ?? parts.balance, setupUrl: null });
}

async function promoterCampaignData(store: Store, promoterCampaign: PromoterCampaign): Promise<Json> {
  const { accountId, promoterId } = promoterCampaign;
  const promoter = await store.get(promoters, accountId, promoterId);
  const parts = await readPromoterCampaignParts(store, promoterCampaign, promoter ?? DELETED_PROMOTER);
  return { ...promoterCampaignJson(parts), promoter: ownerJson(promoter) };
}

async function referralData(store: Store, lead: Lead): Promise<Json> {
  const shown = await showReferral(store, lead);
  const promoter = await store.get(promoters, lead.accountId, lead.promoterId);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

/** V2's promo code does not name its promoter. Receivers need the promoter's `cust_id`, so it is added. */
async function promoCodeData(store: Store, promoCode: PromoCode): Promise<Json> {
  const { accountId, promoterCampaignId } = promoCode;
  const owner = await store.get(promoterCampaigns, accountId, promoterCampaignId);
  const promoter = owner && (await store.get(promoters, accountId, owner.promoterId));
  return { ...(await showPromoCode(store, promoCode)), promoter: ownerJson(promoter) };
}

async function payoutData(store: Store, payout: Payout): Promise<Json> {
  const { accountId, promoterId, payoutMethodId } = payout;
  const promoter = await store.get(promoters, accountId, promoterId);
  const campaign = await loadCampaign(store, accountId, payout.campaignId);
  const method =
    payoutMethodId === null
      ? await findSelectedPayoutMethod(store, accountId, promoterId)
      : await store.get(payoutMethods, accountId, payoutMethodId);
  const shown = payoutJson({ payout, promoter: promoter ?? DELETED_PROMOTER, campaign, method });
  return { ...shown, promoter: ownerJson(promoter) };
}

async function payoutMethodData(store: Store, method: PayoutMethod): Promise<Json> {
  const promoter = await store.get(promoters, method.accountId, method.promoterId);
  return { ...payoutMethodJson(method), promoter: ownerJson(promoter) };
}

/** The promoter that a record belongs to, with `cust_id`, the client's own id. */
function ownerJson(promoter: Promoter | null): Json | null {
  return promoter && { ...embeddedPromoterJson(promoter), cust_id: promoter.custId };
}

/** Replaces a deleted promoter for the serialisers. The result shows null instead. */
const DELETED_PROMOTER = { profile: { firstName: null, lastName: null } } as Promoter;
