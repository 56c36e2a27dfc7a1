import { originIn } from "../../people/origin.ts";
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
  event_id: string | null;
  /** In the minor unit of its currency. */
  amount: number;
  /** ISO 4217 code, or null for the account's currency. */
  currency: string | null;
  plan_id: string | null;
  created_at: Date | null;
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
  const ids = { sale_id: await store.nextId("event"), lead_id: await store.nextId("lead") };
  const at = input.created_at ?? now;
  return store.transact(async (tx) => {
    const eventId = input.event_id ?? `import-${digest(input.source)}`;
    const known = await tx.find(sales, "event", account.id, [digest(eventId)]);
    if (known !== null) return sameSale(known, input);
    const lead = await loadCustomer(tx, account, { id: ids.lead_id, input, at });
    const currency = input.currency ?? account.currency;
    const money = await toAccountCurrency(tx, account, { amount: input.amount, currency, at });
    if (isMissing(money)) throw new Failure("rule_broken", missingRate(money));
    if (money.cents > MAX_AMOUNT) throw new Failure("invalid", "amount is too large");
    const createdAt = at.toISOString();
    const own = await commissionsOf(tx, lead, eventId);
    await tx.insert(sales, {
      account_id: account.id,
      id: ids.sale_id,
      promoter_campaign_id: lead.promoter_campaign_id,
      promoter_id: lead.promoter_id,
      campaign_id: lead.campaign_id,
      lead_id: lead.id,
      ...originIn(lead),
      event_id: eventId,
      amount_cents: money.cents,
      original_amount: money.original_amount,
      original_currency: money.original_currency,
      quantity: 1,
      plan_id: input.plan_id,
      product_id: null,
      billing_period: null,
      mrr_cents: null,
      referral_reward_id: null,
      commission_ids: own.map(({ id }) => id),
      refunded_cents: 0,
      refunded_original_amount: 0,
      created_at: createdAt,
    });
    for (const commission of own) await tx.put(commissions, { ...commission, sale_id: ids.sale_id });
    const bought: Lead = {
      ...lead,
      // An import does not lift a denial or a cancellation.
      state: lead.customer_since === null && lead.state !== "denied" ? "active" : lead.state,
      customer_since:
        lead.customer_since !== null && lead.customer_since < createdAt ? lead.customer_since : createdAt,
      plan_id: lead.plan_id ?? input.plan_id,
      sales_count: lead.sales_count + 1,
    };
    await tx.put(leads, withHistory(lead, bought, createdAt));
    return "added";
  });
}

/** Attaches an imported commission to its sale, if that was imported. Refunds stay separate. */
export async function joinSale(tx: Transaction, commission: Commission): Promise<Commission> {
  const { account_id, event_id, lead_id, sale_amount } = commission;
  if (event_id === null || lead_id === null || sale_amount < 0 || commission.amount < 0) return commission;
  const sale = await tx.find(sales, "event", account_id, [digest(event_id)]);
  if (sale?.lead_id !== lead_id) return commission;
  await tx.put(sales, { ...sale, commission_ids: [...sale.commission_ids, commission.id] });
  return { ...commission, sale_id: sale.id };
}

function sameSale(known: Sale, { amount }: ImportedSale): Imported {
  if (known.original_amount === amount) return "known";
  throw new Failure("invalid", `the sale ${known.event_id} is known with another amount`);
}

async function loadCustomer(
  tx: Transaction,
  account: Account,
  { id, input, at }: { id: number; input: ImportedSale; at: Date },
): Promise<Lead> {
  const { email, uid, ref_token, promoterEmail } = input;
  const details = { email, uid, username: null, first_name: null, last_name: null, website: null };
  const whole = { ...details, custom_fields: null, sub_id: null };
  const known = await findKnownLead(tx, account.id, whole);
  if (known !== null) return known;
  if (ref_token === null && promoterEmail === null)
    throw new Failure("not_found", "the customer was not found, and no promoter is named");
  const owner = await loadNamedOwner(tx, account.id, input);
  return newLead({
    account_id: account.id,
    id,
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    state: "signup",
    ...whole,
    skip_email_notification: true,
    created_at: at.toISOString(),
  });
}

/** The commissions of an event that were imported before their sale. */
async function commissionsOf(tx: Transaction, lead: Lead, eventId: string): Promise<Commission[]> {
  const ofEvent = await tx.view.page(commissions, "event", lead.account_id, [digest(eventId)], {
    limit: 100,
  });
  return ofEvent.filter(
    ({ lead_id, sale_id, sale_amount, amount }) =>
      lead_id === lead.id && sale_id === null && sale_amount >= 0 && amount >= 0,
  );
}
