import { z } from "zod";
import {
  INVOICE_DETAILS_STATUSES,
  promoterName,
  promoters,
  type Promoter,
} from "../../domain/people/promoter/promoter.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  refLink,
  withCampaign,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../../domain/people/daily.ts";
import { loadTotalsAndBalance, type Balance } from "../../domain/ledger/commission/balance.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import type { Account } from "../../domain/program/account/account.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import {
  findSelectedPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "../../domain/ledger/payout-method/payout-method.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { payoutMethodAnswer } from "../payout/payout-methods.ts";
import { promoterProfileAnswer, promoterProfileJson } from "./promoter-profile.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../http/fields.ts";
import { coupon, custId, customFields, refToken, referralLink } from "../../input/fields.ts";
import { listPromoterCampaigns } from "../../domain/people/promoter-campaign/search.ts";
import { signInUrl } from "../../domain/people/portal/sign-in.ts";
import { loadRewardEntries, type FullRewardEntry } from "../../domain/program/reward/reward.ts";
import { showAll, type Show } from "../../domain/show.ts";
import { rewardEntryAnswer, rewardEntryJson } from "../reward/reward-json.ts";
import type { View } from "../../storage/store.ts";
import type { V2Request } from "../operation.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";

/** @see docs/spec/v2.md "Promoter campaigns of a promoter" */
const joinedCampaignAnswer = z
  .object({
    id: recordId,
    campaign_id: field(z.int(), "Id of the campaign.", 1),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    state: field(z.enum(PROMOTER_CAMPAIGN_STATES), "State of the record."),
    created_at: createdSecond,
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
    coupon,
    ref_token: refToken,
    ref_link: referralLink,
    rewards_for_referrals: field(z.array(rewardEntryAnswer), "What people who follow the link get."),
  })
  .meta({ id: "PromoterCampaignSummary" });

/** The amounts of each unit. `cash` is in cents. */
export const balanceAnswer = z
  .object({
    cash: field(z.number(), "Money, in cents.", 2000),
    credits: field(z.number(), "Credits.", 0),
    points: field(z.number(), "Points.", 0),
    free_months: field(z.number(), "Free months.", 0),
    discount: field(z.number(), "Discount in percent.", 0),
  })
  .meta({ id: "Balance" });

export const balancesAnswer = balanceAnswer
  .extend({
    current_balance: field(balanceAnswer, "What the promoter has earned and has not been paid yet."),
    earnings_balance: field(balanceAnswer, "What the promoter has earned so far."),
    paid_balance: field(balanceAnswer, "What the promoter has been paid so far."),
  })
  .meta({ id: "Balances" });

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
    joined_at: field(second, "When the promoter joined."),
    first_event_at: field(second, "When the promoter's first event happened."),
    last_login_at: field(second.nullable(), "When the promoter last logged in, or null if they never have."),
    archived_at: field(second.nullable(), "When the record was archived, or null if it is in use."),
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
interface PromoterParts {
  account: Account;
  promoter: Promoter;
  promoterCampaigns: {
    promoterCampaign: PromoterCampaign;
    campaign: Campaign;
    rewards_for_referrals: FullRewardEntry[];
  }[];
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
    cust_id: promoter.cust_id,
    note: promoter.note,
    stats: promoterStatsJson(stats),
    is_customized: promoterCampaigns.some(({ promoterCampaign }) => hasOwnRewards(promoterCampaign)),
    // Promoters whom the company adds need no confirmation.
    is_confirmed: promoter.is_unconfirmed !== true,
    track_ad_traffic: promoter.track_ad_traffic,
    fraud_suspicions: promoter.fraud_suspicions,
    invoice_details_status: promoter.invoice_details_status,
    net_payout_days: promoter.net_payout_days,
    tax_rate: promoter.tax_rate_hundredths / 100,
    profile: promoterProfileJson(promoter, account),
    joined_at: wholeSecond(promoter.created_at),
    first_event_at: wholeSecond(promoter.created_at), // joining is the first event
    last_login_at: wholeSecond(promoter.last_login_at),
    archived_at: wholeSecond(promoter.archived_at),
    custom_fields: promoter.custom_fields ?? {},
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
    revenue_amount: stats.sales_cents,
    active_customers_count: stats.active_customers,
  };
}

function hasOwnRewards({ rewards_for_promoters, rewards_for_referrals }: PromoterCampaign): boolean {
  return rewards_for_promoters !== null || rewards_for_referrals !== null;
}

function joinedCampaignJson({
  promoterCampaign,
  campaign,
  rewards_for_referrals,
}: PromoterParts["promoterCampaigns"][number]): z.output<typeof joinedCampaignAnswer> {
  return {
    id: promoterCampaign.id,
    campaign_id: promoterCampaign.campaign_id,
    promoter_id: promoterCampaign.promoter_id,
    state: promoterCampaign.state,
    created_at: wholeSecond(promoterCampaign.created_at),
    campaign: embeddedCampaignJson(campaign),
    coupon: promoterCampaign.coupon,
    ref_token: promoterCampaign.ref_token,
    ref_link: refLink(promoterCampaign, campaign),
    rewards_for_referrals: rewards_for_referrals.map(rewardEntryJson),
  };
}

function payoutMethodJson({ id, method, created_at, is_disabled }: PayoutMethod) {
  return { id, method, date_added: wholeSecond(created_at), is_disabled };
}

/** The parts of a promoter that a request may exclude. */
export interface Extras {
  withPayoutMethod: boolean;
  withParent: boolean;
}

/** The parts that are shown by default. */
const USUAL_EXTRAS: Extras = { withPayoutMethod: true, withParent: true };

/** Shows a promoter of the request's account with the default parts. */
export function showPromoterOf(request: SetupRequest): Show<Promoter, z.output<typeof promoterAnswer>> {
  return async (view, promoter) => {
    const parts = await readPromoterParts(view, request.account, { promoter, ...USUAL_EXTRAS });
    return promoterJson({ ...parts, setupUrl: await setupUrl(request, view, promoter) });
  };
}

type SetupRequest = Pick<V2Request, "account" | "caller" | "public_url" | "context">;

/**
 * Where a promoter sets their first password, or null if they have one or can't sign in. Promoters who signed up
 * themselves have chosen a password, and confirm their address by the link in their e-mail. The link opens the portal,
 * where payout methods are whole, so who may not see them gets none of a promoter who has any.
 */
export async function setupUrl(
  { account, caller, public_url, context: { now } }: SetupRequest,
  view: View,
  promoter: Promoter,
): Promise<string | null> {
  const { password_hash, archived_at, is_unconfirmed } = promoter;
  if (password_hash !== undefined || archived_at !== null || is_unconfirmed) return null;
  const hidesDetails = !seesPayoutDetails(caller);
  if (hidesDetails && (await view.count(payoutMethods, "promoter", promoter.account_id, [promoter.id])) > 0)
    return null;
  return signInUrl({ public_url, now }, { account, promoter }, "setup");
}

/** Reads the related records that V2 shows with a promoter. */
export async function readPromoterParts(
  view: View,
  account: Account,
  { promoter, withPayoutMethod, withParent }: Extras & { promoter: Promoter },
): Promise<Omit<PromoterParts, "setupUrl">> {
  const { account_id, id } = promoter;
  const [promoterCampaigns, { totals: stats, balance }, payoutMethod, parent] = await Promise.all([
    joinedCampaigns(view, promoter),
    loadTotalsAndBalance(view, account_id, id),
    withPayoutMethod ? findSelectedPayoutMethod(view, account_id, id) : undefined,
    withParent ? findParent(view, promoter) : undefined,
  ]);
  return { account, promoter, promoterCampaigns, stats, balance, payoutMethod, parent };
}

async function joinedCampaigns(view: View, { account_id, id }: Promoter) {
  return showAll(view, await listPromoterCampaigns(view, account_id, id), async (_view, joined) => {
    const { promoterCampaign, campaign } = await withCampaign(view, joined);
    const entries = promoterCampaign.rewards_for_referrals ?? campaign.rewards_for_referrals;
    return {
      promoterCampaign,
      campaign,
      rewards_for_referrals: await loadRewardEntries(view, account_id, entries),
    };
  });
}

async function findParent(
  view: View,
  { account_id, parent_promoter_id }: Promoter,
): Promise<Promoter | null> {
  return parent_promoter_id === null ? null : view.get(promoters, account_id, parent_promoter_id);
}

/**
 * The balances. The current amounts are also at the top level.
 */
function balancesJson(balance: Balance): z.output<typeof balancesAnswer> {
  const current = balanceJson(balance, "current");
  return {
    ...current,
    current_balance: current,
    earnings_balance: balanceJson(balance, "earnings"),
    paid_balance: balanceJson(balance, "paid"),
  };
}

/** The amounts of one balance, by unit. */
export function balanceJson(
  { units }: Balance,
  kind: "current" | "earnings" | "paid",
): z.output<typeof balanceAnswer> {
  return {
    cash: units["cash"]?.[kind] ?? 0,
    credits: units["credits"]?.[kind] ?? 0,
    points: units["points"]?.[kind] ?? 0,
    free_months: units["free_months"]?.[kind] ?? 0,
    discount: units["discount_per"]?.[kind] ?? 0,
  };
}
