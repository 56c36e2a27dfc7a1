import { z } from "zod";
import { updateOwnProfile } from "../../../domain/portal/profile.ts";
import { loadPendingEarnings } from "../../../domain/commission/balance.ts";
import { PAYOUT_METHODS } from "../../../domain/payout-method/payout-method.ts";
import { INVOICE_DETAILS_STATUSES, type Promoter } from "../../../domain/promoter/promoter.ts";
import { showAll } from "../../../domain/show.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { shapeFormChanges } from "../../../input/shape.ts";
import { balancesAnswer, balanceAnswer, balanceJson } from "../../promoter/balance-json.ts";
import { promoterAnswer, promoterJson } from "../../promoter/promoter-json.ts";
import { readPromoterParts } from "../../promoter/promoter-parts.ts";
import { profileChanges, profileParams, promoterProfileAnswer } from "../../promoter/promoter-profile.ts";
import {
  ownPromoterCampaignSummary,
  showOwnPromoterCampaignSummary,
} from "../campaign/promoter-campaigns.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { site } from "../own-fields.ts";

const currentAnswer = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    stats: promoterAnswer.shape.stats,
    balances: balancesAnswer.extend({ pending_balance: balanceAnswer }).meta({ id: "PortalBalances" }),
    custom_fields: z.record(z.string(), z.unknown()),
    first_event_at: z.iso.datetime(),
    invoice_details_status: z.enum(INVOICE_DETAILS_STATUSES),
    joined_at: z.iso.datetime(),
    selected_payout_method: z.enum(PAYOUT_METHODS).nullable(),
    pending_contract_documents: z.array(z.string()),
    profile: promoterProfileAnswer,
    promoter_campaigns: z.array(ownPromoterCampaignSummary),
    is_confirmed: z.boolean(),
    parent_promoter: z.object({ name: z.string() }).nullable(),
  })
  .meta({ id: "CurrentPromoter" });

const ownSite = site.nullable().optional();
const ownProfile = profileParams
  .extend({
    website: ownSite,
    avatar: ownSite,
    instagram_url: ownSite,
    youtube_url: ownSite,
    linkedin_url: ownSite,
    facebook_url: ownSite,
    twitter_url: ownSite,
    twitch_url: ownSite,
    tiktok_url: ownSite,
  })
  .meta({ id: "OwnProfileInput" });
const updateBody = z.object({ profile: ownProfile });

/** `GET /api/v2/affiliate/promoters/current` */
export const showCurrentOperation: AffiliateOperation = {
  summary: "Show the promoter who is signed in",
  answer: currentAnswer,
  handle: (request) => currentJson(request, request.promoter),
};

/** `PUT /api/v2/affiliate/promoters/current` */
export const updateCurrentOperation: AffiliateOperation = {
  summary: "Change the promoter's own profile",
  body: updateBody,
  answer: currentAnswer,
  async handle(request) {
    const { profile } = shapeFormChanges(updateBody, await readJson(request.event));
    const after = await updateOwnProfile(request.context, request.promoter, profileChanges(profile));
    return currentJson(request, after);
  },
};

/**
 * No contracts are kept here yet, so none waits for a signature.
 *
 * Choice: the parent is shown by name alone, and a name that is not given is not replaced by the e-mail address,
 * because that is nobody else's business.
 */
async function currentJson(
  { account, context }: AffiliateRequest,
  promoter: Promoter,
): Promise<z.output<typeof currentAnswer>> {
  const { store } = context;
  const parts = await readPromoterParts(store, account, {
    promoter,
    withPayoutMethod: true,
    withParent: true,
  });
  const shown = promoterJson({ ...parts, setupUrl: null });
  const joined = parts.promoterCampaigns.map(({ promoterCampaign }) => promoterCampaign);
  const { firstName = null, lastName = null } = parts.parent?.profile ?? {};
  return {
    id: shown.id,
    email: shown.email,
    name: shown.name,
    stats: shown.stats,
    balances: {
      ...shown.balances,
      pending_balance: balanceJson(
        await loadPendingEarnings(store, promoter.accountId, promoter.id),
        "earnings",
      ),
    },
    custom_fields: shown.custom_fields,
    first_event_at: shown.first_event_at,
    invoice_details_status: shown.invoice_details_status,
    joined_at: shown.joined_at,
    selected_payout_method: parts.payoutMethod?.method ?? null,
    pending_contract_documents: [],
    profile: shown.profile,
    promoter_campaigns: await showAll(store, joined, showOwnPromoterCampaignSummary),
    is_confirmed: shown.is_confirmed,
    parent_promoter: parts.parent
      ? {
          name:
            [firstName, lastName].filter((name) => name !== null).join(" ") || `Promoter ${parts.parent.id}`,
        }
      : null,
  };
}
