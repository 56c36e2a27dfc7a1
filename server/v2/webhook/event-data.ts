import { z } from "zod";
import { SYSTEM } from "../../domain/context.ts";
import { Failure } from "../../failure.ts";
import {
  ENTITIES,
  EVENT_MEANINGS,
  EVENT_TYPES,
  type Entity,
  type EventMessage,
} from "../../domain/events/event-type.ts";
import type { RecordChange } from "../../domain/ledger/announcement.ts";
import type { Balance } from "../../domain/ledger/commission/balance.ts";
import type { Commission } from "../../domain/ledger/commission/commission.ts";
import {
  findSelectedPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "../../domain/ledger/payout-method/payout-method.ts";
import type { Payout } from "../../domain/ledger/payout/payout.ts";
import type { ContractDocument } from "../../domain/people/contract/document.ts";
import type { Lead } from "../../domain/people/lead/lead.ts";
import type { PromoCode } from "../../domain/people/promo-code/promo-code.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoterCampaignParts } from "../../domain/people/promoter-campaign/search.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { accounts } from "../../domain/program/account/account.ts";
import { loadCampaign } from "../../domain/program/campaign/campaign.ts";
import type { Store } from "../../storage/store.ts";
import { commissionAnswer } from "../commission/commissions.ts";
import { documentAnswer, showDocument } from "../contract/contract-json.ts";
import { embeddedPromoter, embeddedPromoterCampaign, embeddedPromoterJson } from "../embedded-json.ts";
import { paymentsBatchAnswer } from "../payments-batch/payments-batches.ts";
import { payoutAnswer } from "../payout/payouts.ts";
import { payoutMethodAnswer } from "../payout/payout-methods.ts";
import { promoCodeAnswer } from "../promo-code/promo-codes.ts";
import { promoterCampaignAnswer } from "../promoter-campaign/promoter-campaigns.ts";
import { promoterAnswer, readPromoterParts } from "../promoter/promoter-json.ts";
import { referralAnswer } from "../referral/referral-json.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";
import { custId } from "../../input/fields.ts";

/** The promoter of a record, or null if deleted. */
const owner = field(
  embeddedPromoter
    .extend({
      cust_id: custId,
    })
    .meta({ id: "EventPromoter" })
    .nullable(),
  "The promoter, or null if they were deleted.",
);

const ownerCampaign = embeddedPromoterCampaign.extend({ promoter: owner });

/** The form of `data` for each kind of record: as V2 shows it, with the promoter's `cust_id`. */
const EVENT_DATA: Record<Entity, z.ZodObject> = {
  commission: commissionAnswer.schema
    .extend({ promoter_campaign: field(ownerCampaign, "The promoter campaign that earned it.") })
    .meta({ id: "CommissionEventData" }),
  contract_document: documentAnswer
    .extend({ promoter_id: field(z.int(), "Id of the promoter.", 17), promoter: owner })
    .meta({ id: "ContractDocumentEventData" }),
  promoter: promoterAnswer.schema,
  promoter_campaign: promoterCampaignAnswer.schema
    .extend({ promoter: owner })
    .meta({ id: "PromoterCampaignEventData" }),
  referral: referralAnswer.schema
    .extend({ promoter_campaign: field(ownerCampaign, "The promoter campaign that the lead belongs to.") })
    .meta({ id: "ReferralEventData" }),
  promo_code: promoCodeAnswer.schema.extend({ promoter: owner }).meta({ id: "PromoCodeEventData" }),
  payments_batch: paymentsBatchAnswer.schema,
  payout: payoutAnswer.schema.extend({ promoter: owner }).meta({ id: "PayoutEventData" }),
  payout_method: payoutMethodAnswer.schema.extend({ promoter: owner }).meta({ id: "PayoutMethodEventData" }),
};

/** The event types and their bodies, for the OpenAPI document. */
export const EVENTS = { types: EVENT_TYPES, bodyOf, meaningOf: (type: string) => EVENT_MEANINGS[type] };

type Json = Record<string, unknown>;

/**
 * The `data` of V2's events about a change: the record before or after it. A deleted record is shown in its
 * last state.
 *
 * @throws Failure `not_found` if a record that the event needs was deleted
 */
export async function showEventData(
  store: Store,
  change: RecordChange,
  time: "before" | "after",
): Promise<Json> {
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
      return paymentsBatchAnswer.show(store, recordAt(change, time));
    case "payout":
      return payoutData(store, recordAt(change, time));
    case "payout_method":
      return payoutMethodData(store, recordAt(change, time));
  }
}

function bodyOf(type: string): z.ZodObject {
  const entity = type.replace(/\..*/, "");
  const known = ENTITIES.find((each) => each === entity);
  return eventBody.extend({
    event_type: field(z.literal(type), "What happened."),
    entity_type: field(z.literal(entity), "What kind of record it happened to."),
    data: field(
      known === undefined ? eventBody.shape.data : EVENT_DATA[known],
      "The record, as V2 shows it.",
    ),
  });
}

function recordAt<R>(change: { before: R | null; after: R | null }, time: "before" | "after"): R {
  const record = change[time] ?? change.before;
  if (record === null) throw new Error("A change has no record");
  return record;
}

async function commissionData(store: Store, commission: Commission): Promise<Json> {
  const shown = await commissionAnswer.show(store, commission);
  const promoter = await store.get(promoters, commission.account_id, commission.promoter_id);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

async function documentData(store: Store, document: ContractDocument): Promise<Json> {
  const promoter = await store.get(promoters, document.account_id, document.promoter_id);
  const shown = await showDocument(store, document);
  return { ...shown, promoter_id: document.promoter_id, promoter: ownerJson(promoter) };
}

/**
 * The balance is shown in its present state, unless it is what changed. The parent is left out, so that an
 * erasure of the parent need not search the events of others.
 */
async function promoterData(store: Store, promoter: Promoter, balance?: Balance): Promise<Json> {
  const account = await store.get(accounts, SYSTEM, promoter.account_id);
  if (account === null) throw new Error(`Account ${promoter.account_id} is gone`);
  const extras = { withPayoutMethod: true, withParent: false };
  const [parts] = await readPromoterParts(store, account, [promoter], extras);
  return promoterAnswer.json(promoter, {
    ...parts!,
    balance: balance ?? parts!.balance,
    setupUrl: null,
  });
}

async function promoterCampaignData(store: Store, promoterCampaign: PromoterCampaign): Promise<Json> {
  const { account_id, promoter_id } = promoterCampaign;
  const promoter = await store.get(promoters, account_id, promoter_id);
  const [parts] = await promoterCampaignParts(store, [promoterCampaign]);
  if (!parts) throw new Failure("not_found", "Promotion not found.");
  const shown = promoterCampaignAnswer.json(promoterCampaign, {
    ...parts,
    promoter: promoter ?? DELETED_PROMOTER,
  });
  return { ...shown, promoter: ownerJson(promoter) };
}

async function referralData(store: Store, lead: Lead): Promise<Json> {
  const shown = await referralAnswer.show(store, lead);
  const promoter = await store.get(promoters, lead.account_id, lead.promoter_id);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

/** V2's promo code does not name its promoter. Receivers need the promoter's `cust_id`, so it is added. */
async function promoCodeData(store: Store, promoCode: PromoCode): Promise<Json> {
  const { account_id, promoter_campaign_id } = promoCode;
  const owner = await store.get(promoterCampaigns, account_id, promoter_campaign_id);
  const promoter = owner && (await store.get(promoters, account_id, owner.promoter_id));
  return { ...(await promoCodeAnswer.show(store, promoCode)), promoter: ownerJson(promoter) };
}

async function payoutData(store: Store, payout: Payout): Promise<Json> {
  const { account_id, promoter_id, payout_method_id } = payout;
  const promoter = await store.get(promoters, account_id, promoter_id);
  const campaign = await loadCampaign(store, account_id, payout.campaign_id);
  const selected = await findSelectedPayoutMethod(store, account_id, promoter_id);
  const used =
    payout_method_id === null ? null : await store.get(payoutMethods, account_id, payout_method_id);
  const parts = { promoter: promoter ?? DELETED_PROMOTER, campaign, used, selected };
  const shown = payoutAnswer.json(payout, parts);
  return { ...shown, promoter: ownerJson(promoter) };
}

async function payoutMethodData(store: Store, method: PayoutMethod): Promise<Json> {
  const promoter = await store.get(promoters, method.account_id, method.promoter_id);
  return { ...payoutMethodAnswer.json(method), promoter: ownerJson(promoter) };
}

/** The promoter that a record belongs to, with `cust_id`, the client's own id. */
function ownerJson(promoter: Promoter | null): Json | null {
  return promoter && { ...embeddedPromoterJson(promoter), cust_id: promoter.cust_id };
}

/** Replaces a deleted promoter for the serialisers. The result shows null instead. */
const DELETED_PROMOTER = { profile: { first_name: null, last_name: null } } as Promoter;

/** The body that is posted to webhooks. @see docs/spec/events.md */
export const eventBody = z
  .object({
    event_id: field(z.uuid(), "Id of the event.", "00000000-0000-4000-8000-000000000001"),
    event_type: field(z.string(), "What happened.", "referral.created"),
    action: field(
      z.enum(["created", "updated", "deleted"]),
      "Whether the record was created, updated or deleted.",
      "created",
    ),
    entity_type: field(z.enum(ENTITIES), "What kind of record it happened to."),
    entity_id: field(z.int(), "Id of the record.", 204),
    changes: field(
      z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
      "Fields that changed: the value before and after. Empty unless updated.",
      {},
    ),
    data: field(z.record(z.string(), z.unknown()), "The record, as V2 shows it.", {
      id: 204,
      email: "sam@example.net",
    }),
    timestamp: field(z.iso.datetime(), "When it happened."),
  })
  .meta({ id: "Event" });

/** The body of an event in V1's form. @see docs/spec/events.md "V1's form" */
export const v1EventBody = z
  .object({
    event: field(
      z.object({
        id: recordId,
        type: field(z.string(), "What happened.", "lead_signup"),
        created_at: createdAt,
      }),
      "Its numeric id, its type and when it happened.",
    ),
    data: field(z.record(z.string(), z.unknown()), "The record, as V1 shows it.", {
      id: 204,
      email: "sam@example.net",
    }),
  })
  .meta({ id: "V1Event" });

/** The body that is posted. V2 manages the webhooks of both forms and lists their deliveries, so both are here. */
export function postedJson(message: EventMessage): z.output<typeof eventBody> | z.output<typeof v1EventBody> {
  return message.format === "v1" ? v1EventJson(message) : eventJson(message);
}

function eventJson(message: EventMessage): z.output<typeof eventBody> {
  return {
    event_id: message.event_id,
    event_type: message.type,
    action: message.action,
    entity_type: message.entity,
    entity_id: message.entity_id,
    changes: message.changes,
    data: message.data,
    timestamp: message.at,
  };
}

function v1EventJson({ event_id, type, at, data }: EventMessage): z.output<typeof v1EventBody> {
  return { event: { id: Number(event_id), type, created_at: at }, data };
}
