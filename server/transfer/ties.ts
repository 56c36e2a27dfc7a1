import { leads, type Lead } from "../domain/lead/lead.ts";
import { isTakenBack, refunds, sales, type Refund, type Sale } from "../domain/sale/sale.ts";
import {
  deliveries,
  destinationOf,
  isOpen,
  lanes,
  type Delivery,
  type Lane,
} from "../domain/webhook/delivery.ts";
import type { AnyRecord, AnyTable } from "../tables.ts";

/** A number that one record says of others, and what the others add up to. A check compares the two. */
export interface Tie {
  /** The number's name: `the sales of lead 7`. */
  of: string;
  /** The record's own statement. */
  said: number;
  /** The amount that the record adds as one of the others. */
  counted: number;
}

/** The numbers that a record says, or that it adds to. */
export function tiesOf(from: AnyTable, record: AnyRecord): Tie[] {
  if (from.name === leads.name) return tiesOfLead(record as Lead);
  if (from.name === sales.name) return tiesOfSale(record as Sale);
  if (from.name === refunds.name) return tiesOfRefund(record as Refund);
  if (from.name === lanes.name) return tiesOfLane(record as Lane);
  if (from.name === deliveries.name) return tiesOfDelivery(record as Delivery);
  return [];
}

function tiesOfLead({ id, salesCount, refundedSalesCount }: Lead): Tie[] {
  // Most leads have none, and need no memory. Sales of such a lead are found as too many.
  if (salesCount === 0 && refundedSalesCount === 0) return [];
  return [
    { of: salesOf(id), said: salesCount, counted: 0 },
    { of: refundedSalesOf(id), said: refundedSalesCount, counted: 0 },
  ];
}

function tiesOfSale(sale: Sale): Tie[] {
  const { id, leadId, refundedCents } = sale;
  return [
    { of: salesOf(leadId), said: 0, counted: sale.isDuplicate ? 0 : 1 },
    { of: refundedSalesOf(leadId), said: 0, counted: isTakenBack(sale) ? 1 : 0 },
    { of: refundedCentsOf(id), said: refundedCents, counted: 0 },
  ];
}

function tiesOfRefund({ saleId, amountCents }: Refund): Tie[] {
  return [{ of: refundedCentsOf(saleId), said: 0, counted: amountCents }];
}

function tiesOfLane({ destination, lane, count }: Lane): Tie[] {
  return [{ of: openIn(destination, lane), said: count, counted: 0 }];
}

function tiesOfDelivery(delivery: Delivery): Tie[] {
  if (!isOpen(delivery)) return [];
  return [{ of: openIn(destinationOf(delivery), delivery.lane), said: 0, counted: 1 }];
}

function salesOf(leadId: number): string {
  return `the sales of lead ${leadId}`;
}

function refundedSalesOf(leadId: number): string {
  return `the refunded sales of lead ${leadId}`;
}

function refundedCentsOf(saleId: number): string {
  return `the refunded cents of sale ${saleId}`;
}

function openIn(destination: string, lane: string): string {
  return `the open deliveries to ${destination} in lane ${lane}`;
}
