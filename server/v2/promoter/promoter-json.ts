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
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../../domain/people/daily.ts";
import { readTotalsAndBalances, type Balance } from "../../domain/ledger/commission/balance.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import type { Account } from "../../domain/program/account/account.ts";
import {
  findPayees,
  readSelectedPayoutMethods,
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
import {
  readOffers,
  readPromoterCampaigns,
  type Offer,
} from "../../domain/people/promoter-campaign/search.ts";
import { signInUrl } from "../../domain/people/portal/sign-in.ts";
import { shown } from "../../resource/answer.ts";
import { belongingTo } from "../../storage/query.ts";
import { hasOwnRewards } from "../promoter-campaign/promoter-campaigns.ts";
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

const statsAnswer = z.object({
  clicks_count: field(z.int(), "How many visitors followed the link.", 340),
  referrals_count: field(z.int(), "How many people signed up.", 42),
  sales_count: field(z.int(), "How many sales were made.", 25),
  customers_count: field(z.int(), "How many of them became customers.", 12),
  revenue_amount: field(z.int(), "Sum of the sales, in cents.", 250000),
  active_customers_count: field(z.int(), "How many of them are customers now.", 10),
});

/** A promoter campaign of a promoter, with what it offers. */
interface JoinedCampaign extends Offer {
  promoterCampaign: PromoterCampaign;
}

/** What V2 shows a promoter with. */
interface PromoterParts {
  account: Account;
  joined: JoinedCampaign[];
  stats: Stats;
  balance: Balance;
  /** Null if the promoter needs none, or the answer must not show it. */
  setupUrl: string | null;
  /** Undefined if the request excludes it. */
  payoutMethod: PayoutMethod | null | undefined;
  /** Undefined if the request excludes it. */
  parent: Promoter | null | undefined;
}

/** @see docs/spec/v2.md "Promoter" */
export const promoterAnswer = shown<Promoter, PromoterParts>(promoters)("Promoter", {
  id: recordId,
  email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
  name: [field(z.string(), "The record's display name.", "Jane Doe"), promoterName],
  cust_id: custId,
  note: field(
    z.string().nullable(),
    "A note of yours about the promoter. Promoters never see it.",
    "Met at the fair",
  ),
  stats: [field(statsAnswer, "Figures of the record."), (_, { stats }) => promoterStatsJson(stats)],
  is_customized: [
    field(z.boolean(), "Whether this promoter has their own rewards in a campaign."),
    (_, { joined }) => joined.some(({ promoterCampaign }) => hasOwnRewards(promoterCampaign)),
  ],
  // Promoters whom the company adds need no confirmation.
  is_confirmed: [
    field(z.boolean(), "Whether the promoter has confirmed their e-mail address."),
    ({ is_unconfirmed }) => is_unconfirmed !== true,
  ],
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
  tax_rate: [
    field(z.number(), "Tax in percent.", 19),
    ({ tax_rate_hundredths }) => tax_rate_hundredths / 100,
  ],
  profile: [
    field(promoterProfileAnswer, "The promoter's own details."),
    (promoter, { account }) => promoterProfileJson(promoter, account),
  ],
  joined_at: [field(second, "When the promoter joined."), ({ created_at }) => wholeSecond(created_at)],
  // Joining is the first event.
  first_event_at: [
    field(second, "When the promoter's first event happened."),
    ({ created_at }) => wholeSecond(created_at),
  ],
  last_login_at: field(second.nullable(), "When the promoter last logged in, or null if they never have."),
  archived_at: field(second.nullable(), "When the record was archived, or null if it is in use."),
  custom_fields: [customFields, ({ custom_fields }) => custom_fields ?? {}],
  password_setup_url: [
    field(
      z.string().nullable(),
      "Where the promoter sets a first password, within a week, or null if they have one. Keep it secret.",
      null,
    ),
    (_, { setupUrl }) => setupUrl,
  ],
  promoter_campaigns: [
    field(z.array(joinedCampaignAnswer), "The campaigns that the promoter is in."),
    (_, { joined }) => joined.map(joinedCampaignJson),
  ],
  balances: [
    field(balancesAnswer, "What the promoter has earned and has not been paid yet."),
    (_, { balance }) => balancesJson(balance),
  ],
  auth_provider: [
    field(
      z.string().nullable(),
      "Service that the promoter logs in with, or null for e-mail and password.",
      null,
    ),
    () => null,
  ],
  selected_payout_method: [
    field(
      payoutMethodAnswer.schema
        .pick({ id: true, method: true, date_added: true, is_disabled: true })
        .nullable()
        .optional(),
      "How the promoter wants to be paid, or null if they have not chosen.",
    ),
    (_, { payoutMethod }) => payoutMethod && payoutMethodJson(payoutMethod),
  ],
  parent_promoter: [
    field(
      embeddedPromoter.nullable().optional(),
      "The promoter who recruited this one, or null if none did.",
    ),
    (_, { parent }) => parent && embeddedPromoterJson(parent),
  ],
});

/** A promoter's figures over all campaigns. */
export function promoterStatsJson(stats: Stats): z.output<typeof statsAnswer> {
  return {
    clicks_count: stats.clicks,
    referrals_count: stats.referrals,
    sales_count: stats.sales,
    customers_count: stats.customers,
    revenue_amount: stats.sales_cents,
    active_customers_count: stats.active_customers,
  };
}

function joinedCampaignJson({
  promoterCampaign,
  campaign,
  rewards_for_referrals,
}: JoinedCampaign): z.output<typeof joinedCampaignAnswer> {
  return {
    id: promoterCampaign.id,
    campaign_id: campaign.id,
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

type SetupRequest = Pick<V2Request, "account" | "caller" | "public_url" | "context">;

/** Shows promoters of the request's account. */
export async function showPromoters(
  request: SetupRequest,
  view: View,
  records: Promoter[],
  extras = USUAL_EXTRAS,
): Promise<z.output<typeof promoterAnswer.schema>[]> {
  const [parts, setupUrlOf] = await Promise.all([
    readPromoterParts(view, request.account, records, extras),
    setupUrls(request, view, records),
  ]);
  return records.map((promoter, at) =>
    promoterAnswer.json(promoter, { ...parts[at]!, setupUrl: setupUrlOf(promoter) }),
  );
}

/** Shows a promoter of the request's account. */
export async function showPromoter(
  request: SetupRequest,
  view: View,
  promoter: Promoter,
  extras = USUAL_EXTRAS,
): Promise<z.output<typeof promoterAnswer.schema>> {
  return (await showPromoters(request, view, [promoter], extras))[0]!;
}

/**
 * Where promoters set their first passwords. Null: they have one or can't sign in. Promoters who signed up
 * themselves have chosen a password, and confirm their address by the link in their e-mail. The link opens the portal,
 * where payout methods are whole, so who may not see them gets none of a promoter who has any.
 */
export async function setupUrls(
  { account, caller, public_url, context: { now } }: SetupRequest,
  view: View,
  records: Promoter[],
): Promise<(promoter: Promoter) => string | null> {
  const needy = records.filter(
    ({ password_hash, archived_at, is_unconfirmed }) =>
      password_hash === undefined && archived_at === null && !is_unconfirmed,
  );
  const ids = new Set(needy.map(({ id }) => id));
  const hidden = seesPayoutDetails(caller) ? new Set<number>() : await findPayees(view, account.id, [...ids]);
  return (promoter) => {
    if (!ids.has(promoter.id) || hidden.has(promoter.id)) return null;
    return signInUrl({ public_url, now }, { account, promoter }, "setup");
  };
}

/** Reads what V2 shows promoters with, all at once. */
export async function readPromoterParts(
  view: View,
  account: Account,
  records: Promoter[],
  { withPayoutMethod, withParent }: Extras,
): Promise<Omit<PromoterParts, "setupUrl">[]> {
  const ids = records.map(({ id }) => id);
  const [joinedBy, totalsAndBalanceOf, selectedBy, parents] = await Promise.all([
    readJoined(view, account.id, ids),
    readTotalsAndBalances(view, account.id, ids),
    withPayoutMethod ? readSelectedPayoutMethods(view, account.id, ids) : undefined,
    withParent ? parentsOf(view, records) : undefined,
  ]);
  return ids.map((id, at) => {
    const { totals: stats, balance } = totalsAndBalanceOf(id);
    const parent = parents?.[at]?.parent;
    return { account, joined: joinedBy(id), stats, balance, payoutMethod: selectedBy?.(id), parent };
  });
}

const parentsOf = belongingTo(promoters, { parent: [promoters, "parent_promoter_id"] });

async function readJoined(
  view: View,
  accountId: number,
  promoterIds: number[],
): Promise<(promoterId: number) => JoinedCampaign[]> {
  const all = await readPromoterCampaigns(view, accountId, promoterIds);
  const records = promoterIds.flatMap(all);
  const offers = await readOffers(view, records);
  const known = new Map(records.map(({ id }, at) => [id, offers[at] ?? null]));
  return (promoterId) =>
    all(promoterId).flatMap((promoterCampaign) => {
      const offer = known.get(promoterCampaign.id) ?? null;
      return offer === null ? [] : [{ promoterCampaign, ...offer }];
    });
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
