import type { View } from "../../storage/store.ts";
import type { Account } from "../program/account/account.ts";
import type { Campaign } from "../program/campaign/campaign.ts";
import { exponentOf, formatAmount, moneyFormat } from "../money.ts";
import type { RuleCounts } from "../people/daily.ts";
import type { PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import type { Promoter } from "../people/promoter/promoter.ts";
import {
  loadRewardEntries,
  readRule,
  type FullRewardEntry,
  type Reward,
  type RewardSchema,
  type Rule,
} from "../program/reward/reward.ts";
import { percentIn, textsOf, type Language, type Say } from "../../languages/languages.ts";

/** A campaign's promise to its promoters. Without `joined` and `promoter`, to applicants. */
interface Offer {
  account: Account;
  campaign: Campaign;
  joined?: PromoterCampaign;
  promoter?: Promoter;
  /** The language of the sentences. Absent or null: English. */
  language?: Language | null | undefined;
}

/** Reads the rewards of a campaign, and says its terms. @see `termsOf` */
export async function loadTerms(view: View, offer: Offer): Promise<string[]> {
  const { account, campaign, joined } = offer;
  const rewards = joined?.rewards_for_promoters ?? campaign.rewards_for_promoters;
  return termsOf(offer, await loadRewardEntries(view, account.id, rewards));
}

/**
 * Sentences on what a campaign pays, when it pays, and how long a click counts. Hidden rewards are left out.
 */
export function termsOf(
  { account, campaign, promoter, language }: Omit<Offer, "joined">,
  entries: FullRewardEntry[],
): string[] {
  const speech = speechIn(language, account);
  // Without rewards there is nothing to approve or to pay.
  if (entries.length === 0) return [clickOf(campaign, speech)];
  return [
    ...entries.filter(({ reward }) => !reward.is_hidden).map((entry) => earningOf(entry, speech)),
    approvalOf(campaign, speech),
    payingOf(account, promoter?.net_payout_days ?? account.net_payout_days, speech),
    clickOf(campaign, speech),
  ];
}

/** A promoter's target and their progress. */
export interface Goal {
  reward_id: number;
  /** The reward, such as `$100.00`. */
  gives: string;
  metric: "customers" | "revenue";
  /** Revenue is in cents. */
  reached: number;
  needed: number;
  isReached: boolean;
}

/** The rewards of entries that a promoter gets once, for a target. */
export function targetsOf(entries: FullRewardEntry[]): Reward[] {
  const rewards = entries.map(({ reward }) => reward);
  return rewards.filter((reward) => reward.promoter_reward_type === "target" && !reward.is_hidden);
}

/** A promoter's targets in a campaign that count their customers or their revenue. */
export function goalsOf(
  { account, joined, language }: Pick<Offer, "account" | "language"> & { joined: PromoterCampaign },
  targets: Reward[],
  { customersCount: customers, revenueCents: revenue }: RuleCounts,
): Goal[] {
  const counts = { customers, revenue };
  const speech = speechIn(language, account);
  return targets.flatMap((reward) => {
    const isReached = joined.targets_reached.some(({ reward_id }) => reward_id === reward.id);
    return reward.schemas.flatMap((schema) =>
      schema.rules.flatMap((given): Goal[] => {
        const rule = readRule(given);
        const needed = rule && leastOf(rule);
        const metric = rule === null ? undefined : GOALS[rule.type];
        if (needed === null || metric === undefined) return [];
        return [
          {
            reward_id: reward.id,
            gives: amountOf(schema, reward, speech),
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

interface Speech {
  say: Say;
  language: Language;
  currency: string;
}

function speechIn(language: Language | null | undefined, { currency }: Account): Speech {
  return { say: textsOf(language ?? "en"), language: language ?? "en", currency };
}

/** `You earn 20% of each sale, for 12 months after the customer's first one.` */
function earningOf({ entry, reward, products }: FullRewardEntry, speech: Speech): string {
  const { say, language } = speech;
  const amounts = reward.schemas.map((schema) => amountOf(schema, reward, speech));
  const conditions = new Set(reward.schemas.map(({ rules }) => conditionOf(rules, speech)));
  const [condition = ""] = conditions.size === 1 ? conditions : [];
  const given =
    conditions.size === 1
      ? amounts.reduce((one, other) => say("earn.and", { one, other }))
      : reward.schemas
          .map((schema, at) => `${amounts[at]}${conditionOf(schema.rules, speech)}`)
          .reduce((one, other) => say("earn.and_if", { one, other }));
  if (reward.promoter_reward_type === "target") return say("earn.once", { given, condition });
  const names = new Intl.ListFormat(language, { type: "unit", style: "short" }).format(
    products.map(({ name }) => name),
  );
  const sales = names === "" ? salesOf(entry.apply_on, say) : say("sales.products", { products: names });
  return say("earn", { given, base: baseOf(reward, say), sales, length: lengthOf(reward, say), condition });
}

function salesOf(applyOn: FullRewardEntry["entry"]["apply_on"], say: Say): string {
  return applyOn === "all" ? "" : say(`sales.${applyOn}`);
}

/** A fixed amount of cash is in units of the currency, and may have fractions of a cent. */
function amountOf(
  { unit, amount_ten_thousandths, is_flat }: RewardSchema,
  { promoter_reward_type }: Reward,
  { say, language, currency }: Speech,
): string {
  const amount = amount_ten_thousandths / 10_000;
  if (is_flat && unit === "cash") {
    return moneyFormat(currency, language)(amount * 10 ** (exponentOf(currency) ?? 2));
  }
  if (is_flat) return formatAmount(amount, unit, currency, language);
  const percent = percentIn(language, amount);
  const share = promoter_reward_type === "target" ? say("earn.goal", { share: percent }) : percent;
  return unit === "cash" ? share : say("earn.unit", { share, unit: say(`unit.name.${unit}`) });
}

/** The base of the amount, or its reason. */
function baseOf({ promoter_reward_type, tier_reward_mode, tier_level, schemas }: Reward, say: Say): string {
  const isShare = schemas.some(({ is_flat }) => !is_flat);
  if (promoter_reward_type !== "tier" || tier_level === null || tier_level <= 1) {
    return say(isShare ? "base.share" : "base.flat");
  }
  const promoters = tier_level === 2 ? say("below.next") : say("below.far", { levels: tier_level - 1 });
  if (!isShare) return say("base.flat.below", { promoters });
  if (tier_reward_mode === "tier_commission_mode") return say("base.earned.below", { promoters });
  if (tier_reward_mode === "tier_net_override_mode") return say("base.left.below", { promoters });
  return say("base.share.below", { promoters });
}

function lengthOf({ duration, duration_months }: Reward, say: Say): string {
  if (duration === "once") return say("length.once");
  if (duration !== "repeating" || duration_months === null) return say("length.always");
  return say("length.months", { months: duration_months });
}

/** `, if the number of your customers is greater than 10` */
function conditionOf(given: unknown[], { say, language, currency }: Speech): string {
  const read = given.map(readRule).filter((rule) => rule !== null);
  return read.reduce((rules, { type, operator, value: limit, price, isAlternative }) => {
    const isMoney = type === "promoter_campaign_revenue";
    const value = isMoney ? moneyFormat(currency, language)(limit) : String(limit);
    const words = say(`rule.${type}`, { operator: say(`operator.${operator}`), value });
    const rule = price === null ? words : say("rule.price", { rule: words, price });
    return rules === ""
      ? say("rule.first", { rule })
      : say(isAlternative ? "rule.or" : "rule.and", { rules, rule });
  }, "");
}

function approvalOf(
  { auto_approve_commissions, commission_hold_days: days }: Campaign,
  { say }: Speech,
): string {
  if (!auto_approve_commissions) return say("approval.review");
  return days === 0 ? say("approval.now") : say("approval.days", { days });
}

function payingOf(
  { payout_cycle, min_payment_cents }: Account,
  netDays: number,
  { say, language, currency }: Speech,
): string {
  const when = netDays === 0 ? say("paying.end") : say("paying.days", { days: netDays });
  const amount = moneyFormat(currency, language)(min_payment_cents);
  const least = min_payment_cents === 0 ? "" : say("paying.least", { amount });
  return say("paying", { period: say(`paying.${payout_cycle}`), when, least });
}

function clickOf({ visitor_cookie_days: days, attribution }: Campaign, { say }: Speech): string {
  const whose = say(attribution === "last" ? "click.last" : "click.first");
  return say("click", { days, whose });
}
