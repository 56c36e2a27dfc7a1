import { z } from "zod";
import { isV1EventType, V1_EVENT_TYPES, type V1EventType } from "../../domain/event/v1-event-type.ts";
import { leadAnswer } from "../lead/lead-json.ts";
import { campaignAnswer, payoutAnswer } from "../payout/payout-json.ts";
import { earningAnswer } from "../promoter/offer-json.ts";
import { profileAnswer } from "../promoter/profile-json.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { offersAnswer, promotionAnswer } from "../promoter/promotion-json.ts";
import { rewardAnswer } from "../reward/reward-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** The promoter within each event. `promotions` is always empty, and a missing `cust_id` is empty text. */
export const eventPromoter = promoterSubsetAnswer
  .extend({
    cust_id: field(z.string(), "Your own id of the promoter. Empty: none.", "user-4711"),
    profile: field(profileAnswer, "The promoter's own details."),
    promotions: field(z.array(promotionAnswer), "Always empty."),
  })
  .meta({ id: "V1EventPromoter" });

export const eventLead = leadAnswer
  .extend({
    promotion: field(
      promotionAnswer.nullable(),
      "The promotion that the record belongs to. null: it was deleted.",
    ),
    promoter: field(eventPromoter.nullable(), "The promoter. null: they were deleted."),
  })
  .meta({ id: "V1EventLead" });

const eventCampaign = field(
  campaignAnswer.extend(offersAnswer.shape).meta({ id: "V1EventCampaign" }),
  "The campaign. null: it was deleted.",
);

export const eventReward = rewardAnswer
  .extend({ promoter: field(eventPromoter.nullable(), "The promoter. null: they were deleted.") })
  .meta({ id: "V1EventReward" });

/** A promoter who has joined, with their promotions. */
export const eventJoining = z
  .object({
    promoter: field(eventPromoter, "The promoter. null: they were deleted."),
    promotions: field(z.array(promotionAnswer), "The campaigns that the promoter is in."),
  })
  .meta({ id: "V1EventJoining" });

export const eventAcceptance = z
  .object({
    state: field(z.literal("accepted"), "State of the record."),
    campaign: eventCampaign,
    promoter: field(eventPromoter, "The promoter. null: they were deleted."),
    promotion: field(promotionAnswer, "The promotion that the record belongs to. null: it was deleted."),
  })
  .meta({ id: "V1EventAcceptance" });

/** Something that is not money, and that its promoter waits for. */
export const eventFulfilment = payoutAnswer
  .extend({
    reward: field(earningAnswer.nullable(), "The reward."),
    promoter: field(eventPromoter.nullable(), "The promoter. null: they were deleted."),
  })
  .meta({ id: "V1EventFulfilment" });

/** The form of `data` for each event type. */
const DATA: Record<V1EventType, z.ZodObject> = {
  fulfilment_pending: eventFulfilment,
  lead_becomes_referral: eventLead,
  lead_cancelled: eventLead,
  lead_signup: eventLead,
  new_customer: eventLead,
  promoter_accepted: eventAcceptance,
  promoter_signed_up: eventJoining,
  promoter_signs_up: eventJoining,
  reward_created: eventReward,
};

/** The event types of V1 and their bodies, for the OpenAPI document. */
export const V1_EVENTS = { types: V1_EVENT_TYPES, bodyOf };

/** undefined: this is no event type of V1. */
function bodyOf(type: string): z.ZodObject | undefined {
  if (!isV1EventType(type)) return undefined;
  return z.object({
    event: field(
      z.object({ id: recordId, type: field(z.literal(type), "What happened."), created_at: createdAt }),
      "Its id, its type and when it happened. The id is a number.",
    ),
    data: field(DATA[type], "The record, as the interface shows it."),
  });
}
