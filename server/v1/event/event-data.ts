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

/** What each event type means, and the form of its `data`. */
const DATA: Record<V1EventType, [meaning: string, data: z.ZodObject]> = {
  fulfilment_pending: [
    "In V1's form: a promoter waits for something that is not money. If you answer 200, the promoter has got it. After any other success it stays pending.",
    eventFulfilment,
  ],
  lead_becomes_referral: ["In V1's form: a lead became a customer.", eventLead],
  lead_cancelled: ["In V1's form: a customer cancelled.", eventLead],
  lead_signup: ["In V1's form: somebody signed up and became a promoter's lead.", eventLead],
  new_customer: [
    "In V1's form: a lead became a customer. It comes together with `lead_becomes_referral`.",
    eventLead,
  ],
  promoter_accepted: ["In V1's form: a promoter was accepted in a campaign.", eventAcceptance],
  promoter_signed_up: ["In V1's form: a promoter was added.", eventJoining],
  promoter_signs_up: [
    "In V1's form: the same as `promoter_signed_up`, by the name that some automation tools wait for.",
    eventJoining,
  ],
  reward_created: ["In V1's form: a promoter earned a commission, or a refund took one back.", eventReward],
};

/** The event types of V1 and their bodies, for the OpenAPI document. */
export const V1_EVENTS = { types: V1_EVENT_TYPES, bodyOf, meaningOf };

/** undefined: this is no event type of V1. */
function bodyOf(type: string): z.ZodObject | undefined {
  if (!isV1EventType(type)) return undefined;
  return z.object({
    event: field(
      z.object({ id: recordId, type: field(z.literal(type), "What happened."), created_at: createdAt }),
      "Its id, its type and when it happened. The id is a number.",
    ),
    data: field(DATA[type][1], "The record, as the interface shows it."),
  });
}

function meaningOf(type: string): string | undefined {
  return isV1EventType(type) ? DATA[type][0] : undefined;
}
