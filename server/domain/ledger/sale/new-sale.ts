import { originIn } from "../../people/origin.ts";
import { Failure } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import { isRefundedCustomer, leads, type Lead } from "../../people/lead/lead.ts";
import type { Transaction } from "../../../storage/store.ts";
import { appliedRewards, earningsOf, type CustomerHistory, type Earning } from "../commission/earnings.ts";
import { balanceWith, loadBalance, type Balance } from "../commission/balance.ts";
import type { Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { withHistory } from "../../people/lead/customer.ts";
import { withPayment } from "../../people/lead/subscription.ts";
import { exponentOf, MAX_AMOUNT, share } from "../../money.ts";
import { isMissing, toAccountCurrency, worthless, type Converted, type MissingRate } from "../rate.ts";
import { findProductByPrice } from "../../program/product.ts";
import { findCodeInUse, type PromoCode } from "../../people/promo-code/promo-code.ts";
import type { Promoter } from "../../people/promoter/promoter.ts";
import { promoterCampaigns } from "../../people/promoter-campaign/promoter-campaign.ts";
import type { Reward } from "../../program/reward/reward.ts";
import {
  addCommissions,
  loadHistory,
  payableSplits,
  referralRewardOf,
  withApplied,
  withRepeatingSince,
} from "./commissions.ts";
import { loadCustomer, unreferred, type Customer, type CustomerNames } from "./customer.ts";
import { addInstalments, comesLater } from "./instalment.ts";
import { addPayment } from "./payment.ts";
import { alreadyRecorded, refuseRepeated, sales, type Sale } from "./sale.ts";
import { loadTiers } from "./tiers.ts";
import { withLastEnds } from "./cancellation.ts";
import {
  refuseWaiting,
  waitingEvents,
  waitingOf,
  type SaleFacts,
  type ShownWaiting,
  type WaitingSale,
} from "./waiting.ts";

/** The input of a sale. Null fields are not given. */
export interface NewSale extends SaleFacts {
  customer: CustomerNames;
  event_id: string;
  created_at: Date | null;
  /** The waiting event that is recorded now. Absent: the sale has just arrived. */
  kept?: WaitingSale;
}

/** A sale with its lead, the lead's promoter and their balance, and its immediate commissions. */
export interface RecordedSale {
  sale: Sale;
  lead: Lead;
  promoter: Promoter;
  balance: Balance;
  commissions: Commission[];
}

/**
 * Records a referred person's payment and the promoters' commissions. Without an exchange rate the sale is stored with its
 * lead: see `unlessWaiting`.
 *
 * @throws Failure `not_found` for a person whom no promoter referred, `already_registered` for a known event id,
 * `worthless`, `rule_broken`
 * @see docs/spec/money.md "Sales" and "Waiting for an exchange rate"
 */
export async function recordSale(
  tx: Transaction,
  context: Context,
  account: Account,
  input: NewSale,
): Promise<RecordedSale | ShownWaiting> {
  const { kept } = input;
  const ids = { sale_id: kept?.id ?? (await tx.nextId("event")), lead_id: await tx.nextId("lead") };
  const at = input.created_at ?? context.now;
  const { skip_email_notification, created_at, event_id } = input;
  // First, because a repetition stays one even if its lead or promoter has changed.
  await Promise.all([
    refuseRepeated(tx, sales, { kind: "sale", account_id: account.id, event_id }),
    refuseWaiting(tx, { kind: "sale", account_id: account.id, event_id }, kept),
  ]);
  const arrival = { lead_id: ids.lead_id, created_at, skip_email_notification };
  const customer = await loadCustomer(tx, context, { account, names: input.customer, arrival });
  // A sale that waits for a rate was made before.
  if (customer.before.archived_at && kept === undefined) throw unreferred();
  const { amount, currency } = input;
  const money = await toAccountCurrency(tx, account, { amount, currency, at });
  if (isMissing(money)) return keepSale(tx, context, { input, customer, rate: money, id: ids.sale_id, at });
  const code = await codeOf(tx, account.id, input.customer);
  const sale = await newSale(tx, account, { id: ids.sale_id, input, customer, at, money, code });
  const paying = withPayment(customer.lead, subscriptionOf(customer.lead, input), at.toISOString());
  const lead = customerAfter(withRepeatingSince(paying), input, at);
  const history = await loadHistory(tx, lead, at);
  const referralReward = await referralRewardOf(tx, customer.promoterCampaign, { sale, history, code });
  const isDenied = lead.state === "denied";
  const { earnings, applied } = isDenied
    ? { earnings: [], applied: [] }
    : await earn(tx, account, { customer, lead, sale, history });
  const { promoter } = customer;
  // Before the commissions are written: a query on a table that the transaction has written to would need a
  // database connection of its own.
  const balance = await loadBalance(tx.view, account.id, promoter.id);
  const commissions = await addCommissions(tx, context, {
    account,
    lead,
    sale,
    at,
    earnings: earnings.filter((earning) => !comesLater(earning, input.instalments)),
    notes: input.notes,
    is_silent: skip_email_notification,
  });
  const commissionIds = commissions.map(({ id }) => id);
  const whole = { ...sale, referral_reward_id: referralReward?.id ?? null, commission_ids: commissionIds };
  await tx.insert(sales, whole, { event: () => alreadyRecorded("sale", event_id) });
  if (input.reported) await addPayment(tx, { sale: whole, reported: input.reported, earnings });
  await addInstalments(tx, { sale: whole, plan: input.instalments, earnings, at });
  const bought = withApplied(lead, sale, referralReward ? [...applied, referralReward] : applied);
  const after = await withLastEnds(tx.view, withHistory(paying, bought, sale.created_at));
  await tx.put(leads, after);
  await announce(tx, context, { entity: "referral", before: customer.before, after });
  return {
    sale: whole,
    lead: after,
    promoter,
    balance: balanceWith(balance, promoter.id, commissions),
    commissions,
  };
}

/**
 * Stores a sale with its lead until there is a rate. By then, a visit or a promo code may lead to no
 * promoter.
 */
async function keepSale(
  tx: Transaction,
  context: Context,
  { input, customer, ...event }: Arrived & { rate: MissingRate },
): Promise<ShownWaiting> {
  const { customer: names, kept, event_id, created_at: _, ...facts } = input;
  const { before, lead, promoter } = customer;
  if (kept !== undefined) return { waiting: kept, lead, promoter };
  const code = await codeOf(tx, lead.account_id, names);
  const waiting: WaitingSale = {
    ...waitingOf(lead, context, { ...event, event_id }),
    kind: "sale",
    facts,
    promo_code_id: code?.id ?? null,
  };
  await tx.insert(waitingEvents, waiting, { event: () => alreadyRecorded("sale", event_id) });
  if (lead.uid !== before.uid || lead.email !== before.email) {
    await tx.put(leads, lead);
    await announce(tx, context, { entity: "referral", before, after: lead });
  }
  return { waiting, lead, promoter };
}

/** The promo code that the customer used, if it is in use. */
async function codeOf(
  tx: Transaction,
  accountId: number,
  { promoCode }: CustomerNames,
): Promise<PromoCode | null> {
  return promoCode === null ? null : findCodeInUse(tx, accountId, promoCode);
}

/** A new sale, with its id. */
interface Arrived {
  id: number;
  input: NewSale;
  customer: Customer;
  at: Date;
}

async function newSale(
  tx: Transaction,
  account: Account,
  { id, input, customer, at, money, code }: Arrived & { money: Converted; code: PromoCode | null },
): Promise<Sale> {
  const { amount, currency, plan_id } = input;
  if (money.cents > MAX_AMOUNT) throw new Failure("rule_broken", `${amount} ${currency} is too large`);
  if (money.cents === 0) throw worthless(input, account);
  const product = plan_id === null ? null : await findProductByPrice(tx, account.id, plan_id);
  const sold = { product_id: product?.id ?? null, plan_id, billing_period: input.billing_period };
  const { lead } = customer;
  return {
    account_id: account.id,
    id,
    promoter_campaign_id: lead.promoter_campaign_id,
    promoter_id: lead.promoter_id,
    campaign_id: lead.campaign_id,
    lead_id: lead.id,
    ...originIn(lead),
    event_id: input.event_id,
    amount_cents: money.cents,
    original_amount: money.original_amount,
    original_currency: money.original_currency,
    quantity: input.quantity,
    ...(code?.promoter_campaign_id === lead.promoter_campaign_id && { promo_code_id: code.id }),
    ...sold,
    // It is in the currency of the amount, so it is converted like the amount.
    mrr_cents: input.mrr === null ? null : share(input.mrr, money.cents, amount),
    referral_reward_id: null,
    commission_ids: [],
    refunded_cents: 0,
    refunded_original_amount: 0,
    created_at: at.toISOString(),
  };
}

/**
 * The lead as a customer. A cancelled or refunded one is active again, unless the sale is older than the
 * cancellation. A denied one stays denied.
 */
function customerAfter(lead: Lead, input: NewSale, at: Date): Lead {
  const day = at.toISOString();
  const isLate = lead.state === "cancelled" && lead.cancelled_at !== null && day < lead.cancelled_at;
  const stays = isLate || lead.state === "denied";
  return {
    ...lead,
    state: stays ? lead.state : "active",
    customer_since: lead.customer_since ?? day,
    cancelled_at: stays ? lead.cancelled_at : null,
    cancellation_id: stays ? lead.cancellation_id : null,
    plan_id: input.plan_id ?? lead.plan_id,
    subscription_id: subscriptionOf(lead, input) ?? lead.subscription_id,
    sales_count: lead.sales_count + 1,
  };
}

/** The lead may have been erased while the sale waited. */
function subscriptionOf(lead: Lead, { subscription_id }: NewSale): string | null {
  return isErased(lead) ? null : subscription_id;
}

/** Computes the sale's earnings, and marks the targets that it reaches. */
async function earn(
  tx: Transaction,
  account: Account,
  { customer, lead, sale, history }: { customer: Customer; lead: Lead; sale: Sale; history: CustomerHistory },
): Promise<{ earnings: Earning[]; applied: Reward[] }> {
  const isNewCustomer = customer.lead.customer_since === null || isRefundedCustomer(customer.lead);
  const counts = { isNewCustomer, amount_cents: sale.amount_cents };
  const tiers = await loadTiers(tx, customer, counts);
  const judged = { sale: { ...sale, currencyDigits: exponentOf(account.currency) ?? 2 }, tiers, history };
  const earnings = earningsOf({ ...judged, splits: await payableSplits(tx, lead) });
  const reached = earnings.filter(({ reward }) => reward.promoter_reward_type === "target");
  if (reached.length > 0) {
    const { promoterCampaign } = customer;
    const marks = reached.map(({ reward }) => ({ reward_id: reward.id, at: sale.created_at }));
    const targetsReached = [...promoterCampaign.targets_reached, ...marks];
    await tx.put(promoterCampaigns, { ...promoterCampaign, targets_reached: targetsReached });
  }
  return { earnings, applied: appliedRewards(judged) };
}
