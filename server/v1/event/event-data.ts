import { z } from "zod";
import { campaigns } from "../../domain/campaign/campaign.ts";
import { commissions, type Commission } from "../../domain/commission/commission.ts";
import {
  isV1EventType,
  V1_EVENT_TYPES,
  type RecordChange,
  type V1EventType,
} from "../../domain/event/event-type.ts";
import type { Lead } from "../../domain/lead/lead.ts";
import type { Payout } from "../../domain/payout/payout.ts";
import type { PromoterCampaign } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../../domain/promoter-campaign/search.ts";
import { loadPromoter, type Promoter } from "../../domain/promoter/promoter.ts";
import { rewards } from "../../domain/reward/reward.ts";
import { showAll, unlessGone } from "../../domain/show.ts";
import type { View } from "../../storage/store.ts";
import { leadAnswer, leadJson } from "../lead/lead-json.ts";
import { campaignAnswer, campaignJson, payoutAnswer, payoutJson } from "../payout/payout-json.ts";
import {
  profileAnswer,
  profileJson,
  promoterSubsetAnswer,
  promoterSubsetJson,
} from "../promoter/promoter-json.ts";
import {
  newEmbedded,
  readOffers,
  readPromoterParts,
  readPromotionParts,
} from "../promoter/promoter-parts.ts";
import {
  earningAnswer,
  earningJson,
  offersAnswer,
  offersJson,
  promotionAnswer,
  promotionJson,
} from "../promoter/promotion-json.ts";
import { rewardAnswer, showReward } from "../reward/reward-json.ts";

/** The event types of V1 and their bodies, for the OpenAPI document. */
export const V1_EVENTS = { types: V1_EVENT_TYPES, bodyOf };

/**
 * The `data` of V1's events about a change. Records that it refers to are shown as they are now.
 *
 * @throws Failure `not_found` if one was deleted that the event can't do without
 * @see docs/spec/events.md "V1's form"
 */
export function showEvent(view: View, change: RecordChange): Promise<Record<string, unknown>> {
  switch (change.entity) {
    case "referral":
      return showLead(view, present(change.after));
    case "promoter":
      return showJoining(view, present(change.after));
    case "promoter_campaign":
      return showAcceptance(view, present(change.after));
    case "commission":
      return showEarning(view, present(change.after));
    case "payout":
      return showFulfilment(view, present(change.after));
    default:
      throw new Error(`V1 has no event for a ${change.entity}`);
  }
}

/** The promoter within each event. `promotions` is always empty, and a missing `cust_id` is empty text. */
const eventPromoter = promoterSubsetAnswer
  .extend({ cust_id: z.string(), profile: profileAnswer, promotions: z.array(promotionAnswer) })
  .meta({ id: "V1EventPromoter" });

/** Something that is not money, and that its promoter waits for. */
const eventFulfilment = payoutAnswer
  .extend({ reward: earningAnswer.nullable(), promoter: eventPromoter.nullable() })
  .meta({ id: "V1EventFulfilment" });

const eventLead = leadAnswer
  .extend({ promotion: promotionAnswer.nullable(), promoter: eventPromoter.nullable() })
  .meta({ id: "V1EventLead" });

const eventCampaign = campaignAnswer.extend(offersAnswer.shape).meta({ id: "V1EventCampaign" });

const eventAcceptance = z
  .object({
    state: z.literal("accepted"),
    campaign: eventCampaign,
    promoter: eventPromoter,
    promotion: promotionAnswer,
  })
  .meta({ id: "V1EventAcceptance" });

/** A promoter who has joined, with their promotions. */
const eventJoining = z
  .object({ promoter: eventPromoter, promotions: z.array(promotionAnswer) })
  .meta({ id: "V1EventJoining" });

const eventReward = rewardAnswer.extend({ promoter: eventPromoter.nullable() }).meta({ id: "V1EventReward" });

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

/** undefined: this is no event type of V1. */
function bodyOf(type: string): z.ZodObject | undefined {
  if (!isV1EventType(type)) return undefined;
  return z.object({
    event: z.object({ id: z.int(), type: z.literal(type), created_at: z.iso.datetime() }),
    data: DATA[type],
  });
}

type Shown<S extends z.ZodType> = Promise<z.output<S>>;

async function showLead(view: View, lead: Lead): Shown<typeof eventLead> {
  return {
    ...leadJson(lead),
    promotion: await newEmbedded(view, lead.accountId).promotion(lead.promoterCampaignId),
    promoter: await ownerOf(view, lead),
  };
}

/** The promoter that a record belongs to. null: deleted. */
function ownerOf(
  view: View,
  { accountId, promoterId }: { accountId: number; promoterId: number },
): Promise<z.output<typeof eventPromoter> | null> {
  return unlessGone(loadPromoter(view, accountId, promoterId).then((promoter) => promoterOf(view, promoter)));
}

async function promoterOf(view: View, promoter: Promoter): Shown<typeof eventPromoter> {
  return {
    ...promoterSubsetJson(await readPromoterParts(view, promoter)),
    cust_id: promoter.custId ?? "",
    profile: profileJson(promoter.profile),
    promotions: [],
  };
}

function present<R>(record: R | null): R {
  if (record === null) throw new Error("V1 has no event for a deleted record");
  return record;
}

async function showJoining(view: View, promoter: Promoter): Shown<typeof eventJoining> {
  const joined = await listPromoterCampaigns(view, promoter.accountId, promoter.id);
  return {
    promoter: await promoterOf(view, promoter),
    promotions: (await showAll(view, joined, readPromotionParts)).map(promotionJson),
  };
}

async function showAcceptance(view: View, promoterCampaign: PromoterCampaign): Shown<typeof eventAcceptance> {
  const { accountId, promoterId } = promoterCampaign;
  const promotion = await readPromotionParts(view, promoterCampaign);
  const { campaign } = promotion;
  return {
    state: "accepted",
    campaign: { ...campaignJson(campaign), ...offersJson(await readOffers(view, campaign)) },
    promoter: await promoterOf(view, await loadPromoter(view, accountId, promoterId)),
    promotion: promotionJson(promotion),
  };
}

async function showEarning(view: View, commission: Commission): Shown<typeof eventReward> {
  return { ...(await showReward(view, commission)), promoter: await ownerOf(view, commission) };
}

/** Choice: a payout of several commissions shows the reward of the first. */
async function showFulfilment(view: View, payout: Payout): Shown<typeof eventFulfilment> {
  const { accountId, id, campaignId } = payout;
  const [first] = await view.page(commissions, "payout", accountId, [id], { limit: 1 });
  const rewardId = first?.rewardId ?? null;
  const reward = rewardId === null ? null : await view.get(rewards, accountId, rewardId);
  const campaign = await view.get(campaigns, accountId, campaignId);
  return {
    ...payoutJson(payout, { promoter: null, campaign }),
    reward: reward && earningJson(reward),
    promoter: await ownerOf(view, payout),
  };
}
