import type { Reader, View } from "../../storage/store.ts";
import type { Account, PayoutCycle } from "../program/account/account.ts";
import type { Campaign } from "../program/campaign/campaign.ts";
import { exponentOf, formatAmount, moneyFormat } from "../money.ts";
import type { PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import type { Promoter } from "../people/promoter/promoter.ts";
import { loadRewardEntries, type FullRewardEntry } from "../program/reward/changes.ts";
import { readRule, type Reward, type RewardSchema, type Rule } from "../program/reward/reward.ts";
import { loadTargetCounts } from "./sale/tiers.ts";

/** A campaign's promise to its promoters. Without `joined` and `promoter`, to applicants. */
interface Offer {
  account: Account;
  campaign: Campaign;
  joined?: PromoterCampaign;
  promoter?: Promoter;
}

/**
 * Sentences on what a campaign pays, when it pays, and how long a click counts. Hidden rewards are left out.
 */
export async function loadTerms(
  reader: Reader,
  { account, campaign, joined, promoter }: Offer,
): Promise<string[]> {
  const rewards = joined?.rewardsForPromoters ?? campaign.rewardsForPromoters;
  const entries = await loadRewardEntries(reader, account.id, rewards);
  // Without rewards there is nothing to approve or to pay.
  if (entries.length === 0) return [clickOf(campaign)];
  return [
    ...entries.filter(({ reward }) => !reward.isHidden).map((entry) => earningOf(entry, account.currency)),
    approvalOf(campaign),
    payingOf(account, promoter?.netPayoutDays ?? account.netPayoutDays),
    clickOf(campaign),
  ];
}

/** A promoter's target and their progress. */
export interface Goal {
  rewardId: number;
  /** The reward, such as `$100.00`. */
  gives: string;
  metric: "customers" | "revenue";
  /** Revenue is in cents. */
  reached: number;
  needed: number;
  isReached: boolean;
}

/** A promoter's targets in a campaign that count their customers or their revenue. */
export async function loadGoals(
  view: View,
  { account, campaign, joined }: Offer & { joined: PromoterCampaign },
): Promise<Goal[]> {
  const rewards = joined.rewardsForPromoters ?? campaign.rewardsForPromoters;
  const entries = await loadRewardEntries(view, account.id, rewards);
  const targets = entries.filter(({ reward }) => reward.promoterRewardType === "target" && !reward.isHidden);
  if (targets.length === 0) return [];
  const counts = await loadTargetCounts(view, joined);
  return targets.flatMap(({ reward }) => {
    const isReached = joined.targetsReached.some(({ rewardId }) => rewardId === reward.id);
    return reward.schemas.flatMap((schema) =>
      schema.rules.flatMap((given): Goal[] => {
        const rule = readRule(given);
        const needed = rule && leastOf(rule);
        const metric = rule === null ? undefined : GOALS[rule.type];
        if (needed === null || metric === undefined) return [];
        return [
          {
            rewardId: reward.id,
            gives: amountOf(schema, reward, account.currency),
            metric,
            reached: counts[metric],
            needed,
            isReached,
          },
        ];
      }),
    );
  });
}

const GOALS: Partial<Record<string, Goal["metric"]>> = {
  promoter_campaign_customers_count: "customers",
  promoter_campaign_revenue: "revenue",
};

/** The smallest count that a rule requires, or null if it requires no growth. */
function leastOf({ operator, value }: Rule): number | null {
  if (operator === "greater than") return Math.floor(value) + 1;
  return operator === "greater than or equal to" || operator === "equal to" ? value : null;
}

/** `You earn 20% of each sale, for 12 months after the customer's first one.` */
function earningOf({ entry, reward, products }: FullRewardEntry, currency: string): string {
  const amounts = reward.schemas.map((schema) => amountOf(schema, reward, currency));
  const conditions = new Set(reward.schemas.map(({ rules }) => conditionOf(rules, currency)));
  const [condition = ""] = conditions.size === 1 ? conditions : [];
  const given =
    conditions.size === 1
      ? amounts.join(" and ")
      : reward.schemas
          .map((schema, at) => `${amounts[at]}${conditionOf(schema.rules, currency)}`)
          .join(", and ");
  if (reward.promoterRewardType === "target") return `You earn ${given} once${condition}.`;
  const names = products.map(({ name }) => name).join(", ");
  const sales = names === "" ? SALES[entry.applyOn] : ` of ${names}`;
  return `You earn ${given}${baseOf(reward)}${sales}${lengthOf(reward)}${condition}.`;
}

const SALES: Record<FullRewardEntry["entry"]["applyOn"], string> = {
  all: "",
  monthly: " of a monthly plan",
  yearly: " of a yearly plan",
  one_time: " without a subscription",
  specific: " of some products",
};

/** A fixed amount of cash is in units of the currency, and may have fractions of a cent. */
function amountOf(
  { unit, amountTenThousandths, isFlat }: RewardSchema,
  { promoterRewardType }: Reward,
  currency: string,
): string {
  const amount = amountTenThousandths / 10_000;
  if (isFlat && unit === "cash") return moneyFormat(currency)(amount * 10 ** (exponentOf(currency) ?? 2));
  if (isFlat) return formatAmount(amount, unit, currency);
  const share = `${amount}%`;
  const ofLast = promoterRewardType === "target" ? " of the sale that reaches the goal" : "";
  return unit === "cash" ? `${share}${ofLast}` : `${share}${ofLast} in ${unit.replaceAll("_", " ")}`;
}

/** The base of the amount, or its reason. */
function baseOf({ promoterRewardType, tierRewardMode, tierLevel, schemas }: Reward): string {
  const isShare = schemas.some(({ isFlat }) => !isFlat);
  const of = isShare ? "of" : "for";
  if (promoterRewardType !== "tier" || tierLevel === null || tierLevel <= 1) return ` ${of} each sale`;
  const below =
    tierLevel === 2 ? "of promoters whom you bring in" : `of promoters ${tierLevel - 1} levels below you`;
  if (tierRewardMode === "tier_commission_mode" && isShare) return ` of what is earned by each sale ${below}`;
  if (tierRewardMode === "tier_net_override_mode" && isShare) return ` of what is left of each sale ${below}`;
  return ` ${of} each sale ${below}`;
}

function lengthOf({ duration, durationMonths }: Reward): string {
  if (duration === "once") return ", for a customer's first sale only";
  if (duration !== "repeating" || durationMonths === null) return ", for as long as the customer buys";
  return `, for ${counted(durationMonths, "month")} after the customer's first one`;
}

/** `, when you have brought 10 customers` */
function conditionOf(rules: unknown[], currency: string): string {
  const read = rules.map(readRule).filter((rule) => rule !== null);
  const words = read.map((rule, at) => {
    const value = rule.type === "promoter_campaign_revenue" ? moneyFormat(currency)(rule.value) : rule.value;
    const link = at === 0 ? ", if " : rule.isAlternative ? " or " : " and ";
    const price = rule.price === null ? "" : ` (plan ${rule.price})`;
    return `${link}${COUNTS[rule.type]} ${rule.operator} ${value}${price}`;
  });
  return words.join("");
}

const COUNTS = {
  customer_age_in_months: "the number of months since the customer's first sale is",
  customer_sales_count: "the number of the customer's sales is",
  promoter_campaign_customers_count: "the number of your customers is",
  promoter_campaign_revenue: "the revenue that you have brought is",
} as const;

function approvalOf({ autoApproveCommissions, commissionHoldDays }: Campaign): string {
  if (!autoApproveCommissions) return "Each commission is reviewed before it is approved.";
  if (commissionHoldDays === 0) return "Commissions are approved immediately.";
  return `Commissions are approved ${counted(commissionHoldDays, "day")} after the sale.`;
}

const PERIODS: Record<PayoutCycle, string> = {
  monthly: "a month",
  biweekly: "two weeks",
  weekly: "a week",
};

function payingOf({ payoutCycle, minPaymentCents, currency }: Account, netDays: number): string {
  const when = netDays === 0 ? "at its end" : `${counted(netDays, "day")} after its end`;
  const least =
    minPaymentCents === 0 ? "" : `, if they add up to at least ${moneyFormat(currency)(minPaymentCents)}`;
  return `Commissions approved in ${PERIODS[payoutCycle]} are paid ${when}${least}.`;
}

function clickOf({ visitorCookieDays, attribution }: Campaign): string {
  const whose =
    attribution === "last"
      ? "If a visitor followed links of several promoters, the last one counts."
      : "If a visitor followed links of several promoters, the first one counts.";
  return `A click counts for ${counted(visitorCookieDays, "day")}: everyone who signs up within that time is yours. ${whose}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
