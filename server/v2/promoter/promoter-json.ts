import { z } from "zod";
import {
  INVOICE_DETAILS_STATUSES,
  promoterName,
  type Promoter,
} from "../../domain/people/promoter/promoter.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  refLink,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../../domain/people/daily.ts";
import type { Balance } from "../../domain/ledger/commission/balance.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import type { Account } from "../../domain/program/account/account.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import type { PayoutMethod } from "../../domain/ledger/payout-method/payout-method.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { payoutMethodAnswer } from "../payout/payout-method-json.ts";
import { balancesAnswer, balancesJson } from "./balance-json.ts";
import { promoterProfileAnswer, promoterProfileJson } from "./promoter-profile.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { coupon, custId, customFields, refToken, referralLink } from "../../input/fields.ts";

/** @see docs/spec/v2.md "Promoter campaigns of a promoter" */
const joinedCampaignAnswer = z
  .object({
    id: recordId,
    campaign_id: field(z.int(), "Id of the campaign.", 1),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    state: field(z.enum(PROMOTER_CAMPAIGN_STATES), "State of the record."),
    created_at: createdAt,
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
    coupon: coupon,
    ref_token: refToken,
    ref_link: referralLink,
  })
  .meta({ id: "PromoterCampaignSummary" });

/** @see docs/spec/v2.md "Promoter" */
export const promoterAnswer = z
  .object({
    id: recordId,
    email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
    name: field(z.string(), "The record's display name.", "Jane Doe"),
    cust_id: custId,
    note: field(
      z.string().nullable(),
      "A note of yours about the promoter. Promoters never see it.",
      "Met at the fair",
    ),
    stats: field(
      z.object({
        clicks_count: field(z.int(), "How many visitors followed the link.", 340),
        referrals_count: field(z.int(), "How many people signed up.", 42),
        sales_count: field(z.int(), "How many sales were made.", 25),
        customers_count: field(z.int(), "How many of them became customers.", 12),
        revenue_amount: field(z.int(), "Sum of the sales, in cents.", 250000),
        active_customers_count: field(z.int(), "How many of them are customers now.", 10),
      }),
      "Figures of the record.",
    ),
    is_customized: field(z.boolean(), "Whether this promoter has their own rewards in a campaign."),
    is_confirmed: field(z.boolean(), "Whether the promoter has confirmed their e-mail address."),
    track_ad_traffic: field(
      z.boolean().nullable(),
      "Whether the promoter may send visitors through paid ads, or null if the campaign's setting applies.",
    ),
    fraud_suspicions: field(
      z.array(z.enum(FRAUD_SUSPICIONS)),
      "Why the promoter is suspected of fraud. Empty if they are not.",
      ["same_ip_suspicion"],
    ),
    invoice_details_status: field(
      z.enum(INVOICE_DETAILS_STATUSES),
      "Whether the promoter's invoice details are approved.",
    ),
    net_payout_days: field(
      z.int().nullable(),
      "Days from a period's end to the due date of this promoter's payouts, or null for the account's days.",
      14,
    ),
    tax_rate: field(z.number(), "Tax in percent.", 19),
    profile: field(promoterProfileAnswer, "The promoter's own details."),
    joined_at: field(z.iso.datetime(), "When the promoter joined."),
    first_event_at: field(z.iso.datetime(), "When the promoter's first event happened."),
    last_login_at: field(
      z.iso.datetime().nullable(),
      "When the promoter last logged in, or null if they never have.",
    ),
    archived_at: field(z.iso.datetime().nullable(), "When the record was archived, or null if it is in use."),
    custom_fields: customFields,
    password_setup_url: field(
      z.string().nullable(),
      "Where the promoter sets a first password, within a week, or null if they have one. Keep it secret.",
      null,
    ),
    promoter_campaigns: field(z.array(joinedCampaignAnswer), "The campaigns that the promoter is in."),
    balances: field(balancesAnswer, "What the promoter has earned and has not been paid yet."),
    auth_provider: field(
      z.string().nullable(),
      "Service that the promoter logs in with, or null for e-mail and password.",
      null,
    ),
    selected_payout_method: field(
      payoutMethodAnswer
        .pick({ id: true, method: true, date_added: true, is_disabled: true })
        .nullable()
        .optional(),
      "How the promoter wants to be paid, or null if they have not chosen.",
    ),
    parent_promoter: field(
      embeddedPromoter.nullable().optional(),
      "The promoter who recruited this one, or null if none did.",
    ),
  })
  .meta({ id: "Promoter" });

/** A promoter with the related records that V2 shows. */
export interface PromoterParts {
  account: Account;
  promoter: Promoter;
  promoterCampaigns: { promoterCampaign: PromoterCampaign; campaign: Campaign }[];
  stats: Stats;
  balance: Balance;
  /** Null if the promoter needs none, or the answer must not show it. */
  setupUrl: string | null;
  /** Undefined if the request excludes it. */
  payoutMethod: PayoutMethod | null | undefined;
  /** Undefined if the request excludes it. */
  parent: Promoter | null | undefined;
}

/** A promoter of V2, without the parts that the request excludes. */
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
    // Promoters whom the company adds need no confirmation.
    is_confirmed: promoter.isUnconfirmed !== true,
    track_ad_traffic: promoter.trackAdTraffic,
    fraud_suspicions: promoter.fraudSuspicions,
    invoice_details_status: promoter.invoiceDetailsStatus,
    net_payout_days: promoter.netPayoutDays,
    tax_rate: promoter.taxRateHundredths / 100,
    profile: promoterProfileJson(promoter, account),
    joined_at: promoter.createdAt,
    first_event_at: promoter.createdAt, // joining is the first event
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

/** A promoter's figures over all campaigns. */
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
