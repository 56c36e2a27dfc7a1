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
      [shown.firstName, shown.lastName],
      shown.state,
      shown.planName,
      shown.subscriptionId,
      shown.customerSince,
      shown.cancelledAt,
      shown.customFields,
    ],
    add: () => addCustomer(step, said),
    async change(before) {
      if (before.archivedAt) return "was deleted here";
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
  return datesOf({ plan }, said).customerSince !== null;
}

async function addCustomer(step: Step, said: SourceCustomer): Promise<Added<Lead> | string> {
  const { tx, context, account } = step;
  const owner = await placeOf(step, said);
  if (owner === null) return `customer ${said.id}: the promoter ${said.promoterId} was not imported`;
  const known = await findPerson(step, said);
  if (known?.promoterId === owner.promoterId) return { record: known, isFoundHere: true };
  const dates = datesOf(step, said);
  const blank = newLead({
    accountId: account.id,
    id: await context.store.nextId("lead"),
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    entrySource: said.entrySource,
    skipEmailNotification: true,
    createdAt: said.createdAt,
    // Rewards for the first sale were already given.
    onceRewardIds: dates.customerSince === null ? [] : await onceRewardsOf(step, owner.campaignId),
    ...dates,
    ...textsOf(said),
  });
  const splits = await splitsOf(step, said);
  const lead = { ...blank, ...(await freeNames(step, blank, said)), splits };
  const record = withHistory(null, lead, lead.customerSince ?? said.createdAt);
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
  for (const { promoterCampaignId: sourceId, percentTenThousandths } of splits) {
    const promoterCampaignId = await ownId(step, "promoter_campaign", sourceId);
    if (promoterCampaignId === null) return null;
    found.push({ promoterCampaignId, percentTenThousandths });
  }
  const total = found.reduce((sum, { percentTenThousandths }) => sum + percentTenThousandths, 0);
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

function textsOf({ name, lastName = null, planId, subscriptionId, customFields }: SourceCustomer) {
  return { firstName: name, lastName, planName: planId, subscriptionId, customFields };
}

/** A lead who has bought something is a customer, even if the source has no date for it. */
function datesOf(
  { plan }: Pick<Step, "plan">,
  said: SourceCustomer,
): Pick<Lead, "state" | "customerSince" | "cancelledAt"> {
  const bought = said.state === "active" || said.state === "cancelled" || said.state === "refunded";
  const since = said.customerSince ?? plan.firstSales.get(said.id) ?? (bought ? said.createdAt : null);
  const state = said.state === "signup" && since !== null ? "active" : said.state;
  const cancelledAt =
    state === "cancelled" ? (said.cancelledAt ?? since ?? said.createdAt) : said.cancelledAt;
  return { state, customerSince: since, cancelledAt };
}

/** Imports a sale with its refunds. */
export function importSale(step: Step, said: SourceSale): Promise<Result> {
  return keep<Sale>(step, {
    kind: "sale",
    id: said.id,
    said,
    table: sales,
    picture: ({ originalAmount, originalCurrency, refundedOriginalAmount, planId }) => [
      originalAmount,
      originalCurrency,
      refundedOriginalAmount,
      planId,
    ],
    add: () => addSale(step, said),
    async change(before) {
      // Commissions were computed from its amount, so only refunds may be added.
      if (said.amount !== before.originalAmount) return "commissions here were made of the former amount";
      if (said.refunded < before.refundedOriginalAmount) return "more of it is refunded here";
      return { ...before, ...refundedOf(before, said.refunded), planId: said.planId };
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
  const at = Date.parse(said.createdAt);
  const between = isoRange({ from: at - SAME_PAYMENT_MS, before: at + SAME_PAYMENT_MS });
  for (const sale of await tx.view.page(sales, "lead", account.id, [lead.id], {
    limit: MOST_SAME,
    between,
  })) {
    const currency = sale.originalCurrency ?? account.currency;
    if (
      sale.originalAmount !== said.amount ||
      currency !== (said.currency?.toUpperCase() ?? account.currency)
    )
      continue;
    if ((await sourceIdsOf(tx.view, account.id, { kind: "sale", recordId: sale.id })).length === 0)
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
  if (owner === null) return `sale ${said.id}: its promoter ${said.promoterId} was not imported`;
  const named = said.eventId ?? said.id;
  const known = await findRecorded(step, named);
  if (
    known !== null &&
    (await sourceIdsOf(tx.view, account.id, { kind: "sale", recordId: known.id })).length === 0
  )
    return { record: known, isFoundHere: true };
  const same = said.eventId === null ? await findSamePayment(step, lead, said) : null;
  if (same !== null) {
    const remark = `sale ${said.id} is taken for sale ${same.eventId}, which was recorded here`;
    return { record: same, isFoundHere: true, remark };
  }
  const money = await toAccountCurrency(tx, account, { ...said, at: new Date(said.createdAt) });
  if (isMissing(money)) return `sale ${said.id}: ${missingRate(money)}`;
  if (said.amount < 0 || money.cents > MAX_AMOUNT || said.refunded > said.amount)
    return `sale ${said.id}: its amount of ${said.amount}, or ${said.refunded} of that refunded, can't be`;
  const product = said.planId === null ? null : await findProductByPrice(tx, account.id, said.planId);
  const blank: Sale = {
    ...owned(owner, lead),
    id: await context.store.nextId("event"),
    origin: null,
    // Two sales of the source may name the same charge.
    eventId: known === null ? named : `${named} ${said.id}`,
    amountCents: money.cents,
    originalAmount: money.originalAmount,
    originalCurrency: money.originalCurrency,
    quantity: 1,
    planId: said.planId,
    productId: product?.id ?? null,
    billingPeriod: null,
    mrrCents: null,
    referralRewardId: null,
    commissionIds: [],
    refundedCents: 0,
    refundedOriginalAmount: 0,
    createdAt: said.createdAt,
  };
  await tx.insert(sales, blank);
  await tx.put(leads, { ...lead, salesCount: lead.salesCount + 1 });
  const record = await putRefunded(step, blank, { ...blank, ...refundedOf(blank, said.refunded) });
  await nameCustomer(step, record, said);
  return { record };
}

function owned({ id: promoterCampaignId, promoterId, campaignId, accountId }: PromoterCampaign, lead: Lead) {
  return { accountId, promoterCampaignId, promoterId, campaignId, leadId: lead.id };
}

/** The sale that was recorded here for this payment under any id, or null. */
async function findRecorded({ tx, account }: Step, eventId: string): Promise<Sale | null> {
  const known = await tx.find(sales, "event", account.id, [digest(eventId)]);
  const provider = providerOf(eventId);
  if (known !== null || provider === null) return known;
  const object = await findObject(tx, account.id, { provider, id: eventId });
  const name = object?.saleEventId ?? null;
  return name === null ? null : tx.find(sales, "event", account.id, [digest(name)]);
}

function refundedOf(sale: Sale, refunded: number): Pick<Sale, "refundedCents" | "refundedOriginalAmount"> {
  const isWhole = refunded === sale.originalAmount;
  const refundedCents = isWhole
    ? sale.amountCents
    : share(sale.amountCents, refunded, Math.max(1, sale.originalAmount));
  return { refundedCents, refundedOriginalAmount: refunded };
}

/**
 * Writes a sale with the amount that was refunded since.
 *
 * @see docs/spec/money.md "History of another program", 5
 */
async function putRefunded({ tx, context, account }: Step, before: Sale, after: Sale): Promise<Sale> {
  const amountCents = after.refundedCents - before.refundedCents;
  const originalAmount = after.refundedOriginalAmount - before.refundedOriginalAmount;
  if (originalAmount > 0) {
    const id = await context.store.nextId("event");
    const eventId = `${after.eventId} refunded ${after.refundedOriginalAmount}`;
    const { originalCurrency, createdAt } = after;
    await tx.insert(
      refunds,
      newRefund(after, { id, eventId, amountCents, originalAmount, originalCurrency, createdAt }),
    );
  }
  if (after !== before) await tx.put(sales, after);
  const change = Number(isTakenBack(after)) - Number(isTakenBack(before));
  const lead = change === 0 ? null : await tx.get(leads, account.id, after.leadId);
  if (lead !== null) await tx.put(leads, { ...lead, refundedSalesCount: lead.refundedSalesCount + change });
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
  const naming = { provider, objects: [sale.eventId], owners: [billingId], parts: null };
  await namePayment(tx, account.id, naming);
}

/** The billing provider that uses such ids, or null if unknown. */
function providerOf(id: string): BillingProvider | null {
  if (/^(ch|py|pi|in|cus|sub)_/.test(id)) return "stripe";
  return /^(txn|ctm|sub)_/.test(id) ? "paddle" : null;
}
