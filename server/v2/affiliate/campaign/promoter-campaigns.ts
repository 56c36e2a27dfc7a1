import { z } from "zod";
import { rewardsForOwnCodes } from "../../../domain/people/promo-code/changes.ts";
import type { Campaign } from "../../../domain/program/campaign/campaign.ts";
import { readRuleCounts } from "../../../domain/people/daily.ts";
import {
  listPromoterCampaigns,
  promoterCampaignParts,
  type PromoterCampaignParts,
} from "../../../domain/people/promoter-campaign/search.ts";
import {
  acceptsLeads,
  loadOwnPromoterCampaign,
  REF_TOKEN_LENGTH,
  isRefToken,
  type PromoterCampaign,
} from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import { updatePromoterCampaign } from "../../../domain/people/promoter-campaign/changes.ts";
import type { Reward } from "../../../domain/program/reward/reward.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { goalsOf, targetsOf, termsOf, type Goal } from "../../../domain/ledger/terms.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { word, coupon, landingUrl, refToken, referralLink } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { View } from "../../../storage/store.ts";
import { offer } from "../../campaign/signup-page-json.ts";
import { embeddedCampaign } from "../../embedded-json.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import { promoterCampaignAnswer } from "../../promoter-campaign/promoter-campaigns.ts";
import { recordError } from "../../operation.ts";
import { rewardEntryAnswer } from "../../reward/reward-json.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { ownPromoCodeAnswer } from "./promo-codes.ts";
import { field, recordId } from "../../../http/fields.ts";
import { signupTexts } from "../../../domain/program/campaign/campaign.ts";

const company = promoterCampaignAnswer.schema.shape;

/** A promoter campaign as a part of the signed-in promoter. */
export const ownPromoterCampaignSummary = z
  .object({
    id: field(company.id, "Id of the record.", 17),
    campaign_id: field(company.campaign_id, "Id of the campaign.", 1),
    created_at: company.created_at,
    campaign: field(company.campaign, "The campaign, or null if it was deleted."),
    state: field(company.state, "State of the record."),
    promoter_id: field(company.promoter_id, "Id of the promoter.", 17),
    stats: field(company.stats, "Figures of the record."),
    ref_token: field(company.ref_token, refToken),
    ref_link: field(company.ref_link, referralLink),
    has_monetary_rewards: field(z.boolean(), "Whether its rewards are paid in money."),
  })
  .meta({ id: "PortalPromoterCampaignSummary" });

const goalAnswer = z
  .object({
    reward_id: field(z.int(), "Id of the reward.", 3),
    gives: field(z.string(), "What it gives.", "$100.00"),
    metric: field(z.enum(["customers", "revenue"]), "What is counted."),
    reached: field(z.int(), "The count so far. Revenue is in the minor unit.", 7),
    needed: field(z.number(), "The count that earns it.", 10),
    is_reached: field(z.boolean(), "Whether the promoter has earned it. Each target is earned once."),
  })
  .meta({ id: "PortalGoal" });

const answer = ownPromoterCampaignSummary
  .extend({
    campaign: field(
      embeddedCampaign.extend({
        description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
        landing_url: landingUrl,
      }),
      "The campaign, or null if it was deleted.",
    ),
    coupon: field(company.coupon, coupon),
    display_coupon: field(company.display_coupon, "The code that customers type at the checkout.", "JANE10"),
    rewards_for_promoters: field(z.array(rewardEntryAnswer), "What promoters earn, and for which sales."),
    rewards_for_referrals: field(z.array(rewardEntryAnswer), "What people who follow the link get."),
    offer,
    goals: field(z.array(goalAnswer), "The targets that count the promoter's customers or revenue."),
    promo_codes: field(z.array(ownPromoCodeAnswer.schema), "The promoter's codes in use."),
    recruitment_link_url: field(
      z.string().nullable(),
      "Page on which people whom the promoter invites can join. Null if the campaign is private or has not accepted the promoter.",
      "https://track.example.com/join/5#ref=jane",
    ),
    track_ad_traffic: field(
      z.boolean().nullable(),
      "What happens to visits from paid ads: they are recorded as suspicious (`pending`), as clean (`allow`), or not at all (`block`).",
    ),
    may_add_leads: field(z.boolean(), "Whether the promoter may add leads by hand."),
    promo_code_rewards: field(
      z.array(z.object({ id: recordId, name: field(z.string(), "Name of the reward.", "10% off") })),
      "The rewards that the promoter's own codes can give. Empty if they can't make codes.",
    ),
  })
  .meta({ id: "PortalPromoterCampaign" });

const updateBody = z.object({
  ref_token: field(
    word(REF_TOKEN_LENGTH)
      .transform((value) => value.toLowerCase())
      .refine(isRefToken, "may have lower-case letters, digits, - and _ only"),
    ownPromoterCampaignSummary.shape.ref_token,
  ),
});

export const listOwnPromoterCampaignsOperation: AffiliateOperation = {
  id: "listOwnPromoterCampaigns",
  summary: "List the campaigns that the promoter is in",
  description: "Lists the promoter's part in each campaign, with the link to share.",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  async handle(request) {
    const { promoter, context } = request;
    const { page, window } = readListing(request, pageParams);
    const joined = await listPromoterCampaigns(context.store, promoter.account_id, promoter.id);
    setPageHeaders(request, page, joined.length);
    const shown = joined.slice(window.offset, window.offset + window.limit);
    return showOwn(request, context.store, shown);
  },
};

export const updateOwnPromoterCampaignOperation: AffiliateOperation = {
  id: "updateOwnPromoterCampaign",
  summary: "Change the promoter's referral id in a campaign",
  description: "Changes the referral id. Links with the old one stop working.",
  body: updateBody,
  answer,
  refusals: ["not_found", "invalid", "taken"],
  shape: recordError(),
  handle: update,
};

/** Links with the old referral id stop working, just like when the company changes it. */
async function update(request: AffiliateRequest) {
  const { event, account, promoter, context } = request;
  const { ref_token } = shapeInput(updateBody, await readJson(event));
  const wanted = { account_id: account.id, promoter_id: promoter.id, id: readPathId(event) };
  return context.store.transact(async (tx) => {
    const { id } = await loadOwnPromoterCampaign(tx, wanted);
    const updated = await updatePromoterCampaign(tx, context, account.id, { id, changes: { ref_token } });
    return (await showOwn(request, tx.view, [updated]))[0];
  });
}

/** Shows promoter campaigns as parts of the signed-in promoter. */
export async function showOwnPromoterCampaignSummaries(
  view: View,
  joined: PromoterCampaign[],
  promoter: Promoter,
): Promise<z.output<typeof ownPromoterCampaignSummary>[]> {
  const all = await promoterCampaignParts(view, joined);
  return all.flatMap((parts, at) =>
    parts === null ? [] : [summaryJson(joined[at]!, { ...parts, promoter })],
  );
}

function summaryJson(
  joined: PromoterCampaign,
  parts: PromoterCampaignParts & { promoter: Promoter },
): z.output<typeof ownPromoterCampaignSummary> {
  const shown = promoterCampaignAnswer.json(joined, parts);
  return {
    id: shown.id,
    campaign_id: shown.campaign_id,
    created_at: shown.created_at,
    campaign: shown.campaign,
    state: shown.state,
    promoter_id: shown.promoter_id,
    stats: shown.stats,
    ref_token: shown.ref_token,
    ref_link: shown.ref_link,
    has_monetary_rewards: parts.rewards_for_promoters.some(({ reward }) => isMonetary(reward)),
  };
}

/** Promoters don't see hidden rewards. */
async function showOwn(
  { public_url, account, promoter, language }: AffiliateRequest,
  view: View,
  records: PromoterCampaign[],
): Promise<z.output<typeof answer>[]> {
  const all = await promoterCampaignParts(view, records);
  const codes = await ownPromoCodeAnswer.showAll(
    view,
    all.flatMap((parts) => parts?.promoCodes ?? []),
  );
  const withTargets = records.filter((_, at) => targetsOf(all[at]?.rewards_for_promoters ?? []).length > 0);
  const countsOf = await readRuleCounts(view, withTargets);
  return all.flatMap((parts, at): z.output<typeof answer>[] => {
    if (parts === null) return [];
    const joined = records[at]!;
    const { campaign, rewards_for_promoters, rewards_for_referrals } = parts;
    const shown = promoterCampaignAnswer.json(joined, { ...parts, promoter });
    const offered = rewardsForOwnCodes(joined, campaign, rewards_for_referrals);
    const targets = targetsOf(rewards_for_promoters);
    return [
      {
        ...summaryJson(joined, { ...parts, promoter }),
        campaign: {
          ...shown.campaign,
          description: signupTexts(campaign, language).description,
          landing_url: campaign.landing_url,
        },
        coupon: shown.coupon,
        display_coupon: shown.display_coupon,
        rewards_for_promoters: shown.rewards_for_promoters.filter(({ reward }) => !reward.hide_reward),
        rewards_for_referrals: shown.rewards_for_referrals.filter(({ reward }) => !reward.hide_reward),
        offer: termsOf({ account, campaign, promoter, language }, rewards_for_promoters),
        goals: goalsOf({ account, joined, language }, targets, countsOf(joined.id)).map(goalJson),
        promo_codes: codes.filter(({ promoter_campaign_id }) => promoter_campaign_id === joined.id),
        recruitment_link_url: recruitmentLink(public_url, joined, campaign),
        track_ad_traffic: promoter.track_ad_traffic,
        may_add_leads: acceptsLeads(joined) && campaign.promoters_may_add_leads,
        promo_code_rewards: offered.map(({ id, name }) => ({ id, name })),
      },
    ];
  });
}

function goalJson(goal: Goal): z.output<typeof goalAnswer> {
  return {
    reward_id: goal.reward_id,
    gives: goal.gives,
    metric: goal.metric,
    reached: goal.reached,
    needed: goal.needed,
    is_reached: goal.isReached,
  };
}

function isMonetary({ schemas }: Reward): boolean {
  return schemas.some(({ unit }) => unit === "cash");
}

/** Only the company may invite people to a private campaign. */
function recruitmentLink(publicUrl: string, joined: PromoterCampaign, campaign: Campaign): string | null {
  if (campaign.is_private || !acceptsLeads(joined)) return null;
  return `${publicUrl}/join/${campaign.id}#ref=${joined.ref_token}`;
}
