import type { Account } from "../../program/account/account.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { appliedRewards, earningsOf, type Earning } from "../commission/earnings.ts";
import { isOwn } from "../commission/changes.ts";
import type { Context } from "../../context.ts";
import type { Lead, RewardStart } from "../../people/lead/lead.ts";
import { exponentOf, share } from "../../money.ts";
import { promoterCampaigns } from "../../people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import type { Transaction } from "../../../storage/store.ts";
import { addCommissions, historyOf, payableSplits, withStarts } from "./commissions.ts";
import { instalments } from "./instalment.ts";
import { salePayments } from "./payment.ts";
import { isRefunded, leftPart, sales, type Sale } from "./sale.ts";
import { takeBackReplaced } from "./refunded-sale.ts";
import { loadTiers } from "./tiers.ts";

/**
 * Judges later sales again whose one-time reward has gone to an earlier sale that arrived later: the reward's
 * commissions are taken back, and the next reward gives instead. Returns the lead with the rewards that then
 * apply.
 *
 * @see docs/spec/money.md "Durations"
 */
export async function judgeAgain(
  tx: Transaction,
  context: Context,
  { account, lead, replaced }: { account: Account; lead: Lead; replaced: RewardStart[] },
): Promise<Lead> {
  let after = lead;
  for (const { saleId, rewardId } of replaced) {
    const sale = await tx.get(sales, account.id, saleId);
    if (sale === null || (await isOver(tx, sale))) continue;
    const { earnings, applied } = await earningsNow(tx, account, { lead: after, sale });
    const isReplaced = await replace(tx, context, { account, lead: after, sale, rewardId, earnings });
    if (!isReplaced) continue;
    after = await judgeAgain(tx, context, { account, ...withStarts(after, sale, applied) });
  }
  return after;
}

/**
 * Whether a sale can earn nothing any more. The money of a sale known to a provider may be returned by a
 * bank.
 */
async function isOver(tx: Transaction, sale: Sale): Promise<boolean> {
  if (sale.isDuplicate) return true;
  return isRefunded(sale) && (await tx.get(salePayments, sale.accountId, sale.id)) === null;
}

type Judged = { earnings: Earning[]; applied: ReturnType<typeof appliedRewards> };

/** The sale's earnings by the present rewards and people. */
async function earningsNow(
  tx: Transaction,
  account: Account,
  { lead, sale }: { lead: Lead; sale: Sale },
): Promise<Judged> {
  const promoterCampaign = await tx.get(promoterCampaigns, account.id, sale.promoterCampaignId);
  const promoter = await tx.get(promoters, account.id, sale.promoterId);
  if (promoterCampaign === null || promoter === null) return { earnings: [], applied: [] };
  // The counts include this sale already.
  const counted = { leadId: lead.id, isFirstSale: false, amountCents: 0 };
  const input = {
    sale: { ...sale, currencyDigits: exponentOf(account.currency) ?? 2 },
    tiers: await loadTiers(tx, { promoterCampaign, promoter }, counted),
    history: historyOf(lead, new Date(sale.createdAt)),
  };
  const others = await payableSplits(tx, lead);
  const splits = others.filter((each) => each.promoterCampaignId !== promoterCampaign.id);
  return { earnings: earningsOf({ ...input, splits }), applied: appliedRewards(input) };
}

interface Replacement {
  account: Account;
  lead: Lead;
  sale: Sale;
  /** The reward that the sale has lost. */
  rewardId: number;
  /** Everything that the sale earns without it. */
  earnings: Earning[];
}

/**
 * Replaces a reward's commissions for a sale, immediate and by instalments, and the parents' shares of them.
 * False if nothing of it counts, because it was denied.
 */
async function replace(
  tx: Transaction,
  context: Context,
  { account, lead, sale, rewardId, earnings }: Replacement,
): Promise<boolean> {
  const earned = await earnedBy(tx, sale);
  const plan = await tx.get(instalments, account.id, sale.id);
  const given = earned.filter((each) => each.rewardId === rewardId);
  const planned = (plan?.earnings ?? []).filter(({ reward }) => reward.id === rewardId);
  if (given.length + planned.length === 0) return false;
  const isInPlace = placesOf([...given, ...planned]);
  const lost = earned.filter(isInPlace);
  const gained = earnings.filter(isInPlace);
  if (plan !== null) {
    const kept = plan.earnings.filter((each) => !isInPlace(each));
    await tx.put(instalments, { ...plan, earnings: [...kept, ...gained] });
  }
  const takeBacks: Commission[] = [];
  for (const commission of lost) {
    const takeBack = await takeBackReplaced(tx, context, { commission, sale });
    if (takeBack !== null) takeBacks.push(takeBack);
  }
  const added: Commission[] = [];
  const payment = await tx.get(salePayments, account.id, sale.id);
  // The refunded part of a reported sale is stored as an earning of zero, for money that may be returned.
  const due = gained.filter((each) => payment?.isReported || leftOf(sale)(each).amount !== 0);
  for (const day of new Set(lost.map(({ createdAt }) => createdAt))) {
    const event = {
      account,
      lead,
      sale,
      at: new Date(day),
      earnings: due.map(leftOf(sale)).map(ofHolder(lost)),
      isSilent: isRefunded(sale),
    };
    added.push(...(await addCommissions(tx, context, event)));
  }
  await replaceInPayment(tx, { sale, lost, gained: due, added });
  const ids = [...takeBacks, ...added].map(({ id }) => id);
  await tx.put(sales, { ...sale, commissionIds: [...sale.commissionIds, ...ids] });
  return true;
}

/** A sale's commissions, without those denied or replaced before. */
async function earnedBy(tx: Transaction, { accountId, commissionIds }: Sale): Promise<Commission[]> {
  const earned: Commission[] = [];
  for (const id of commissionIds) {
    const each = await tx.get(commissions, accountId, id);
    const isLeft = each !== null && each.takesBackId === null && !each.isReplaced;
    if (isLeft && each.status !== "denied") earned.push(each);
  }
  return earned;
}

type Placed = Pick<Earning, "tierLevel" | "unit" | "targetRules"> & Pick<Commission, "terms">;

/**
 * Matches amounts that take the place of others: on their level and in their unit, or computed from them for
 * a parent.
 */
function placesOf(replaced: Placed[]): (each: Placed) => boolean {
  return ({ tierLevel, unit, terms, targetRules }) => {
    const mode = terms?.tierRewardMode ?? null;
    const isComputed = mode === "tier_commission_mode" || mode === "tier_net_override_mode";
    const isInPlaceOf = (other: Placed) =>
      other.unit === unit && (other.tierLevel === tierLevel || (isComputed && other.tierLevel < tierLevel));
    return targetRules === undefined && replaced.some(isInPlaceOf);
  };
}

/** An earning less its refunded part, as if it had been given before the refunds. */
function leftOf(sale: Sale): (earning: Earning) => Earning {
  const { refundedCents, amountCents } = sale;
  return (earning) => ({
    ...earning,
    amount: earning.amount - share(earning.amount, refundedCents, amountCents),
    wholeAmount: leftPart(sale, earning.wholeAmount),
  });
}

/** The own share of a sale's promoter goes to its present holder, because it may have moved with the lead. */
function ofHolder(lost: Commission[]): (earning: Earning) => Earning {
  const holder = lost.find(isOwn)?.promoterCampaignId;
  return (earning) =>
    holder === undefined || earning.tierLevel !== 1 || earning.isShare
      ? earning
      : { ...earning, promoterCampaignId: holder };
}

/**
 * Stores the new earnings with the payment of a sale that a billing provider reported, in the order of their
 * levels.
 */
async function replaceInPayment(
  tx: Transaction,
  {
    sale: { accountId, id },
    lost,
    gained,
    added,
  }: { sale: Sale; lost: Commission[]; gained: Earning[]; added: Commission[] },
): Promise<void> {
  const payment = await tx.get(salePayments, accountId, id);
  if (!payment?.isReported) return;
  const pairs = payment.earnings.map((earning, at) => ({ earning, id: payment.commissionIds[at]! }));
  const kept = pairs.filter((pair) => lost.every((each) => each.id !== pair.id));
  const fresh = gained.map((earning, at) => ({ earning, id: added[at]!.id }));
  const all = [...kept, ...fresh].toSorted((one, other) => one.earning.tierLevel - other.earning.tierLevel);
  await tx.put(salePayments, {
    ...payment,
    earnings: all.map(({ earning }) => earning),
    commissionIds: all.map((pair) => pair.id),
  });
}
