import { commissions, type Commission } from "../../server/domain/ledger/commission/commission.ts";
import { loadBalance } from "../../server/domain/ledger/commission/balance.ts";
import { loadRuleCounts } from "../../server/domain/people/daily.ts";
import type { Origin } from "../../server/domain/people/origin.ts";
import { payouts, type Payout } from "../../server/domain/ledger/payout/payout.ts";
import { leads, type Lead } from "../../server/domain/people/lead/lead.ts";
import { UNITS, type Unit } from "../../server/domain/money.ts";
import { promoters, type Promoter } from "../../server/domain/people/promoter/promoter.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { rewards, type Reward } from "../../server/domain/program/reward/reward.ts";
import { refunds, sales, type Refund, type Sale } from "../../server/domain/ledger/sale/sale.ts";
import { pastClicks, visitors, type PastClicks } from "../../server/domain/people/visitor/visitor.ts";
import type { Store } from "../../server/storage/store.ts";

/** All that an account has of money. */
export interface Ledger {
  promoters: Promoter[];
  promoterCampaigns: PromoterCampaign[];
  rewards: Reward[];
  leads: Lead[];
  sales: Sale[];
  refunds: Refund[];
  commissions: Commission[];
  payouts: Payout[];
  /** One for each visitor, and those whose visitors have expired. */
  clicks: Pick<PastClicks, "promoter_id" | "count" | keyof Origin>[];
}

const EVERYTHING = { limit: 100_000 };

/** Reads the records from which all sums must follow. */
export async function readLedger(store: Store, accountId: number): Promise<Ledger> {
  return {
    promoters: await store.page(promoters, "id", accountId, [], EVERYTHING),
    promoterCampaigns: await store.page(promoterCampaigns, "id", accountId, [], EVERYTHING),
    rewards: await store.page(rewards, "id", accountId, [], EVERYTHING),
    leads: await store.page(leads, "id", accountId, [], EVERYTHING),
    sales: await store.page(sales, "id", accountId, [], EVERYTHING),
    refunds: await store.page(refunds, "id", accountId, [], EVERYTHING),
    commissions: await store.page(commissions, "id", accountId, [], EVERYTHING),
    payouts: await store.page(payouts, "id", accountId, [], EVERYTHING),
    clicks: [
      ...(await store.page(visitors, "id", accountId, [], EVERYTHING)).map((visitor) => ({
        ...visitor,
        count: 1,
      })),
      ...(await store.page(pastClicks, "id", accountId, [], EVERYTHING)),
    ],
  };
}

/** Every breach of the laws of money, in sentences. @see docs/spec/money.md "Laws" */
export async function breaches(store: Store, accountId: number): Promise<string[]> {
  const ledger = await readLedger(store, accountId);
  return [
    ...(await lastingBreaches(store, accountId)),
    ...ledger.sales.flatMap((sale) => [...tierBreaches(sale, ledger), ...parentBreaches(sale, ledger)]),
    ...targetBreaches(ledger),
  ];
}

/** The breaches of those laws that hold although commissions are deleted by hand. */
export async function lastingBreaches(store: Store, accountId: number): Promise<string[]> {
  const ledger = await readLedger(store, accountId);
  return [
    ...payoutBreaches(ledger),
    ...(await balanceBreaches(store, ledger)),
    ...(await countBreaches(store, ledger)),
    ...ledger.sales.flatMap((sale) => refundBreaches(sale, ledger)),
  ];
}

/** Each payout is the sum of its commissions, and more than nothing. Only approved ones are in a payout. */
function payoutBreaches({ commissions: earned, payouts: made }: Ledger): string[] {
  const known = new Map(made.map((payout) => [payout.id, payout]));
  const strays = earned.filter(
    ({ payout_id, status }) => payout_id !== null && (status !== "approved" || !known.has(payout_id)),
  );
  return [
    ...strays.map(({ id, status, payout_id }) => `commission ${id} is ${status} in payout ${payout_id}`),
    ...made.flatMap((payout) => {
      const own = earned.filter(({ payout_id }) => payout_id === payout.id);
      if (payout.status === "cancelled") {
        return own.map(({ id }) => `cancelled payout ${payout.id} holds commission ${id}`);
      }
      const sum = sumOf(own);
      const foreign = own.filter(
        ({ promoter_id, unit }) => promoter_id !== payout.promoter_id || unit !== payout.unit,
      );
      return [
        ...(sum === payout.amount ? [] : [`payout ${payout.id} is ${payout.amount}, its commissions ${sum}`]),
        ...(sum > 0 ? [] : [`payout ${payout.id} pays ${sum}`]),
        ...foreign.map(({ id }) => `payout ${payout.id} holds commission ${id} of another promoter or unit`),
      ];
    }),
  ];
}

/** Balances are the sums of the records. */
async function balanceBreaches(store: Store, ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  for (const { account_id, id } of ledger.promoters) {
    const { units } = await loadBalance(store, account_id, id);
    for (const unit of UNITS) {
      const { earnings = 0, paid = 0 } = units[unit] ?? {};
      const expected = balanceOf(ledger, id, unit);
      if (earnings !== expected.earnings || paid !== expected.paid) {
        found.push(
          `promoter ${id} has ${earnings} and ${paid} ${unit}, the records ${expected.earnings} and ${expected.paid}`,
        );
      }
    }
  }
  return found;
}

/** Rules count what is left of sales, and the customers of whom something is left. */
async function countBreaches(store: Store, ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  for (const owner of ledger.promoterCampaigns) {
    const isOwn = ({ promoter_campaign_id }: { promoter_campaign_id: number }) =>
      promoter_campaign_id === owner.id;
    const sold = ledger.sales.filter(isOwn);
    const customers = ledger.leads.filter((lead) => {
      const bought = ledger.sales.filter((sale) => sale.lead_id === lead.id && !sale.is_duplicate);
      const isLeft = bought.length === 0 || bought.some((sale) => !isRefundedWhole(sale));
      return isOwn(lead) && lead.customer_since !== null && isLeft;
    });
    const revenueCents = sold.reduce((sum, sale) => sum + sale.amount_cents - sale.refunded_cents, 0);
    const counts = await loadRuleCounts(store, owner);
    if (counts.customersCount !== customers.length || counts.revenueCents !== revenueCents)
      found.push(
        `rules count ${JSON.stringify(counts)} of promoter campaign ${owner.id}, not ${customers.length} and ${revenueCents}`,
      );
  }
  return found;
}

/** What a promoter has in a unit, as it follows from the records alone. */
export function balanceOf(
  { commissions: made, payouts }: Ledger,
  promoterId: number,
  unit: Unit,
): Record<"earnings" | "paid" | "current" | "pending", number> {
  const isOwn = (each: { promoter_id: number; unit: Unit }) =>
    each.promoter_id === promoterId && each.unit === unit;
  const approved = made.filter((each) => isOwn(each) && each.status === "approved");
  const completed = payouts.filter((each) => isOwn(each) && each.status === "completed");
  const earnings = sumOf(approved);
  const paid = sumOf(completed) + sumOf(approved.filter(({ is_paid_elsewhere }) => is_paid_elsewhere));
  const pending = sumOf(made.filter((each) => isOwn(each) && each.status === "pending"));
  return { earnings, paid, current: earnings - paid, pending };
}

/** Refunds take back at most what the sale gave, and all of it when the sale is refunded whole. */
function refundBreaches(sale: Sale, { commissions: earned, refunds: made }: Ledger): string[] {
  const own = made.filter(({ sale_id }) => sale_id === sale.id);
  const refunded = own.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const found: string[] = [];
  if (refunded !== sale.refunded_cents || refunded > sale.amount_cents) {
    found.push(
      `sale ${sale.id} of ${sale.amount_cents} was refunded ${refunded}, and says ${sale.refunded_cents}`,
    );
  }
  for (const commission of earned.filter(
    ({ sale_id, takes_back_id }) => sale_id === sale.id && takes_back_id === null,
  )) {
    const takeBacks = earned.filter(({ takes_back_id }) => takes_back_id === commission.id);
    const left = commission.amount + sumOf(takeBacks);
    const isWhole = isRefundedWhole(sale);
    // The bonus of a target stays whole while the target is still reached.
    const isBonus = commission.target_rules !== undefined;
    const isFair = isBonus ? left === 0 || left === commission.amount : !isWhole || left === 0;
    if (left < 0 || !isFair) {
      found.push(`commission ${commission.id} of ${commission.amount} has ${left} left`);
    }
    const others = takeBacks.filter(({ status }) => status !== commission.status);
    found.push(...others.map(({ id }) => `commission ${id} does not follow commission ${commission.id}`));
  }
  return found;
}

/**
 * No one is paid twice for a sale or its instalment on a level, and the parts of a split add up to the whole. An
 * instalment is as large as the part of the sale that was left on its day.
 */
function tierBreaches(sale: Sale, { commissions: earned }: Ledger): string[] {
  const own = earned.filter(({ sale_id, takes_back_id }) => sale_id === sale.id && takes_back_id === null);
  const groups = groupBy(own, ({ created_at, tier, unit }) => `${created_at} ${tier} ${unit}`);
  return [...groups].flatMap(([name, paid]) => {
    const first = paid[0]!;
    const isTwice = first.split_ten_thousandths === null && paid.length > 1;
    const { base = 0, amount_ten_thousandths = 0, is_flat = true } = first.terms ?? {};
    const whole = is_flat
      ? amount_ten_thousandths / 10_000
      : rounded(base * amount_ten_thousandths, 1_000_000);
    const due =
      sale.amount_cents === 0
        ? rounded(whole * first.original_sale_amount, sale.original_amount)
        : rounded(whole * first.sale_amount, sale.amount_cents);
    return [
      ...(isTwice ? [`sale ${sale.id} pays someone twice: ${name}`] : []),
      ...(sumOf(paid) === due ? [] : [`sale ${sale.id} pays ${sumOf(paid)} instead of ${due}: ${name}`]),
    ];
  });
}

/** A target is marked as reached if, and only if, its bonus was given once and not taken back. */
function targetBreaches({ promoterCampaigns: owners, commissions: earned, sales: made }: Ledger): string[] {
  const ownerOf = new Map(made.map(({ id, promoter_campaign_id }) => [id, promoter_campaign_id]));
  return owners.flatMap(({ id, targets_reached }) => {
    const given = earned
      .filter(({ target_rules, takes_back_id }) => target_rules !== undefined && takes_back_id === null)
      .filter(
        ({ sale_id, taken_back_by_ids }) => ownerOf.get(sale_id!) === id && taken_back_by_ids.length === 0,
      );
    const marks = targets_reached.map(({ reward_id }) => reward_id).join();
    const found = given.map(({ reward_id }) => reward_id).join();
    return marks === found ? [] : [`promoter campaign ${id} reached ${marks}, and was paid for ${found}`];
  });
}

/** Tiers belong to the parents of the promoter who made the sale, wherever its lead has moved since. */
function parentBreaches(sale: Sale, { commissions: earned, promoters: people }: Ledger): string[] {
  const parentOf = new Map(people.map(({ id, parent_promoter_id }) => [id, parent_promoter_id]));
  const above = (level: number): number | null =>
    level === 1 ? sale.promoter_id : (parentOf.get(above(level - 1) ?? 0) ?? null);
  return earned
    .filter(({ sale_id, tier }) => sale_id === sale.id && tier > 1)
    .filter(({ tier, promoter_id }) => promoter_id !== above(tier))
    .map(({ id, tier, promoter_id }) => `commission ${id} of tier ${tier} is promoter ${promoter_id}'s`);
}

/**
 * The breaches between two moments in which no promoter's state has changed: commissions of sales for promoters who may not
 * earn, and moved ones that had to stay.
 */
export function changeBreaches(before: Ledger, after: Ledger): string[] {
  const stateOf = new Map(after.promoterCampaigns.map(({ id, state }) => [id, state]));
  const salePcOf = new Map(after.sales.map(({ id, promoter_campaign_id }) => [id, promoter_campaign_id]));
  const former = new Map(before.commissions.map((each) => [each.id, each]));
  const isIn = (id: number, ...states: PromoterCampaignState[]) => states.includes(stateOf.get(id)!);
  return after.commissions.flatMap((each) => {
    const { id, promoter_campaign_id: pcId, tier, sale_id, takes_back_id, stays_on_move = false } = each;
    const isOwn = tier === 1 && !stays_on_move;
    const known = former.get(id);
    if (known !== undefined) {
      const hasMoved = known.promoter_campaign_id !== pcId;
      return hasMoved && !isOwn ? [`commission ${id} moved to ${pcId}`] : [];
    }
    if (sale_id === null || takes_back_id !== null) return [];
    const mayEarn = isIn(pcId, "accepted") || (isOwn && isIn(pcId, "inactive"));
    const ownMayEarn = isIn(salePcOf.get(sale_id)!, "accepted", "inactive");
    return mayEarn && ownMayEarn ? [] : [`promoter campaign ${pcId} earned commission ${id}`];
  });
}

/**
 * The breaches between two moments, in which no promoter's state has changed, of the rule for rewards that are given once:
 * a lead's first recorded sale has it, and another one only when that is refunded whole. Sales between the two moments may
 * have come in any order.
 */
export function onceBreaches(before: Ledger, after: Ledger): string[] {
  const mayEarn = new Set(
    after.promoterCampaigns
      .filter(({ state }) => state === "accepted" || state === "inactive")
      .map(({ id }) => id),
  );
  const former = new Set(before.sales.map(({ id }) => id));
  const once = after.rewards.filter(({ duration }) => duration === "once");
  return once.flatMap(({ id: rewardId }) => {
    const givenIds = new Set(
      after.commissions.filter((each) => each.reward_id === rewardId).map(({ sale_id }) => sale_id),
    );
    return after.leads.flatMap(({ id }) => {
      const ownIn = ({ sales: made }: Ledger) =>
        made.filter((sale) => sale.lead_id === id && givenIds.has(sale.id) && !isRefundedWhole(sale));
      const sold = after.sales.filter((sale) => sale.lead_id === id && !former.has(sale.id));
      const earning = sold.filter(({ promoter_campaign_id }) => mayEarn.has(promoter_campaign_id));
      const gave = sold.filter((sale) => givenIds.has(sale.id));
      const [held, holds] = [ownIn(before), ownIn(after)];
      const stays = holds.some((sale) => former.has(sale.id));
      return [
        ...(holds.length > 1
          ? [`reward ${rewardId} was given for the sales ${idsOf(holds)} of lead ${id}`]
          : []),
        ...(stays && gave.length > 0
          ? [`reward ${rewardId} was given again for the sales ${idsOf(gave)}`]
          : []),
        ...(held.length === 0 && earning.length > 0 && gave.length === 0
          ? [`reward ${rewardId} was given for none of the sales ${idsOf(earning)}`]
          : []),
      ];
    });
  });
}

function idsOf(records: { id: number }[]): string {
  return records.map(({ id }) => id).join(", ");
}

/** A sale in another currency may be worth nothing in the account's. */
function isRefundedWhole({
  amount_cents,
  refunded_cents,
  original_amount,
  refunded_original_amount,
}: Sale): boolean {
  return amount_cents === 0 ? refunded_original_amount === original_amount : refunded_cents === amount_cents;
}

/** Half away from zero. Both numbers are small, and not negative. */
function rounded(numerator: number, denominator: number): number {
  return Math.floor((2 * numerator + denominator) / (2 * denominator));
}

/** The sum of all amounts, of any unit. */
export function sumOf(amounts: { amount: number }[]): number {
  return amounts.reduce((sum, { amount }) => sum + amount, 0);
}

/** The items by the name that a function gives them. */
export function groupBy<T>(items: T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}
