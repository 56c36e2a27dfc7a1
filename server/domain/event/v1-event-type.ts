import { eventTypesOf, type RecordChange } from "./event-type.ts";

/** The event types of webhooks in V1's form, each with the event that causes it. */
const CAUSES = {
  fulfilment_pending: "payout.created",
  lead_becomes_referral: "referral.converted",
  lead_cancelled: "referral.cancelled",
  lead_signup: "referral.created",
  new_customer: "referral.converted",
  promoter_accepted: "promoter_campaign.accepted",
  promoter_signed_up: "promoter.created",
  /** The same by the name that some automation tools wait for. */
  promoter_signs_up: "promoter.created",
  reward_created: "commission.created",
} as const;

export type V1EventType = keyof typeof CAUSES;

/** In alphabetical order. */
export const V1_EVENT_TYPES = Object.keys(CAUSES) as V1EventType[];

/** The type that says that a promoter waits for something that is not money. */
export const FULFILMENT: V1EventType = "fulfilment_pending";

const SIGNUP: V1EventType = "lead_signup";

/** Whether this is an event type of V1. */
export function isV1EventType(type: string): type is V1EventType {
  return Object.hasOwn(CAUSES, type);
}

/** The V1 event types of a change. */
export function v1EventTypesOf(change: RecordChange): V1EventType[] {
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

/** Choice: V1 knows no leads that wait, so it reports one that a promoter added when the company approves it. */
function isNewLead({ entity, before, after }: RecordChange): boolean {
  if (entity !== "referral" || after === null || after.isProposal) return false;
  return before === null || before.isProposal === true;
}

/** Each commission that is not money has a payout. */
function isToFulfil(change: RecordChange): boolean {
  return change.entity === "payout" && change.after !== null && change.after.unit !== "cash";
}
