import type { BalanceChange, Entity, EntityRecords } from "./record.ts";
import type { EmailKind } from "../email/email.ts";

/**
 * Every event type that a webhook can subscribe to, in alphabetical order. Some belong to features that don't exist
 * yet.
 */
export const EVENT_TYPES = [
  ...types("commission", "approved", "created", "deleted", "denied", "pending", "updated"),
  ...types("contract_document", "signed"),
  ...types(
    "payments_batch",
    "completed",
    "created",
    "deleted",
    "failed",
    "initiated",
    "processing",
    "updated",
  ),
  ...types(
    "payout",
    "cancelled",
    "commissions.added",
    "commissions.removed",
    "completed",
    "created",
    "deleted",
  ),
  ...types("payout", "failed", "pending", "processing", "updated"),
  ...types("payout_method", "created", "deleted", "updated"),
  ...types("promo_code", "archived", "created", "updated"),
  ...types("promoter", "balance.updated", "created", "deleted", "updated"),
  ...types("promoter_campaign", "accepted", "blocked", "created", "deleted", "inactive", "pending"),
  ...types("promoter_campaign", "rejected", "updated"),
  ...types("referral", "cancelled", "converted", "created", "deleted", "moved", "updated"),
].toSorted();

/** The event that each e-mail goes with. */
export const EMAIL_EVENTS: Record<EmailKind, string> = {
  signup_accepted: "promoter_campaign.accepted",
  accepted: "promoter_campaign.accepted",
  rejected: "promoter_campaign.rejected",
  new_referral: "referral.created",
  new_commission: "commission.created",
  payout_sent: "payout.completed",
};

/**
 * A change to one record. `before` is null if it is new, `after` if it was deleted. With a `balance`, the record is a
 * promoter and only the balance changed.
 */
export type RecordChange = {
  [E in Entity]: {
    entity: E;
    before: EntityRecords[E] | null;
    after: EntityRecords[E] | null;
    balance?: BalanceChange;
  };
}[Entity];

/** Each commit that changes a promoter's balance causes one. */
export const BALANCE_EVENT = "promoter.balance.updated";

/** The kind of a change. */
export function actionOf({ before, after }: Pick<RecordChange, "before" | "after">) {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
}

/**
 * The event types of a change.
 *
 * Choice: a record that reaches a state causes both the event of that state and `created` or `updated`, so
 * that a receiver may follow either. A balance is no field of its promoter, so its change does not cause
 * `promoter.updated`.
 */
export function eventTypesOf(change: RecordChange): string[] {
  const { entity, balance } = change;
  if (balance !== undefined) return [BALANCE_EVENT];
  return [actionOf(change), ...transitionsOf(change)]
    .map((name) => `${entity}.${name}`)
    .filter((type) => EVENT_TYPES.includes(type));
}

function transitionsOf(change: RecordChange): string[] {
  const { entity, before, after } = change;
  if (after === null) return [];
  switch (entity) {
    case "promoter_campaign":
      return before?.state === after.state ? [] : [after.state];
    case "commission":
      return before?.status === after.status ? [] : [after.status];
    case "payments_batch":
      return batchTransitions(before, after);
    case "payout":
      return payoutTransitions(before, after);
    case "promo_code":
      return before?.archivedAt === null && after.archivedAt !== null ? ["archived"] : [];
    case "referral":
      return before === null ? [] : leadTransitions(before, after);
    default:
      return [];
  }
}

/** A batch is initiated when it is paid for the first time. */
function batchTransitions(
  before: EntityRecords["payments_batch"] | null,
  after: EntityRecords["payments_batch"],
): string[] {
  if (before === null || before.status === after.status) return [];
  const isFirst = before.processingStartedAt === null && after.processingStartedAt !== null;
  return isFirst ? ["initiated", after.status] : [after.status];
}

/** A payout begins with commissions. Later only a commission that leaves it changes its amount. */
function payoutTransitions(before: EntityRecords["payout"] | null, after: EntityRecords["payout"]): string[] {
  const transitions = before?.status === after.status ? [] : [after.status as string];
  if (before === null) transitions.push("commissions.added");
  else if (before.amount !== after.amount) transitions.push("commissions.removed");
  return transitions;
}

function leadTransitions(before: EntityRecords["referral"], after: EntityRecords["referral"]): string[] {
  const transitions: string[] = [];
  const isMoved =
    before.promoterCampaignId !== after.promoterCampaignId || before.campaignId !== after.campaignId;
  if (before.customerSince === null && after.customerSince !== null) transitions.push("converted");
  if (before.state !== "cancelled" && after.state === "cancelled") transitions.push("cancelled");
  if (isMoved) transitions.push("moved");
  return transitions;
}

function types(entity: string, ...names: string[]): string[] {
  return names.map((name) => `${entity}.${name}`);
}

/** Whether a promoter has confirmed their address. They get the e-mails then that were held back. */
export function isConfirmation({ entity, before, after }: RecordChange): boolean {
  if (entity !== "promoter" || before === null || after === null) return false;
  return before.isUnconfirmed === true && after.isUnconfirmed !== true;
}
