import { z } from "zod";
import { isV1EventType, V1_EVENT_TYPES, type V1EventType } from "../../domain/event/event-type.ts";
import { leadAnswer } from "../lead/lead-json.ts";
import { campaignAnswer, payoutAnswer } from "../payout/payout-json.ts";
import { earningAnswer } from "../promoter/offer-json.ts";
import { profileAnswer } from "../promoter/profile-json.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { offersAnswer, promotionAnswer } from "../promoter/promotion-json.ts";
import { rewardAnswer } from "../reward/reward-json.ts";

/** The promoter within each event. `promotions` is always empty, and a missing `cust_id` is empty text. */
export const eventPromoter = promoterSubsetAnswer
  .extend({ cust_id: z.string(), profile: profileAnswer, promotions: z.array(promotionAnswer) })
  .meta({ id: "V1EventPromoter" });

export const eventLead = leadAnswer
  .extend({ promotion: promotionAnswer.nullable(), promoter: eventPromoter.nullable() })
  .meta({ id: "V1EventLead" });

const eventCampaign = campaignAnswer.extend(offersAnswer.shape).meta({ id: "V1EventCampaign" });

export const eventReward = rewardAnswer
  .extend({ promoter: eventPromoter.nullable() })
  .meta({ id: "V1EventReward" });

/** A promoter who has joined, with their promotions. */
export const eventJoining = z
  .object({ promoter: eventPromoter, promotions: z.array(promotionAnswer) })
  .meta({ id: "V1EventJoining" });

export const eventAcceptance = z
  .object({
    state: z.literal("accepted"),
    campaign: eventCampaign,
    promoter: eventPromoter,
    promotion: promotionAnswer,
  })
  .meta({ id: "V1EventAcceptance" });

/** Something that is not money, and that its promoter waits for. */
export const eventFulfilment = payoutAnswer
  .extend({ reward: earningAnswer.nullable(), promoter: eventPromoter.nullable() })
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
    event: z.object({ id: z.int(), type: z.literal(type), created_at: z.iso.datetime() }),
    data: DATA[type],
  });
}
