import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { loadNamedOwner, type Imported, type PromoterName } from "../../people/lead/creation.ts";
import { withHistory } from "../../people/lead/customer.ts";
import { leads, newLead, type Lead } from "../../people/lead/lead.ts";
import { findKnownLead } from "../../people/lead/search.ts";
import { MAX_AMOUNT } from "../../money.ts";
import { isMissing, missingRate, toAccountCurrency } from "../rate.ts";
import { sales, type Sale } from "./sale.ts";

/** A sale of another program. Null fields are unknown. */
export interface ImportedSale extends PromoterName {
  /** The whole line, plus a number to distinguish equal lines. */
  source: string;
  email: string | null;
  uid: string | null;
  eventId: string | null;
  /** In the minor unit of its currency. */
  amount: number;
  /** ISO 4217 code, or null for the account's currency. */
  currency: string | null;
  planId: string | null;
  createdAt: Date | null;
}

/**
 * Imports a sale of another program once. It earns nothing here, because its commissions are imported
 * separately. A commission of the same event and lead that was imported before is attached to the sale, so
 * that a later refund takes it back and reports count the sale once. An unknown customer becomes a lead if
 * the promoter is named.
 *
 * @throws Failure `missing`, `not_found` for an unknown customer or promoter, `rule_broken` without an
 * exchange rate, `invalid` if its amount differs from the first import
 */
export async function importSale(context: Context, account: Account, input: ImportedSale): Promise<Imported> {
  const { store, now } = context;
  const ids = { saleId: await store.nextId("event"), leadId: await store.nextId("lead") };
  const at = input.createdAt ?? now;
  return store.transact(async (tx) => {
    const eventId = input.eventId ?? `import-${digest(input.source)}`;
    const known = await tx.find(sales, "event", account.id, [digest(eventId)]);
    if (known !== null) return sameSale(known, input);
    const lead = await loadCustomer(tx, account, { id: ids.leadId, input, at });
    const currency = input.currency ?? account.currency;
    const money = await toAccountCurrency(tx, account, { amount: input.amount, currency, at });
    if (isMissing(money)) throw new Failure("rule_broken", missingRate(money));
    if (money.cents > MAX_AMOUNT) throw new Failure("invalid", "amount is too large");
    const createdAt = at.toISOString();
    const own = await commissionsOf(tx, lead, eventId);
    await tx.insert(sales, {
      accountId: account.id,
      id: ids.saleId,
      promoterCampaignId: lead.promoterCampaignId,
      promoterId: lead.promoterId,
      campaignId: lead.campaignId,
      leadId: lead.id,
      origin: lead.origin,
      eventId,
      amountCents: money.cents,
      originalAmount: money.originalAmount,
      originalCurrency: money.originalCurrency,
      quantity: 1,
      planId: input.planId,
      productId: null,
      billingPeriod: null,
      mrrCents: null,
      referralRewardId: null,
      commissionIds: own.map(({ id }) => id),
      refundedCents: 0,
      refundedOriginalAmount: 0,
      createdAt,
    });
    for (const commission of own) await tx.put(commissions, { ...commission, saleId: ids.saleId });
    const bought: Lead = {
      ...lead,
      // An import does not lift a denial or a cancellation.
      state: lead.customerSince === null && lead.state !== "denied" ? "active" : lead.state,
      customerSince:
        lead.customerSince !== null && lead.customerSince < createdAt ? lead.customerSince : createdAt,
      planName: lead.planName ?? input.planId,
      salesCount: lead.salesCount + 1,
    };
    await tx.put(leads, withHistory(lead, bought, createdAt));
    return "added";
  });
}

/** Attaches an imported commission to its sale, if that was imported. Refunds stay separate. */
export async function joinSale(tx: Transaction, commission: Commission): Promise<Commission> {
  const { accountId, eventId, leadId, saleCents } = commission;
  if (eventId === null || leadId === null || saleCents < 0 || commission.amount < 0) return commission;
  const sale = await tx.find(sales, "event", accountId, [digest(eventId)]);
  if (sale?.leadId !== leadId) return commission;
  await tx.put(sales, { ...sale, commissionIds: [...sale.commissionIds, commission.id] });
  return { ...commission, saleId: sale.id };
}

function sameSale(known: Sale, { amount }: ImportedSale): Imported {
  if (known.originalAmount === amount) return "known";
  throw new Failure("invalid", `the sale ${known.eventId} is known with another amount`);
}

async function loadCustomer(
  tx: Transaction,
  account: Account,
  { id, input, at }: { id: number; input: ImportedSale; at: Date },
): Promise<Lead> {
  const { email, uid, refToken, promoterEmail } = input;
  const details = { email, uid, username: null, firstName: null, lastName: null, website: null };
  const whole = { ...details, customFields: null, subId: null };
  const known = await findKnownLead(tx, account.id, whole);
  if (known !== null) return known;
  if (refToken === null && promoterEmail === null)
    throw new Failure("not_found", "the customer was not found, and no promoter is named");
  const owner = await loadNamedOwner(tx, account.id, input);
  return newLead({
    accountId: account.id,
    id,
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    state: "signup",
    ...whole,
    skipEmailNotification: true,
    createdAt: at.toISOString(),
  });
}

/** The commissions of an event that were imported before their sale. */
async function commissionsOf(tx: Transaction, lead: Lead, eventId: string): Promise<Commission[]> {
  const ofEvent = await tx.view.page(commissions, "event", lead.accountId, [digest(eventId)], { limit: 100 });
  return ofEvent.filter(
    ({ leadId, saleId, saleCents, amount }) =>
      leadId === lead.id && saleId === null && saleCents >= 0 && amount >= 0,
  );
}
