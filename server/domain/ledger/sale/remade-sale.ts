import type { Transaction } from "../../../storage/store.ts";
import { removeCommissions } from "../commission/changes.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { appliedRewards, earningsOf, type Earning } from "../commission/earnings.ts";
import type { Context } from "../../context.ts";
import { exponentOf } from "../../money.ts";
import type { Lead } from "../../people/lead/lead.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import type { Promoter } from "../../people/promoter/promoter.ts";
import type { Account } from "../../program/account/account.ts";
import { addCommissions, loadHistory, payableSplits, withApplied } from "./commissions.ts";
import { instalments, isTarget } from "./instalment.ts";
import { salePayments } from "./payment.ts";
import { isTakenBack, leftPart, refunds, sales, type Sale } from "./sale.ts";
import { loadTiers } from "./tiers.ts";

/** A lead with its right owner. */
interface Owned {
  account: Account;
  lead: Lead;
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
}

/**
 * Gives all sales of a lead to its owner, and makes their commissions again by the owner's rewards and
 * parents, less what is refunded. None of the former commissions may be paid. Returns the lead with the
 * rewards that it has got.
 *
 * @see docs/spec/tracking.md "Whose word counts"
 */
export async function remakeSales(tx: Transaction, context: Context, owned: Owned): Promise<Lead> {
  const { account } = owned;
  const listed = await tx.view.list(sales, "lead", account.id, [owned.lead.id]);
  const former: Commission[] = [];
  for (const { id } of listed) former.push(...(await commissionsOf(tx, account.id, id)));
  await removeCommissions(tx, context, former);
  await reopen(tx, account.id, former);
  const counted: Sale[] = [];
  for (const { id } of listed) {
    const sale = await giveSale(tx, owned.lead, id);
    if (!sale.isDuplicate) counted.push(sale);
  }
  await giveRefunds(tx, owned.lead);
  let lead = withoutEarned(owned.lead, counted);
  const earlier = {
    salesCount: lead.salesCount - counted.length,
    refundedSalesCount: lead.refundedSalesCount - counted.filter(isTakenBack).length,
  };
  for (const sale of counted) {
    earlier.salesCount += 1;
    const asOf = { ...lead, ...earlier };
    const earned = former.filter(({ saleId }) => saleId === sale.id);
    const applied = await remake(tx, context, { ...owned, lead: asOf, sale, former: earned });
    lead = withApplied(lead, sale, applied);
    if (isTakenBack(sale)) earlier.refundedSalesCount += 1;
  }
  return lead;
}

/** The lead without the rewards that its sales have given to promoters. Its own rewards stay. */
function withoutEarned(lead: Lead, counted: Sale[]): Lead {
  const own = new Map(counted.map(({ id, referralRewardId }) => [id, referralRewardId]));
  const received = new Set(own.values());
  return {
    ...lead,
    ...(lead.onceGiven && {
      onceGiven: lead.onceGiven.filter(({ rewardId, saleId }) => own.get(saleId) === rewardId),
    }),
    ...(lead.rewardStarts && {
      rewardStarts: lead.rewardStarts.filter(({ rewardId }) => received.has(rewardId)),
    }),
  };
}

async function commissionsOf(tx: Transaction, accountId: number, saleId: number): Promise<Commission[]> {
  const sale = await tx.get(sales, accountId, saleId);
  const found: Commission[] = [];
  for (const id of sale?.commissionIds ?? []) {
    const each = await tx.get(commissions, accountId, id);
    if (each !== null) found.push(each);
  }
  return found;
}

/** Makes the targets reachable again that these sales had reached for the former promoters. */
async function reopen(tx: Transaction, accountId: number, former: Commission[]): Promise<void> {
  const lost = former.filter(
    ({ targetRules, takesBackId }) => targetRules !== undefined && takesBackId === null,
  );
  for (const { promoterCampaignId, rewardId, takenBackByIds } of lost) {
    const owner = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
    if (owner === null || takenBackByIds.length > 0) continue;
    const targetsReached = owner.targetsReached.filter((target) => target.rewardId !== rewardId);
    await tx.put(promoterCampaigns, { ...owner, targetsReached });
  }
}

/** The sale with the lead's owner and without commissions. A promo code of another promoter is not theirs. */
async function giveSale(tx: Transaction, lead: Lead, id: number): Promise<Sale> {
  const sale = await tx.get(sales, lead.accountId, id);
  if (sale === null) throw new Error(`Sale ${id} is gone`);
  const { promoCodeId: _, ...rest } = sale;
  const given: Sale = { ...rest, ...ownerOf(lead), commissionIds: [] };
  await tx.put(sales, given);
  return given;
}

function ownerOf({ promoterCampaignId, promoterId, campaignId, origin }: Lead) {
  return { promoterCampaignId, promoterId, campaignId, origin };
}

/** What refunds took back is gone with the commissions: the new ones are made of what is left. */
async function giveRefunds(tx: Transaction, lead: Lead): Promise<void> {
  for (const { id } of await tx.view.list(refunds, "lead", lead.accountId, [lead.id])) {
    const refund = await tx.get(refunds, lead.accountId, id);
    if (refund !== null) await tx.put(refunds, { ...refund, ...ownerOf(lead), commissionIds: [] });
  }
}

/** Makes the commissions of a sale, and those of its instalments up to now. Returns the rewards that applied. */
async function remake(
  tx: Transaction,
  context: Context,
  { account, lead, promoterCampaign, promoter, sale, former }: Owned & { sale: Sale; former: Commission[] },
) {
  // The counts include the sale already.
  const counts = { isNewCustomer: false, amountCents: 0 };
  const judged = {
    sale: { ...sale, currencyDigits: exponentOf(account.currency) ?? 2 },
    tiers: await loadTiers(tx, { promoterCampaign, promoter }, counts),
    history: await loadHistory(tx, lead, new Date(sale.createdAt)),
  };
  const isDenied = lead.state === "denied";
  const all = isDenied ? [] : earningsOf({ ...judged, splits: await payableSplits(tx, lead) });
  const payment = await tx.get(salePayments, account.id, sale.id);
  // Money of a reported sale may be returned by a bank, so what is refunded stays, as earnings of zero.
  const due = all.filter((each) => payment?.isReported || leftOf(sale, each).amount !== 0);
  const plan = await tx.get(instalments, account.id, sale.id);
  if (plan !== null) await tx.put(instalments, { ...plan, earnings: all.filter((each) => !isTarget(each)) });
  const days = new Set(
    former.filter(({ takesBackId }) => takesBackId === null).map((each) => each.createdAt),
  );
  if (plan === null && days.size === 0) days.add(sale.createdAt);
  const ids: number[] = [];
  for (const day of [...days].toSorted()) {
    const earnings = due.filter((each) => day === sale.createdAt || !isTarget(each));
    const event = { account, lead, sale, at: new Date(day) };
    const left = earnings.map((each) => leftOf(sale, each));
    ids.push(...(await addCommissions(tx, context, { ...event, earnings: left })).map(({ id }) => id));
  }
  if (payment?.isReported) await tx.put(salePayments, { ...payment, earnings: due, commissionIds: ids });
  await tx.put(sales, { ...sale, commissionIds: ids });
  await markTargets(tx, promoterCampaign, { sale, due });
  return isDenied ? [] : appliedRewards(judged);
}

/** An earning of what is left of its sale. */
function leftOf(sale: Sale, earning: Earning): Earning {
  if (sale.originalAmount === 0) return { ...earning, amount: 0, wholeAmount: 0 };
  const [amount, wholeAmount] = [leftPart(sale, earning.amount), leftPart(sale, earning.wholeAmount)];
  return { ...earning, amount, wholeAmount };
}

async function markTargets(
  tx: Transaction,
  { accountId, id }: PromoterCampaign,
  { sale, due }: { sale: Sale; due: Earning[] },
): Promise<void> {
  const marks = due.filter(isTarget).map(({ reward }) => ({ rewardId: reward.id, at: sale.createdAt }));
  const owner = marks.length === 0 ? null : await tx.get(promoterCampaigns, accountId, id);
  if (owner !== null)
    await tx.put(promoterCampaigns, { ...owner, targetsReached: [...owner.targetsReached, ...marks] });
}
