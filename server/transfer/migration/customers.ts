import { NO_ORIGIN } from "../../domain/people/origin.ts";
import { namePayment, findObject } from "../../domain/ledger/billing/object.ts";
import type { BillingProvider } from "../../domain/ledger/billing/connection.ts";
import { withHistory } from "../../domain/people/lead/customer.ts";
import { leads, newLead, type Lead } from "../../domain/people/lead/lead.ts";
import { findLeadByEmail, findLeadByUid } from "../../domain/people/lead/search.ts";
import { sourceIdsOf } from "../../domain/program/migration/source-id.ts";
import { MAX_AMOUNT, share } from "../../domain/money.ts";
import { isMissing, missingRate, toAccountCurrency } from "../../domain/ledger/rate.ts";
import { findProductByPrice } from "../../domain/program/product.ts";
import type { PromoterCampaign } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { newRefund } from "../../domain/ledger/sale/refunded-sale.ts";
import { isTakenBack, refunds, sales, type Sale } from "../../domain/ledger/sale/sale.ts";
import { isoRange } from "../../domain/span.ts";
import { digest } from "../../storage/digests.ts";
import { onceRewardsOf } from "./campaigns.ts";
import { keep, ownId, type Added, type Result, type Step } from "./keep.ts";
import type { SourceCustomer, SourceSale } from "./model.ts";
import { placeOf } from "./places.ts";
import type { Plan } from "./plan.ts";

/** Imports a customer, or a lead who only signed up. */
export function importCustomer(step: Step, said: SourceCustomer): Promise<Result> {
  return keep<Lead>(step, {
    kind: "customer",
    id: said.id,
    said,
    table: leads,
    picture: (shown) => [
      shown.email,
      shown.uid,
      [shown.first_name, shown.last_name],
      shown.state,
      shown.plan_id,
      shown.subscription_id,
      shown.customer_since,
      shown.cancelled_at,
      shown.custom_fields,
    ],
    add: () => addCustomer(step, said),
    async change(before) {
      if (before.archived_at) return "was deleted here";
      const after = {
        ...before,
        ...datesOf(step, said),
        ...textsOf(said),
        ...(await freeNames(step, before, said)),
      };
      return withHistory(before, after, step.context.now.toISOString());
    },
  });
}

/** Whether the lead has bought something, as far as the source tells. */
export function isCustomer(plan: Plan, said: SourceCustomer): boolean {
  return datesOf({ plan }, said).customer_since !== null;
}

async function addCustomer(step: Step, said: SourceCustomer): Promise<Added<Lead> | string> {
  const { tx, context, account } = step;
  const owner = await placeOf(step, said);
  if (owner === null) return `customer ${said.id}: the promoter ${said.promoter_id} was not imported`;
  const known = await findPerson(step, said);
  if (known?.promoter_id === owner.promoter_id) return { record: known, is_found_here: true };
  const dates = datesOf(step, said);
  const blank = newLead({
    account_id: account.id,
    id: await context.store.nextId("lead"),
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    entry_source: said.entry_source,
    skip_email_notification: true,
    created_at: said.created_at,
    // Rewards for the first sale were already given.
    once_reward_ids: dates.customer_since === null ? [] : await onceRewardsOf(step, owner.campaign_id),
    ...dates,
    ...textsOf(said),
  });
  const splits = await splitsOf(step, said);
  const lead = { ...blank, ...(await freeNames(step, blank, said)), splits };
  const record = withHistory(null, lead, lead.customer_since ?? said.created_at);
  await tx.insert(leads, record);
  const remarks: string[] = [];
  if (said.email !== null && record.email === null)
    remarks.push(
      `customer ${said.id} has the e-mail address of another promoter's customer; later sales to that address are theirs`,
    );
  if (said.splits !== undefined && splits === null)
    remarks.push(
      `customer ${said.id}: the parts of others in the commissions can't be imported; enter them by hand`,
    );
  return { record, remark: remarks.join("; ") || undefined };
}

/** The parts of others. Null if there are none, or one of them was not imported. */
async function splitsOf(step: Step, { splits = [] }: SourceCustomer): Promise<Lead["splits"]> {
  const found: NonNullable<Lead["splits"]> = [];
  for (const { promoter_campaign_id: sourceId, percent_ten_thousandths } of splits) {
    const promoterCampaignId = await ownId(step, "promoter_campaign", sourceId);
    if (promoterCampaignId === null) return null;
    found.push({ promoter_campaign_id: promoterCampaignId, percent_ten_thousandths });
  }
  const total = found.reduce((sum, { percent_ten_thousandths }) => sum + percent_ten_thousandths, 0);
  return found.length === 0 || total > WHOLE ? null : found;
}

/** 100 % in ten-thousandths of a percent. */
const WHOLE = 1_000_000;

/** The lead with one of the customer's names, or null. */
async function findPerson({ tx, account }: Step, said: SourceCustomer): Promise<Lead | null> {
  const uid = uidOf(said);
  const byUid = uid === null ? null : await findLeadByUid(tx, account.id, uid);
  return byUid ?? (said.email === null ? null : await findLeadByEmail(tx, account.id, said.email));
}

/**
 * Renewals are matched by the billing provider's id, unless the company has its own ids. A customer without any name gets
 * the source's id, so that they can be found at all.
 */
function uidOf({ id, uid, billingId, email }: SourceCustomer): string | null {
  return uid ?? billingId ?? (email === null ? id : null);
}

/** The names that are not taken by another lead. */
async function freeNames(
  { tx }: Step,
  lead: Lead,
  said: SourceCustomer,
): Promise<Pick<Lead, "email" | "uid">> {
  const named = { ...lead, email: said.email, uid: uidOf(said) };
  if (named.email !== null && (await tx.isTaken(leads, "email", named))) named.email = null;
  if (named.uid !== null && (await tx.isTaken(leads, "uid", named))) named.uid = null;
  return { email: named.email, uid: named.uid };
}

function textsOf({ name, last_name = null, plan_id, subscription_id, custom_fields }: SourceCustomer) {
  return { first_name: name, last_name, plan_id, subscription_id, custom_fields };
}

/** A lead who has bought something is a customer, even if the source has no date for it. */
function datesOf(
  { plan }: Pick<Step, "plan">,
  said: SourceCustomer,
): Pick<Lead, "state" | "customer_since" | "cancelled_at"> {
  const bought = said.state === "active" || said.state === "cancelled" || said.state === "refunded";
  const since = said.customer_since ?? plan.firstSales.get(said.id) ?? (bought ? said.created_at : null);
  const state = said.state === "signup" && since !== null ? "active" : said.state;
  const cancelledAt =
    state === "cancelled" ? (said.cancelled_at ?? since ?? said.created_at) : said.cancelled_at;
  return { state, customer_since: since, cancelled_at: cancelledAt };
}

/** Imports a sale with its refunds. */
export function importSale(step: Step, said: SourceSale): Promise<Result> {
  return keep<Sale>(step, {
    kind: "sale",
    id: said.id,
    said,
    table: sales,
    picture: ({ original_amount, original_currency, refunded_original_amount, plan_id }) => [
      original_amount,
      original_currency,
      refunded_original_amount,
      plan_id,
    ],
    add: () => addSale(step, said),
    async change(before) {
      // Commissions were computed from its amount, so only refunds may be added.
      if (said.amount !== before.original_amount) return "commissions here were made of the former amount";
      if (said.refunded < before.refunded_original_amount) return "more of it is refunded here";
      return { ...before, ...refundedOf(before, said.refunded), plan_id: said.plan_id };
    },
    write: (before, after) => putRefunded(step, before, after),
  });
}

/** How far apart two programs may date the same payment. */
const SAME_PAYMENT_MS = 2 * 24 * 60 * 60 * 1_000;

/**
 * A sale of the lead that was recorded here and is the same payment, or null. Both programs have no common id of it, so it
 * is matched by amount and approximate time.
 */
async function findSamePayment({ tx, account }: Step, lead: Lead, said: SourceSale): Promise<Sale | null> {
  const at = Date.parse(said.created_at);
  const between = isoRange({ from: at - SAME_PAYMENT_MS, before: at + SAME_PAYMENT_MS });
  for (const sale of await tx.view.page(sales, "lead", account.id, [lead.id], {
    limit: MOST_SAME,
    between,
  })) {
    const currency = sale.original_currency ?? account.currency;
    if (
      sale.original_amount !== said.amount ||
      currency !== (said.currency?.toUpperCase() ?? account.currency)
    )
      continue;
    if ((await sourceIdsOf(tx.view, account.id, { kind: "sale", record_id: sale.id })).length === 0)
      return sale;
  }
  return null;
}

/** Customers don't pay more often in so few days. */
const MOST_SAME = 20;

async function addSale(step: Step, said: SourceSale): Promise<Added<Sale> | string> {
  const { tx, context, account } = step;
  const leadId = await ownId(step, "customer", said.customerId);
  const lead = leadId === null ? null : await tx.get(leads, account.id, leadId);
  if (lead === null) return `sale ${said.id}: its customer ${said.customerId} was not imported`;
  const owner = await placeOf(step, said);
  if (owner === null) return `sale ${said.id}: its promoter ${said.promoter_id} was not imported`;
  const named = said.event_id ?? said.id;
  const known = await findRecorded(step, named);
  if (
    known !== null &&
    (await sourceIdsOf(tx.view, account.id, { kind: "sale", record_id: known.id })).length === 0
  )
    return { record: known, is_found_here: true };
  const same = said.event_id === null ? await findSamePayment(step, lead, said) : null;
  if (same !== null) {
    const remark = `sale ${said.id} is taken for sale ${same.event_id}, which was recorded here`;
    return { record: same, is_found_here: true, remark };
  }
  const money = await toAccountCurrency(tx, account, { ...said, at: new Date(said.created_at) });
  if (isMissing(money)) return `sale ${said.id}: ${missingRate(money)}`;
  if (said.amount < 0 || money.cents > MAX_AMOUNT || said.refunded > said.amount)
    return `sale ${said.id}: its amount of ${said.amount}, or ${said.refunded} of that refunded, can't be`;
  const product = said.plan_id === null ? null : await findProductByPrice(tx, account.id, said.plan_id);
  const blank: Sale = {
    ...owned(owner, lead),
    id: await context.store.nextId("event"),
    ...NO_ORIGIN,
    // Two sales of the source may name the same charge.
    event_id: known === null ? named : `${named} ${said.id}`,
    amount_cents: money.cents,
    original_amount: money.original_amount,
    original_currency: money.original_currency,
    quantity: 1,
    plan_id: said.plan_id,
    product_id: product?.id ?? null,
    billing_period: null,
    mrr_cents: null,
    referral_reward_id: null,
    commission_ids: [],
    refunded_cents: 0,
    refunded_original_amount: 0,
    created_at: said.created_at,
  };
  await tx.insert(sales, blank);
  await tx.put(leads, { ...lead, sales_count: lead.sales_count + 1 });
  const record = await putRefunded(step, blank, { ...blank, ...refundedOf(blank, said.refunded) });
  await nameCustomer(step, record, said);
  return { record };
}

function owned(
  { id: promoterCampaignId, promoter_id, campaign_id, account_id }: PromoterCampaign,
  lead: Lead,
) {
  return { account_id, promoter_campaign_id: promoterCampaignId, promoter_id, campaign_id, lead_id: lead.id };
}

/** The sale that was recorded here for this payment under any id, or null. */
async function findRecorded({ tx, account }: Step, eventId: string): Promise<Sale | null> {
  const known = await tx.find(sales, "event", account.id, [digest(eventId)]);
  const provider = providerOf(eventId);
  if (known !== null || provider === null) return known;
  const object = await findObject(tx, account.id, { provider, id: eventId });
  const name = object?.sale_event_id ?? null;
  return name === null ? null : tx.find(sales, "event", account.id, [digest(name)]);
}

function refundedOf(sale: Sale, refunded: number): Pick<Sale, "refunded_cents" | "refunded_original_amount"> {
  const isWhole = refunded === sale.original_amount;
  const refundedCents = isWhole
    ? sale.amount_cents
    : share(sale.amount_cents, refunded, Math.max(1, sale.original_amount));
  return { refunded_cents: refundedCents, refunded_original_amount: refunded };
}

/**
 * Writes a sale with the amount that was refunded since.
 *
 * @see docs/spec/money.md "History of another program", 5
 */
async function putRefunded({ tx, context, account }: Step, before: Sale, after: Sale): Promise<Sale> {
  const amountCents = after.refunded_cents - before.refunded_cents;
  const originalAmount = after.refunded_original_amount - before.refunded_original_amount;
  if (originalAmount > 0) {
    const id = await context.store.nextId("event");
    const eventId = `${after.event_id} refunded ${after.refunded_original_amount}`;
    const { original_currency, created_at } = after;
    await tx.insert(
      refunds,
      newRefund(after, {
        id,
        event_id: eventId,
        amount_cents: amountCents,
        original_amount: originalAmount,
        original_currency,
        created_at,
      }),
    );
  }
  if (after !== before) await tx.put(sales, after);
  const change = Number(isTakenBack(after)) - Number(isTakenBack(before));
  const lead = change === 0 ? null : await tx.get(leads, account.id, after.lead_id);
  if (lead !== null)
    await tx.put(leads, { ...lead, refunded_sales_count: lead.refunded_sales_count + change });
  return after;
}

/** Renewals name the billing provider's customer. If the lead has another uid, this sale links the customer to it. */
async function nameCustomer(
  { tx, account, plan }: Step,
  sale: Sale,
  { customerId }: SourceSale,
): Promise<void> {
  const billingId = plan.billingIds.get(customerId);
  const provider = billingId === undefined ? null : providerOf(billingId);
  if (billingId === undefined || provider === null) return;
  const naming = { provider, objects: [sale.event_id], owners: [billingId], parts: null };
  await namePayment(tx, account.id, naming);
}

/** The billing provider that uses such ids, or null if unknown. */
function providerOf(id: string): BillingProvider | null {
  if (/^(ch|py|pi|in|cus|sub)_/.test(id)) return "stripe";
  return /^(txn|ctm|sub)_/.test(id) ? "paddle" : null;
}
