import { z } from "zod";
import { campaigns, loadCampaign, type Campaign } from "../domain/program/campaign/campaign.ts";
import { commissions, type Commission } from "../domain/ledger/commission/commission.ts";
import { isV1EventType, V1_EVENT_TYPES, type V1EventType } from "../domain/events/event-type.ts";
import type { RecordChange } from "../domain/ledger/announcement.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import type { Payout } from "../domain/ledger/payout/payout.ts";
import type { PromoterCampaign } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../domain/people/promoter-campaign/search.ts";
import { promoters, type Promoter } from "../domain/people/promoter/promoter.ts";
import { loadRewardEntries, rewards } from "../domain/program/reward/reward.ts";
import { Failure } from "../failure.ts";
import type { View } from "../storage/store.ts";
import { leadAnswer, leadJson } from "./leads.ts";
import { campaignAnswer, campaignJson, payoutAnswer, payoutJson } from "./payouts.ts";
import { profileAnswer, profileJson, promoterSubsetAnswer } from "./promoter-json.ts";
import {
  earningAnswer,
  earningJson,
  offersAnswer,
  offersJson,
  promotionAnswer,
  readPromotions,
} from "./promotion-json.ts";
import { rewardAnswer, showReward } from "./rewards.ts";
import { createdAt, field, recordId } from "../http/fields.ts";

/** The event types of V1 and their bodies, for the OpenAPI document. */
export const V1_EVENTS = { types: V1_EVENT_TYPES, bodyOf, meaningOf };

/**
 * The `data` of V1's events about a change. Related records are shown in their current state.
 *
 * @throws Failure `not_found` if a record that the event needs was deleted
 * @see docs/spec/events.md "V1's form"
 */
export function showEvent(view: View, change: RecordChange): Promise<Record<string, unknown>> {
  switch (change.entity) {
    case "referral":
      return showLead(view, present(change.after));
    case "promoter":
      return showJoining(view, present(change.after), change.temp_password);
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

const account = profileAnswer.shape.social_accounts.shape.twitter;

/** A profile with what the service shows in events only. */
const eventProfile = profileAnswer
  .extend({
    id: field(z.int(), "Id of the promoter.", 17),
    social_accounts: field(
      profileAnswer.shape.social_accounts.extend({
        tiktok: field(account, "Their page on TikTok."),
        twitch: field(account, "Their channel on Twitch."),
      }),
      profileAnswer.shape.social_accounts,
    ),
  })
  .meta({ id: "V1EventProfile" });

/** The promoter within each event. `promotions` is always empty, and a missing `cust_id` is empty text. */
const eventPromoter = promoterSubsetAnswer.schema
  .extend({
    cust_id: field(z.string(), "Your own id of the promoter. Empty for none.", "user-4711"),
    profile: field(eventProfile, "The promoter's own details."),
    promotions: field(z.array(promotionAnswer.schema), "Always empty."),
  })
  .meta({ id: "V1EventPromoter" });

const eventCampaign = field(
  campaignAnswer.extend(offersAnswer.shape).meta({ id: "V1EventCampaign" }),
  "The campaign, or null if it was deleted.",
);

/** A payout of something other than money that its promoter waits for. */
const eventFulfilment = payoutAnswer
  .extend({
    reward: field(earningAnswer.nullable(), "The reward."),
    campaign: eventCampaign.nullable(),
    promoter: field(eventPromoter.nullable(), "The promoter, or null if they were deleted."),
  })
  .meta({ id: "V1EventFulfilment" });

const eventLead = leadAnswer
  .extend({
    promotion: field(
      promotionAnswer.schema.nullable(),
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
    promoter: field(eventPromoter.nullable(), "The promoter, or null if they were deleted."),
  })
  .meta({ id: "V1EventLead" });

const eventAcceptance = z
  .object({
    state: field(z.literal("accepted"), "State of the record."),
    campaign: eventCampaign,
    promoter: field(eventPromoter, "The promoter, or null if they were deleted."),
    promotion: field(
      promotionAnswer.schema,
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
  })
  .meta({ id: "V1EventAcceptance" });

/** A promoter who has joined, with their promotions. */
const eventJoining = z
  .object({
    promoter: field(eventPromoter, "The promoter, or null if they were deleted."),
    promotions: field(z.array(promotionAnswer.schema), "The campaigns that the promoter is in."),
  })
  .meta({ id: "V1EventJoining" });

const eventReward = rewardAnswer
  .extend({ promoter: field(eventPromoter.nullable(), "The promoter, or null if they were deleted.") })
  .meta({ id: "V1EventReward" });

/** What each event type means, and the form of its `data`. */
const DATA: Record<V1EventType, [meaning: string, data: z.ZodObject]> = {
  fulfilment_pending: [
    "In V1's form: a promoter waits for a payout that is not money. If you answer 200, it is marked as paid. After any other 2xx it stays pending.",
    eventFulfilment,
  ],
  lead_becomes_referral: ["In V1's form: a lead became a customer.", eventLead],
  lead_cancelled: ["In V1's form: a customer cancelled.", eventLead],
  lead_signup: ["In V1's form: a person signed up and became a promoter's lead.", eventLead],
  new_customer: [
    "In V1's form: a lead became a customer. It comes together with `lead_becomes_referral`.",
    eventLead,
  ],
  promoter_accepted: ["In V1's form: a promoter was accepted in a campaign.", eventAcceptance],
  promoter_signed_up: ["In V1's form: a promoter was added.", eventJoining],
  promoter_signs_up: [
    "In V1's form: the same as `promoter_signed_up`, under the name that some automation tools expect.",
    eventJoining,
  ],
  reward_created: ["In V1's form: a promoter earned a commission, or a refund took one back.", eventReward],
};

/** Undefined if it is not an event type of V1. */
function bodyOf(type: string): z.ZodObject | undefined {
  if (!isV1EventType(type)) return undefined;
  return z.object({
    event: field(
      z.object({ id: recordId, type: field(z.literal(type), "What happened."), created_at: createdAt }),
      "Its numeric id, its type and when it happened.",
    ),
    data: field(DATA[type][1], "The record, as V2 shows it."),
  });
}

function meaningOf(type: string): string | undefined {
  return isV1EventType(type) ? DATA[type][0] : undefined;
}

type Shown<S extends z.ZodType> = Promise<z.output<S>>;

async function showLead(view: View, lead: Lead): Shown<typeof eventLead> {
  const promotionOf = await readPromotions(view, lead.account_id, [lead.promoter_campaign_id]);
  return {
    ...leadJson(lead),
    promotion: promotionOf(lead.promoter_campaign_id),
    promoter: await ownerOf(view, lead),
  };
}

/** The promoter that a record belongs to, or null if deleted. */
async function ownerOf(
  view: View,
  { account_id, promoter_id }: { account_id: number; promoter_id: number },
): Promise<z.output<typeof eventPromoter> | null> {
  const promoter = await view.get(promoters, account_id, promoter_id);
  if (promoter === null) return null;
  const [shown] = await promoterSubsetAnswer.showAll(view, [promoter]);
  if (shown === undefined) return null;
  return {
    ...shown,
    cust_id: promoter.cust_id ?? "",
    profile: eventProfileJson(promoter),
    promotions: [],
  };
}

/** The promoter of an event that has no data without them. @throws Failure `not_found` */
async function promoterOf(
  view: View,
  owned: { account_id: number; promoter_id: number },
): Shown<typeof eventPromoter> {
  const promoter = await ownerOf(view, owned);
  if (promoter === null) throw new Failure("not_found", "Promoter not found.");
  return promoter;
}

function eventProfileJson({ id, profile }: Promoter): z.output<typeof eventProfile> {
  const shown = profileJson(profile);
  const { tiktok_url, twitch_url } = profile;
  const social = { ...shown.social_accounts, tiktok: { url: tiktok_url }, twitch: { url: twitch_url } };
  return { ...shown, id, social_accounts: social };
}

async function eventCampaignJson(view: View, campaign: Campaign): Shown<typeof eventCampaign> {
  const { account_id, rewards_for_promoters, rewards_for_referrals } = campaign;
  const offer = {
    rewards_for_promoters: await loadRewardEntries(view, account_id, rewards_for_promoters),
    rewards_for_referrals: await loadRewardEntries(view, account_id, rewards_for_referrals),
  };
  return { ...campaignJson(campaign), ...offersJson(offer) };
}

function present<R>(record: R | null): R {
  if (record === null) throw new Error("V1 has no event for a deleted record");
  return record;
}

async function showJoining(
  view: View,
  promoter: Promoter,
  tempPassword = null as string | null,
): Shown<typeof eventJoining> {
  const { account_id, id } = promoter;
  const joined = await listPromoterCampaigns(view, account_id, id);
  const shown = await promoterOf(view, { account_id, promoter_id: id });
  return {
    promoter: { ...shown, temp_password: tempPassword },
    promotions: await promotionAnswer.showAll(view, joined),
  };
}

async function showAcceptance(view: View, promoterCampaign: PromoterCampaign): Shown<typeof eventAcceptance> {
  const promotion = await promotionAnswer.show(view, promoterCampaign);
  const campaign = await loadCampaign(view, promoterCampaign.account_id, promotion.campaign_id);
  return {
    state: "accepted",
    campaign: await eventCampaignJson(view, campaign),
    promoter: await promoterOf(view, promoterCampaign),
    promotion,
  };
}

async function showEarning(view: View, commission: Commission): Shown<typeof eventReward> {
  return { ...(await showReward(view, commission)), promoter: await ownerOf(view, commission) };
}

/** A payout of several commissions shows the reward of the first. */
async function showFulfilment(view: View, payout: Payout): Shown<typeof eventFulfilment> {
  const { account_id, id, campaign_id } = payout;
  const [first] = await view.page(commissions, "payout", account_id, [id], { limit: 1 });
  const rewardId = first?.reward_id ?? null;
  const reward = rewardId === null ? null : await view.get(rewards, account_id, rewardId);
  const campaign = await view.get(campaigns, account_id, campaign_id);
  return {
    ...payoutJson(payout, { promoter: null, campaign: null }),
    campaign: campaign && (await eventCampaignJson(view, campaign)),
    reward: reward && earningJson(reward),
    promoter: await ownerOf(view, payout),
  };
}
