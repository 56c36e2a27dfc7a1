import { z } from "zod";
import {
  campaigns,
  loadCampaign,
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  MAX_HOLD_DAYS,
  UPGRADE_METRICS,
} from "../../domain/program/campaign/campaign.ts";
import { refuseUsedCampaign } from "../../domain/ledger/use.ts";
import {
  createFullCampaign,
  deleteCampaign,
  updateCampaign,
  type CampaignChanges,
} from "../../domain/program/campaign/changes.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { campaignAnswer, showCampaign, showCampaigns } from "./campaign-json.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { flag, id, oneOf, text, webAddress, wholeNumber } from "../../input/fields.ts";
import { EMAIL_KINDS } from "../../domain/events/email.ts";
import { rewardEntries } from "../reward/reward-json.ts";
import { signupOf, signupParams } from "./signup-page-json.ts";
import { field } from "../../http/fields.ts";

const answers = campaignAnswer.schema.shape;

const campaignList = listed(campaigns)();

const shape = recordError({
  refParam: "ref_token_param",
  upgrade: "upgrade_details",
});

export const listCampaignsOperation: V2Operation = {
  id: "listCampaigns",
  summary: "List campaigns",
  description: "Lists campaigns with their settings and figures.",
  params: campaignList.params,
  answer: z.array(campaignAnswer.schema),
  isPaged: true,
  handle: list,
};

const MAX_COOKIE_DAYS = 3_650;
const refParam = field(
  text.trim().transform((value) => value.replace(/^\?/, "")),
  answers.ref_token_param,
);
const MAX_LINKS = 100;

const links = field(
  z
    .array(
      z.object(
        {
          id: field(id.nullish(), "Id of the page. Leave it out to add a page.", 2),
          name: field(text.trim().optional(), "Name of the page.", "Pricing"),
          url: field(webAddress.optional(), "Address of the page.", "https://www.example.com/pricing"),
          _destroy: field(flag.nullish(), "`true` removes the page."),
        },
        "is invalid",
      ),
      "is invalid",
    )
    .max(MAX_LINKS, `is too long (maximum is ${MAX_LINKS} entries)`),
  answers.links,
);

const upgrade = z.object(
  {
    campaign_id: field(id, "Id of the campaign.", 1),
    amount: field(id, "How much of the metric a promoter needs. Revenue is in cents.", 100),
    metric: field(oneOf(UPGRADE_METRICS), "What is counted."),
    move_referrals_on_level_change: field(flag.nullish(), "Whether the promoter's leads move too."),
  },
  "is invalid",
);
const MAX_ORIGINS = 100;

/**
 * Sites such as `https://shop.example`, `shop.example`, `*.shop.example` or `*`. An empty list allows only the landing
 * page's own site.
 */
const allowedOrigins = field(
  z
    .array(text.trim().regex(/^[^\s,]+$/, "is invalid"), "is invalid")
    .max(MAX_ORIGINS, `is too long (maximum is ${MAX_ORIGINS} entries)`),
  answers.allowed_origins,
);

/** The e-mails that promoters get. E-mails that are not listed are off. */
const emails = field(
  z
    .partialRecord(oneOf(EMAIL_KINDS), flag, "is invalid")
    .transform((given) => EMAIL_KINDS.filter((kind) => given[kind])),
  "Which e-mails promoters get. E-mails that are not listed are off.",
  { accepted: true, payout_sent: true },
);

/** The fields of a campaign that can be changed. */
const updateBody = z
  .object({
    name: field(text.trim(), "Name of the campaign.", "Partners"),
    landing_url: field(webAddress, answers.landing_url),
    ref_token_param: refParam,
    color: field(text.trim(), answers.color),
    visitor_cookie_life: field(
      id.pipe(z.number().max(MAX_COOKIE_DAYS, `must be less than or equal to ${MAX_COOKIE_DAYS}`)),
      answers.visitor_cookie_life,
    ),
    auto_approve_promoters: field(flag, answers.auto_approve_promoters),
    auto_approve_commissions: field(flag, answers.auto_approve_commissions),
    commission_hold_days: field(wholeNumber(0, MAX_HOLD_DAYS), answers.commission_hold_days),
    is_private: field(flag, answers.is_private),
    promoters_may_add_leads: field(flag, answers.promoters_may_add_leads),
    promoters_may_make_promo_codes: field(flag, answers.promoters_may_make_promo_codes),
    attribution: field(oneOf(ATTRIBUTIONS), answers.attribution),
    allowed_origins: allowedOrigins,
    track_ad_traffic: field(oneOf(AD_TRAFFIC_POLICIES), answers.track_ad_traffic),
    links,
    upgrade_details: field(upgrade.nullable(), answers.upgrade_details),
    rewards_for_promoters: field(rewardEntries, answers.rewards_for_promoters),
    rewards_for_referrals: field(rewardEntries, "What people who follow the link get."),
    emails,
    signup: field(signupParams, "What the sign-up page says and asks."),
  })
  .partial();

/**
 * The fields of a new campaign. The URL parameter and the cookie's lifetime are optional because they have defaults.
 */
const createBody = updateBody.extend({
  name: field(text.trim(), "Name of the campaign.", "Partners"),
  landing_url: field(webAddress, answers.landing_url),
});

export const createCampaignOperation: V2Operation = {
  id: "createCampaign",
  summary: "Create a campaign",
  description:
    "Adds a campaign. A campaign says where referral links lead, how long a visitor counts as referred, and what promoters earn.",
  body: createBody,
  answer: campaignAnswer.schema,
  status: 201,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape,
  handle: create,
};

export const getCampaignOperation: V2Operation = {
  id: "getCampaign",
  summary: "Get a campaign",
  description: "Finds one campaign.",
  answer: campaignAnswer.schema,
  refusals: ["not_found"],
  handle: get,
};

export const updateCampaignOperation: V2Operation = {
  id: "updateCampaign",
  summary: "Update a campaign",
  description: "Changes a campaign. What you leave out stays.",
  example: { visitor_cookie_life: 90, auto_approve_promoters: true },
  body: updateBody,
  answer: campaignAnswer.schema,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape,
  handle: update,
};

export const deleteCampaignOperation: V2Operation = {
  id: "deleteCampaign",
  summary: "Delete a campaign that nothing belongs to",
  description: "Removes a campaign that nothing belongs to. The default campaign stays.",
  answer: campaignAnswer.schema,
  refusals: ["not_found", "in_use"],
  handle: remove,
};

async function list(request: V2Request) {
  return showCampaigns(request, request.context.store, await campaignList.read(request));
}

async function create(request: V2Request) {
  const { event, account, context } = request;
  const { name, landing_url, ...body } = shapeInput(createBody, await readJson(event));
  const input = { ...changesOf(body), name, landing_url };
  return context.store.transact(async (tx) =>
    showCampaign(request, tx.view, await createFullCampaign(tx, context, account.id, input)),
  );
}

async function get(request: V2Request) {
  const { event, account, context } = request;
  const campaign = await loadCampaign(context.store, account.id, readPathId(event));
  return showCampaign(request, context.store, campaign);
}

async function update(request: V2Request) {
  const { event, account, context } = request;
  const id = readPathId(event);
  const changes = changesOf(shapeChanges(updateBody, await readJson(event)));
  return context.store.transact(async (tx) =>
    showCampaign(request, tx.view, await updateCampaign(tx, context, account.id, { id, changes })),
  );
}

async function remove(request: V2Request) {
  const { event, account, context } = request;
  const removal = { id: readPathId(event), refuseUsed: refuseUsedCampaign };
  return context.store.transact(async (tx) =>
    showCampaign(request, tx.view, await deleteCampaign(tx, account.id, removal)),
  );
}

/** Converts a body to the domain's names. */
function changesOf({
  ref_token_param: refParam,
  visitor_cookie_life: visitor_cookie_days,
  links,
  upgrade_details: upgrade,
  signup,
  ...body
}: z.output<typeof updateBody>): CampaignChanges {
  return {
    ...body,
    refParam,
    visitor_cookie_days,
    links: links?.map((link) => ({
      id: link.id ?? null,
      name: link.name,
      url: link.url,
      isRemoved: link._destroy ?? false,
    })),
    upgrade: upgrade && {
      campaign_id: upgrade.campaign_id,
      amount: upgrade.amount,
      metric: upgrade.metric,
      moves_leads: upgrade.move_referrals_on_level_change ?? false,
    },
    signup: signup && signupOf(signup),
  };
}
