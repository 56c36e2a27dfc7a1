import type { ArchivedRows, SourceRecord } from "../model.ts";
import { readRows, type Remarks } from "../shapes.ts";
import {
  commissionShape,
  payoutCommissionShape,
  payoutShape,
  type Commission,
  type Payout,
} from "./firstpromoter-answers.ts";

/** What is read from one list and needed for others. */
export interface Reading {
  archive: ArchivedRows;
  remarks: Remarks;
  /** The record of each referral, or null if it is left out. */
  customers: Map<string, string | null>;
  /** The sales by the ids of their events. */
  sales: Map<string, Sale>;
  /** The payout of each commission. */
  payouts: Map<string, string>;
  /** The sum and the latest date of each payout's commissions. */
  paid: Map<string, { amount: number; at: string }>;
}

/** A sale consists of its commissions: one for each tier and part, and negative ones for refunds. */
interface Sale {
  first: Commission;
  /** What was taken back from each promoter and tier. Each of them has the whole refund. */
  refunds: Map<string, number>;
}

function commissionRows(reading: Reading): AsyncGenerator<Commission> {
  return readRows(reading, { list: "commissions", shape: commissionShape, noun: "Commission" });
}

/** Finds the sales, and the payouts of the commissions. */
export async function noteSales(reading: Reading): Promise<void> {
  const { sales, payouts, paid } = reading;
  const asked = { named: (row: Record<string, unknown>) => [row["payout_id"], row["payout"]] };
  const ofPayouts = { list: "payout-commissions", shape: payoutCommissionShape, noun: "Commission", asked };
  for await (const { id, of } of readRows(reading, ofPayouts)) payouts.set(id, of);
  for await (const row of commissionRows(reading)) {
    const payout = payouts.get(row.id);
    if (payout !== undefined) {
      const { amount, at } = paid.get(payout) ?? { amount: 0, at: "" };
      paid.set(payout, { amount: amount + row.amount, at: at > row.created_at ? at : row.created_at });
    }
    if (row.event_id !== null) noteSale(sales, row.event_id, row);
  }
}

function noteSale(sales: Map<string, Sale>, event: string, row: Commission): void {
  const { tier, sale_amount: sold, promoter_campaign: place } = row;
  const sale = sales.get(event) ?? { first: row, refunds: new Map<string, number>() };
  sales.set(event, sale);
  const isRefund = row.amount < 0 || (sold ?? 0) < 0;
  if (isRefund) {
    const group = `${place.promoter_id} ${place.campaign_id} ${tier}`;
    sale.refunds.set(group, (sale.refunds.get(group) ?? 0) + Math.abs(sold ?? 0));
  } else if (isBefore(row, sale.first)) sale.first = row;
}

/** The sale belongs to the promoter of the lowest tier. */
function isBefore(row: Commission, other: Commission): boolean {
  return other.amount < 0 || (row.tier ?? 1) < (other.tier ?? 1);
}

/** The record of a commission's referral. */
function customerOf({ customers }: Reading, { referral }: Commission): string | null {
  return referral === null ? null : (customers.get(referral) ?? null);
}

/** Whether an event of a commission is a record of its own. */
function isSale(reading: Reading, { first }: Sale): boolean {
  const { amount, sale_amount: sold, promoter_campaign: place } = first;
  return amount >= 0 && sold !== null && place.promoter_id !== null && customerOf(reading, first) !== null;
}

export async function* sales(reading: Reading): AsyncGenerator<SourceRecord> {
  for (const [event, sale] of reading.sales) {
    if (!isSale(reading, sale)) continue;
    const { first, refunds } = sale;
    const { promoter_id, campaign_id } = first.promoter_campaign;
    const [sold, original, currency] = [
      first.sale_amount!,
      first.original_sale_amount,
      first.original_sale_currency,
    ];
    const isOriginal = original !== null && currency !== null;
    const refunded = Math.min(sold, Math.max(0, ...refunds.values()));
    yield {
      kind: "sale",
      id: event,
      event_id: event,
      customerId: customerOf(reading, first)!,
      promoter_id: promoter_id!,
      campaign_id,
      amount: isOriginal ? original : sold,
      currency: isOriginal ? currency : null,
      // Refunds are also in the program's currency.
      refunded: isOriginal && sold > 0 ? Math.round((refunded * original) / sold) : refunded,
      plan_id: first.plan_id,
      created_at: first.created_at,
    };
  }
}

export async function* commissions(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of commissionRows(reading)) {
    const { promoter_id, campaign_id } = row.promoter_campaign;
    if (promoter_id === null) {
      reading.remarks.add(
        `commission:${row.id}`,
        `Commission ${row.id} of ${row.amount} (${row.unit}) has no promoter.`,
      );
      continue;
    }
    const sale = row.event_id === null ? undefined : reading.sales.get(row.event_id);
    yield {
      kind: "commission",
      id: row.id,
      sale_id: sale && isSale(reading, sale) ? row.event_id : null,
      customerId: customerOf(reading, row),
      promoter_id,
      campaign_id,
      unit: row.unit,
      amount: row.amount,
      // In the program's currency, which is in no answer.
      currency: null,
      status: row.status,
      isPaid: row.is_paid,
      payout_id: reading.payouts.get(row.id) ?? null,
      tier_level: Math.max(1, row.tier ?? 1),
      note: null,
      created_at: row.created_at,
      paid_at: null,
    };
  }
}

export async function* payouts(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "payouts", shape: payoutShape, noun: "Payout" };
  for await (const row of readRows(reading, list)) {
    const paid = reading.paid.get(row.id);
    const amount = paid?.amount ?? Math.round(row.amount);
    const createdAt = row.created_at ?? row.paid_at ?? paid?.at ?? row.period_end;
    const shown = `Payout ${row.id} of ${row.amount} (${row.unit}, ${row.status})`;
    if (row.promoter === null || createdAt === null) {
      reading.remarks.add(`payout:${row.id}`, `${shown} lacks its promoter or its date.`);
      continue;
    }
    // It is undocumented whether a payout is in cents, but its commissions are.
    if (paid && row.amount !== amount && Math.round(row.amount * 100) !== amount) {
      reading.remarks.add(`payout:${row.id}`, `${shown} is not the sum of its commissions, ${amount}.`);
    }
    yield {
      kind: "payout",
      id: row.id,
      promoter_id: row.promoter,
      campaign_id: row.campaign,
      unit: row.unit,
      amount,
      currency: null,
      status: row.status,
      method: methodOf(row),
      error: row.error,
      period_start: row.period_start,
      period_end: row.period_end,
      created_at: createdAt,
      paid_at: row.paid_at,
    };
  }
}

function methodOf({ payout_method: given }: Payout) {
  const named = typeof given === "object" && given !== null ? (given as { method?: unknown }).method : given;
  if (named === "paypal" || named === "wise" || named === "bank" || named === "crypto") return named;
  return typeof named === "string" ? "custom" : null;
}
