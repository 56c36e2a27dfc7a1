import { z } from "zod";
import { loadBalance } from "../../../domain/commission/balance.ts";
import { updateOwnProfile } from "../../../domain/portal/profile.ts";
import { loadPendingEarnings } from "../../../domain/portal/pending-earnings.ts";
import { findSelectedPayoutMethod } from "../../../domain/payout-method/payout-method.ts";
import { promoterName, promoters } from "../../../domain/promoter/promoter.ts";
import type { Promoter } from "../../../domain/promoter/record.ts";
import { loadPromoterStats } from "../../../domain/report/counters.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { shapeFormChanges } from "../../../input/shape.ts";
import { balancesAnswer, balancesJson, balanceAnswer, balanceJson } from "../../promoter/balance-json.ts";
import {
  profileChanges,
  profileParams,
  promoterProfileAnswer,
  promoterProfileJson,
} from "../../promoter/promoter-profile.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { site } from "../own-fields.ts";

const currentAnswer = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    joined_at: z.iso.datetime(),
    stats: z.object({
      clicks_count: z.int(),
      referrals_count: z.int(),
      sales_count: z.int(),
      customers_count: z.int(),
      active_customers_count: z.int(),
      revenue_amount: z.int(),
    }),
    balances: balancesAnswer.extend({ pending_balance: balanceAnswer }).meta({ id: "PortalBalances" }),
    profile: promoterProfileAnswer,
    has_payout_method: z.boolean(),
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
 * Choice: the parent is shown by name alone, and a name that is not given is not replaced by the e-mail address,
 * because that is nobody else's business.
 */
async function currentJson(
  { account, context }: AffiliateRequest,
  promoter: Promoter,
): Promise<z.output<typeof currentAnswer>> {
  const { store } = context;
  const { accountId, id, parentPromoterId } = promoter;
  const stats = await loadPromoterStats(store, accountId, id);
  const parent = parentPromoterId === null ? null : await store.get(promoters, accountId, parentPromoterId);
  const { firstName, lastName } = parent?.profile ?? { firstName: null, lastName: null };
  return {
    id,
    email: promoter.email,
    name: promoterName(promoter),
    joined_at: promoter.createdAt,
    stats: {
      clicks_count: stats.clicks,
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      active_customers_count: stats.activeCustomers,
      revenue_amount: stats.salesCents,
    },
    balances: {
      ...balancesJson(await loadBalance(store, accountId, id)),
      pending_balance: balanceJson(await loadPendingEarnings(store, accountId, id), "earnings"),
    },
    profile: promoterProfileJson(promoter, account),
    has_payout_method: (await findSelectedPayoutMethod(store, accountId, id)) !== null,
    parent_promoter: parent && {
      name: [firstName, lastName].filter((name) => name !== null).join(" ") || `Promoter ${parent.id}`,
    },
  };
}
