import { originIn } from "../../people/origin.ts";
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
    if (!sale.is_duplicate) counted.push(sale);
  }
  await giveRefunds(tx, owned.lead);
  let lead = withoutEarned(owned.lead, counted);
  const earlier = {
    sales_count: lead.sales_count - counted.length,
    refunded_sales_count: lead.refunded_sales_count - counted.filter(isTakenBack).length,
  };
  for (const sale of counted) {
    earlier.sales_count += 1;
    const asOf = { ...lead, ...earlier };
    const earned = former.filter(({ sale_id }) => sale_id === sale.id);
    const applied = await remake(tx, context, { ...owned, lead: asOf, sale, former: earned });
    lead = withApplied(lead, sale, applied);
    if (isTakenBack(sale)) earlier.refunded_sales_count += 1;
  }
  return lead;
}

/** The lead without the rewards that its sales have given to promoters. Its own rewards stay. */
function withoutEarned(lead: Lead, counted: Sale[]): Lead {
  const own = new Map(counted.map(({ id, referral_reward_id }) => [id, referral_reward_id]));
  const received = new Set(own.values());
  return {
    ...lead,
    ...(lead.once_given && {
      once_given: lead.once_given.filter(({ reward_id, sale_id }) => own.get(sale_id) === reward_id),
    }),
    ...(lead.reward_starts && {
      reward_starts: lead.reward_starts.filter(({ reward_id }) => received.has(reward_id)),
    }),
  };
}

async function commissionsOf(tx: Transaction, accountId: number, saleId: number): Promise<Commission[]> {
  const sale = await tx.get(sales, accountId, saleId);
  const found: Commission[] = [];
  for (const id of sale?.commission_ids ?? []) {
    const each = await tx.get(commissions, accountId, id);
    if (each !== null) found.push(each);
  }
  return found;
}

/** Makes the targets reachable again that these sales had reached for the former promoters. */
async function reopen(tx: Transaction, accountId: number, former: Commission[]): Promise<void> {
  const lost = former.filter(
    ({ target_rules, takes_back_id }) => target_rules !== undefined && takes_back_id === null,
  );
  for (const { promoter_campaign_id, reward_id, taken_back_by_ids } of lost) {
    const owner = await tx.get(promoterCampaigns, accountId, promoter_campaign_id);
    if (owner === null || taken_back_by_ids.length > 0) continue;
    const targetsReached = owner.targets_reached.filter((target) => target.reward_id !== reward_id);
    await tx.put(promoterCampaigns, { ...owner, targets_reached: targetsReached });
  }
}

/** The sale with the lead's owner and without commissions. A promo code of another promoter is not theirs. */
async function giveSale(tx: Transaction, lead: Lead, id: number): Promise<Sale> {
  const sale = await tx.get(sales, lead.account_id, id);
  if (sale === null) throw new Error(`Sale ${id} is gone`);
  const { promo_code_id: _, ...rest } = sale;
  const given: Sale = { ...rest, ...ownerOf(lead), commission_ids: [] };
  await tx.put(sales, given);
  return given;
}

function ownerOf(lead: Lead) {
  const { promoter_campaign_id, promoter_id, campaign_id } = lead;
  return { promoter_campaign_id, promoter_id, campaign_id, ...originIn(lead) };
}

/** What refunds took back is gone with the commissions: the new ones are made of what is left. */
async function giveRefunds(tx: Transaction, lead: Lead): Promise<void> {
  for (const { id } of await tx.view.list(refunds, "lead", lead.account_id, [lead.id])) {
    const refund = await tx.get(refunds, lead.account_id, id);
    if (refund !== null) await tx.put(refunds, { ...refund, ...ownerOf(lead), commission_ids: [] });
  }
}

/** Makes the commissions of a sale, and those of its instalments up to now. Returns the rewards that applied. */
async function remake(
  tx: Transaction,
  context: Context,
  { account, lead, promoterCampaign, promoter, sale, former }: Owned & { sale: Sale; former: Commission[] },
) {
  // The counts include the sale already.
  const counts = { isNewCustomer: false, amount_cents: 0 };
  const judged = {
    sale: { ...sale, currencyDigits: exponentOf(account.currency) ?? 2 },
    tiers: await loadTiers(tx, { promoterCampaign, promoter }, counts),
    history: await loadHistory(tx, lead, new Date(sale.created_at)),
  };
  const isDenied = lead.state === "denied";
  const all = isDenied ? [] : earningsOf({ ...judged, splits: await payableSplits(tx, lead) });
  const payment = await tx.get(salePayments, account.id, sale.id);
  // Money of a reported sale may be returned by a bank, so what is refunded stays, as earnings of zero.
  const due = all.filter((each) => payment?.is_reported || leftOf(sale, each).amount !== 0);
  const plan = await tx.get(instalments, account.id, sale.id);
  if (plan !== null) await tx.put(instalments, { ...plan, earnings: all.filter((each) => !isTarget(each)) });
  const days = new Set(
    former.filter(({ takes_back_id }) => takes_back_id === null).map((each) => each.created_at),
  );
  if (plan === null && days.size === 0) days.add(sale.created_at);
  const ids: number[] = [];
  for (const day of [...days].toSorted()) {
    const earnings = due.filter((each) => day === sale.created_at || !isTarget(each));
    const event = { account, lead, sale, at: new Date(day) };
    const left = earnings.map((each) => leftOf(sale, each));
    ids.push(...(await addCommissions(tx, context, { ...event, earnings: left })).map(({ id }) => id));
  }
  if (payment?.is_reported) await tx.put(salePayments, { ...payment, earnings: due, commission_ids: ids });
  await tx.put(sales, { ...sale, commission_ids: ids });
  await markTargets(tx, promoterCampaign, { sale, due });
  return isDenied ? [] : appliedRewards(judged);
}

/** An earning of what is left of its sale. */
function leftOf(sale: Sale, earning: Earning): Earning {
  if (sale.original_amount === 0) return { ...earning, amount: 0, whole_amount: 0 };
  const [amount, wholeAmount] = [leftPart(sale, earning.amount), leftPart(sale, earning.whole_amount)];
  return { ...earning, amount, whole_amount: wholeAmount };
}

async function markTargets(
  tx: Transaction,
  { account_id, id }: PromoterCampaign,
  { sale, due }: { sale: Sale; due: Earning[] },
): Promise<void> {
  const marks = due.filter(isTarget).map(({ reward }) => ({ reward_id: reward.id, at: sale.created_at }));
  const owner = marks.length === 0 ? null : await tx.get(promoterCampaigns, account_id, id);
  if (owner !== null)
    await tx.put(promoterCampaigns, { ...owner, targets_reached: [...owner.targets_reached, ...marks] });
}
