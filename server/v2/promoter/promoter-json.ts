import { z } from "zod";
import { INVOICE_DETAILS_STATUSES, promoterName, type Promoter } from "../../domain/promoter/promoter.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  refLink,
  type PromoterCampaign,
} from "../../domain/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../../domain/report/daily.ts";
import type { Balance } from "../../domain/commission/balance.ts";
import { FRAUD_SUSPICIONS } from "../../domain/lead/lead.ts";
import type { Account } from "../../domain/account/account.ts";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import type { PayoutMethod } from "../../domain/payout-method/payout-method.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { payoutMethodAnswer } from "../payout/payout-method-json.ts";
import { balancesAnswer, balancesJson } from "./balance-json.ts";
import { promoterProfileAnswer, promoterProfileJson } from "./promoter-profile.ts";

/** @see docs/spec/v2.md "Promoter campaigns of a promoter" */
const joinedCampaignAnswer = z
  .object({
    id: z.int(),
    campaign_id: z.int(),
    promoter_id: z.int(),
    state: z.enum(PROMOTER_CAMPAIGN_STATES),
    created_at: z.iso.datetime(),
    campaign: embeddedCampaign,
    coupon: z.string().nullable(),
    ref_token: z.string(),
    ref_link: z.string(),
  })
  .meta({ id: "PromoterCampaignSummary" });

/** @see docs/spec/v2.md "Promoter" */
export const promoterAnswer = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    cust_id: z.string().nullable(),
    note: z.string().nullable(),
    stats: z.object({
      clicks_count: z.int(),
      referrals_count: z.int(),
      sales_count: z.int(),
      customers_count: z.int(),
      revenue_amount: z.int(),
      active_customers_count: z.int(),
    }),
    is_customized: z.boolean(),
    is_confirmed: z.boolean(),
    track_ad_traffic: z.boolean().nullable(),
    fraud_suspicions: z.array(z.enum(FRAUD_SUSPICIONS)),
    invoice_details_status: z.enum(INVOICE_DETAILS_STATUSES),
    net_payout_days: z.int().nullable(),
    tax_rate: z.number(),
    profile: promoterProfileAnswer,
    joined_at: z.iso.datetime(),
    first_event_at: z.iso.datetime(),
    last_login_at: z.iso.datetime().nullable(),
    archived_at: z.iso.datetime().nullable(),
    custom_fields: z.record(z.string(), z.unknown()),
    password_setup_url: z.string().nullable(),
    promoter_campaigns: z.array(joinedCampaignAnswer),
    balances: balancesAnswer,
    auth_provider: z.string().nullable(),
    selected_payout_method: payoutMethodAnswer
      .pick({ id: true, method: true, date_added: true, is_disabled: true })
      .nullable()
      .optional(),
    parent_promoter: embeddedPromoter.nullable().optional(),
  })
  .meta({ id: "Promoter" });

/** A promoter with everything that V2 shows of them. */
export interface PromoterParts {
  account: Account;
  promoter: Promoter;
  promoterCampaigns: { promoterCampaign: PromoterCampaign; campaign: Campaign }[];
  stats: Stats;
  balance: Balance;
  /** null: the promoter needs none, or the answer must not hold it. */
  setupUrl: string | null;
  /** undefined: the request leaves it out. */
  payoutMethod: PayoutMethod | null | undefined;
  /** undefined: the request leaves it out. */
  parent: Promoter | null | undefined;
}

/** The V2 promoter, without the parts that the request leaves out. */
export function promoterJson(parts: PromoterParts): z.output<typeof promoterAnswer> {
  const { account, promoter, promoterCampaigns, stats, payoutMethod, parent } = parts;
  return {
    id: promoter.id,
    email: promoter.email,
    name: promoterName(promoter),
    cust_id: promoter.custId,
    note: promoter.note,
    stats: promoterStatsJson(stats),
    is_customized: promoterCampaigns.some(({ promoterCampaign }) => hasOwnRewards(promoterCampaign)),
    // Choice: a promoter whom the company adds needs no confirmation.
    is_confirmed: promoter.isUnconfirmed !== true,
    track_ad_traffic: promoter.trackAdTraffic,
    fraud_suspicions: promoter.fraudSuspicions,
    invoice_details_status: promoter.invoiceDetailsStatus,
    net_payout_days: promoter.netPayoutDays,
    tax_rate: promoter.taxRateHundredths / 100,
    profile: promoterProfileJson(promoter, account),
    joined_at: promoter.createdAt,
    first_event_at: promoter.createdAt, // Choice: joining is the first event
    last_login_at: promoter.lastLoginAt,
    archived_at: promoter.archivedAt,
    custom_fields: promoter.customFields ?? {},
    password_setup_url: parts.setupUrl,
    promoter_campaigns: promoterCampaigns.map(joinedCampaignJson),
    balances: balancesJson(parts.balance),
    auth_provider: null,
    ...(payoutMethod !== undefined && {
      selected_payout_method: payoutMethod && payoutMethodJson(payoutMethod),
    }),
    ...(parent !== undefined && { parent_promoter: parent && embeddedPromoterJson(parent) }),
  };
}

/** A promoter's figures in all their campaigns. */
export function promoterStatsJson(stats: Stats): z.output<typeof promoterAnswer>["stats"] {
  return {
    clicks_count: stats.clicks,
    referrals_count: stats.referrals,
    sales_count: stats.sales,
    customers_count: stats.customers,
    revenue_amount: stats.salesCents,
    active_customers_count: stats.activeCustomers,
  };
}

function hasOwnRewards({ rewardsForPromoters, rewardsForReferrals }: PromoterCampaign): boolean {
  return rewardsForPromoters !== null || rewardsForReferrals !== null;
}

function joinedCampaignJson({
  promoterCampaign,
  campaign,
}: PromoterParts["promoterCampaigns"][number]): z.output<typeof joinedCampaignAnswer> {
  return {
    id: promoterCampaign.id,
    campaign_id: promoterCampaign.campaignId,
    promoter_id: promoterCampaign.promoterId,
    state: promoterCampaign.state,
    created_at: promoterCampaign.createdAt,
    campaign: embeddedCampaignJson(campaign),
    coupon: promoterCampaign.coupon,
    ref_token: promoterCampaign.refToken,
    ref_link: refLink(promoterCampaign, campaign),
  };
}

function payoutMethodJson({ id, method, createdAt, isDisabled }: PayoutMethod) {
  return { id, method, date_added: createdAt, is_disabled: isDisabled };
}
