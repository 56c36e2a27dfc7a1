import type { EmailKind } from "./email.ts";

export const ENTITIES = [
  "commission",
  "contract_document",
  "payments_batch",
  "payout",
  "payout_method",
  "promo_code",
  "promoter",
  "promoter_campaign",
  "referral",
] as const;

/** The kinds of records that have events, by their names on the wire. */
export type Entity = (typeof ENTITIES)[number];

/** A record that has events. */
interface Announced {
  account_id: number;
  id: number;
}

/**
 * The fields that determine the types of an event, by entity. The records have more, and facts keep all of
 * them.
 */
export interface AnnouncedRecords {
  commission: Announced & { status: string };
  contract_document: Announced;
  payments_batch: Announced & { status: string; processing_started_at: string | null };
  payout: Announced & { status: string; unit: string; amount: number };
  payout_method: Announced;
  promo_code: Announced & { archived_at: string | null };
  promoter: Announced & { is_unconfirmed?: boolean };
  promoter_campaign: Announced & { state: string };
  referral: Announced & {
    state: string;
    customer_since: string | null;
    promoter_campaign_id: number;
    campaign_id: number;
    is_proposal?: boolean;
    archived_at?: string | null;
  };
}

/** The forms of events: V2's, or the older one for connectors of automation tools. */
export const EVENT_FORMATS = ["v2", "v1"] as const;

export type EventFormat = (typeof EVENT_FORMATS)[number];

/** An event in the form for receivers. */
export interface EventMessage {
  format: EventFormat;
  /** A UUID, or a number in V1's form. */
  event_id: string;
  /** A type of its format. */
  type: string;
  action: "created" | "updated" | "deleted";
  entity: Entity;
  entity_id: number;
  /** By wire name: the old and the new value. Empty except for updates, and in V1's form. */
  changes: Record<string, [old: unknown, now: unknown]>;
  data: Record<string, unknown>;
  at: string;
}

/** A sentence for each event type. */
export const EVENT_MEANINGS: Record<string, string> = {
  "commission.approved": "A commission was approved.",
  "commission.created": "A promoter earned a commission.",
  "commission.deleted": "A commission was deleted.",
  "commission.denied": "A commission was denied.",
  "commission.pending": "A commission waits for approval again.",
  "commission.updated": "A commission was changed.",
  "contract_document.signed": "A promoter signed a contract.",
  "payments_batch.completed": "A payment of several payouts was completed.",
  "payments_batch.created": "A payment of several payouts was prepared.",
  "payments_batch.deleted": "A payment of several payouts was deleted.",
  "payments_batch.failed": "A payment of several payouts failed.",
  "payments_batch.initiated": "A payment of several payouts was started.",
  "payments_batch.processing": "A payment of several payouts is under way.",
  "payments_batch.updated": "A payment of several payouts was changed.",
  "payout.cancelled": "A payout was cancelled.",
  "payout.commissions.added": "Commissions were added to a payout.",
  "payout.commissions.removed": "Commissions were removed from a payout.",
  "payout.completed": "A payout was paid.",
  "payout.created": "A payout was made for a promoter, a campaign and a period.",
  "payout.deleted": "A payout was deleted.",
  "payout.failed": "The payment of a payout failed.",
  "payout.pending": "A payout waits to be paid again.",
  "payout.processing": "The payment of a payout is under way.",
  "payout.updated": "A payout was changed.",
  "payout_method.created": "A promoter got a payout method.",
  "payout_method.deleted": "A promoter's payout method was deleted.",
  "payout_method.updated": "A promoter's payout method was changed.",
  "promo_code.archived": "A promo code was archived.",
  "promo_code.created": "A promoter got a promo code.",
  "promo_code.updated": "A promo code was changed.",
  "promoter.balance.updated": "A promoter's balance changed.",
  "promoter.created": "A promoter was added.",
  "promoter.deleted": "A promoter was deleted.",
  "promoter.updated": "A promoter was changed.",
  "promoter_campaign.accepted": "A promoter was accepted in a campaign.",
  "promoter_campaign.blocked": "A promoter was blocked in a campaign.",
  "promoter_campaign.created": "A promoter joined a campaign.",
  "promoter_campaign.deleted": "A promoter left a campaign for good.",
  "promoter_campaign.inactive": "A promoter became inactive in a campaign.",
  "promoter_campaign.pending": "A promoter waits for approval in a campaign.",
  "promoter_campaign.rejected": "A promoter was rejected in a campaign.",
  "promoter_campaign.updated": "A promoter campaign was changed.",
  "referral.cancelled": "A customer cancelled.",
  "referral.converted": "A lead became a customer.",
  "referral.created": "A person signed up and became a promoter's lead.",
  "referral.deleted": "A lead was deleted.",
  "referral.moved": "A lead was moved to another promoter.",
  "referral.updated": "A lead was changed.",
};

/** Every event type that a webhook can subscribe to, in alphabetical order. */
export const EVENT_TYPES = Object.keys(EVENT_MEANINGS).toSorted();

/** The event that triggers each e-mail. */
export const EMAIL_EVENTS: Record<EmailKind, string> = {
  signup_accepted: "promoter_campaign.accepted",
  accepted: "promoter_campaign.accepted",
  rejected: "promoter_campaign.rejected",
  new_referral: "referral.created",
  new_commission: "commission.created",
  payout_sent: "payout.completed",
};

/**
 * A change to one record. `before` is null if it is new, `after` if it was deleted. With a `balance`, the
 * record is a promoter and only the balance changed.
 */
export type AnnouncedChange = {
  [E in Entity]: {
    entity: E;
    before: AnnouncedRecords[E] | null;
    after: AnnouncedRecords[E] | null;
    balance?: unknown;
    temp_password?: string | undefined;
  };
}[Entity];

/** Each commit that changes a promoter's balance causes one. */
export const BALANCE_EVENT = "promoter.balance.updated";

/** The kind of a change. */
export function actionOf({ entity, before, after }: Pick<AnnouncedChange, "entity" | "before" | "after">) {
  // A contract waits for its signature before there is a record of it.
  if (entity === "contract_document") return "updated";
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
}

/**
 * The event types of a change. Reaching a state causes both the event of that state and `created` or
 * `updated`.
 *
 * @see docs/spec/events.md "Webhooks"
 */
export function eventTypesOf(change: AnnouncedChange): string[] {
  const { entity, balance } = change;
  if (balance !== undefined) return [BALANCE_EVENT];
  return [actionOf(change), ...transitionsOf(change)]
    .map((name) => `${entity}.${name}`)
    .filter((type) => EVENT_TYPES.includes(type));
}

/** Whether a promoter has confirmed their address, which releases held-back e-mails. */
export function isConfirmation({ entity, before, after }: AnnouncedChange): boolean {
  if (entity !== "promoter" || before === null || after === null) return false;
  return before.is_unconfirmed === true && after.is_unconfirmed !== true;
}

/** The event types of webhooks in V1's form, each with the event that causes it. */
const CAUSES = {
  fulfilment_pending: "payout.created",
  lead_becomes_referral: "referral.converted",
  lead_cancelled: "referral.cancelled",
  lead_signup: "referral.created",
  new_customer: "referral.converted",
  promoter_accepted: "promoter_campaign.accepted",
  promoter_signed_up: "promoter.created",
  /** A second name for it, which some automation tools expect. */
  promoter_signs_up: "promoter.created",
  reward_created: "commission.created",
} as const;

export type V1EventType = keyof typeof CAUSES;

/** In alphabetical order. */
export const V1_EVENT_TYPES = Object.keys(CAUSES) as V1EventType[];

/** The type for a promoter who waits for a reward other than money. */
export const FULFILMENT: V1EventType = "fulfilment_pending";

/** Whether this is an event type of V1. */
export function isV1EventType(type: string): type is V1EventType {
  return Object.hasOwn(CAUSES, type);
}

const SIGNUP: V1EventType = "lead_signup";

/** The V1 event types of a change. */
export function v1EventTypesOf(change: AnnouncedChange): V1EventType[] {
  const caused = eventTypesOf(change);
  return V1_EVENT_TYPES.filter((type) => {
    if (type === SIGNUP) return isNewLead(change);
    return caused.includes(CAUSES[type]) && (type !== FULFILMENT || isToFulfil(change));
  });
}

/** The event that causes an event of this type. In V2's form that is the event itself. */
export function causeOf(type: string): string {
  return isV1EventType(type) ? CAUSES[type] : type;
}

function transitionsOf(change: AnnouncedChange): string[] {
  const { entity, before, after } = change;
  if (after === null) return [];
  switch (entity) {
    case "promoter_campaign":
      return before?.state === after.state ? [] : [after.state];
    case "contract_document":
      return before === null ? ["signed"] : [];
    case "commission":
      return before?.status === after.status ? [] : [after.status];
    case "payments_batch":
      return batchTransitions(before, after);
    case "payout":
      return payoutTransitions(before, after);
    case "promo_code":
      return before?.archived_at === null && after.archived_at !== null ? ["archived"] : [];
    case "referral":
      return before === null ? [] : leadTransitions(before, after);
    default:
      return [];
  }
}

/** A batch is initiated when it is paid for the first time. */
function batchTransitions(
  before: AnnouncedRecords["payments_batch"] | null,
  after: AnnouncedRecords["payments_batch"],
): string[] {
  if (before === null || before.status === after.status) return [];
  const isFirst = before.processing_started_at === null && after.processing_started_at !== null;
  return isFirst ? ["initiated", after.status] : [after.status];
}

/** A payout begins with commissions. Later only a commission that leaves it changes its amount. */
function payoutTransitions(
  before: AnnouncedRecords["payout"] | null,
  after: AnnouncedRecords["payout"],
): string[] {
  const transitions = before?.status === after.status ? [] : [after.status as string];
  if (before === null) transitions.push("commissions.added");
  else if (before.amount !== after.amount) transitions.push("commissions.removed");
  return transitions;
}

function leadTransitions(
  before: AnnouncedRecords["referral"],
  after: AnnouncedRecords["referral"],
): string[] {
  const transitions: string[] = [];
  const isMoved =
    before.promoter_campaign_id !== after.promoter_campaign_id || before.campaign_id !== after.campaign_id;
  if (before.customer_since === null && after.customer_since !== null) transitions.push("converted");
  if (before.state !== "cancelled" && after.state === "cancelled") transitions.push("cancelled");
  if (isMoved) transitions.push("moved");
  return transitions;
}

/**
 * V1 has no pending leads.
 *
 * @see docs/spec/events.md "V1's form"
 */
function isNewLead({ entity, before, after }: AnnouncedChange): boolean {
  if (entity !== "referral" || after === null || after.is_proposal) return false;
  return before === null || before.is_proposal === true;
}

/** Each commission that is not money has a payout. */
function isToFulfil(change: AnnouncedChange): boolean {
  return change.entity === "payout" && change.after !== null && change.after.unit !== "cash";
}
