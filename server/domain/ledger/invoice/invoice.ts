import { sql, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Payout } from "../payout/payout.ts";

export const INVOICE_STATUSES = ["draft", "open", "paid", "voided"] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

const invoiceFields = {
  id: integer(),
  kind: text<"invoice" | "credit_note">(),
  /** A credit note is always `paid`. */
  status: text<InvoiceStatus>(),
  promoter_id: integer(),
  payout_ids: json<number[]>(),
  currency: text(),
  /** In hundredths of a percent. All its payouts have this rate. */
  tax_rate_hundredths: integer(),
  /** Without tax, in the currency's minor unit. Negative for a credit note. */
  total_cents: integer(),
  total_incl_tax_cents: integer(),
  /** Such as `AFF-2026-000001`, or null for a draft. It never changes. */
  number: text().nullable(),
  /** The year of its series, and its place in it, from 1. Null for a draft. */
  year: integer().nullable(),
  place: integer().nullable(),
  /** The calendar day of its number in the account's time zone, or null for a draft. */
  date: text().nullable(),
  /** The paper as it was sent: what it says, and the HTML of `markup.ts` that shows it. Null for a draft. */
  details: json<{ paper: Paper; html: string }>().nullable(),
  /** The invoice that this credit note cancels. Null for an invoice. */
  credited_invoice_id: integer().nullable(),
  /** The credit note that cancels this invoice, or null. */
  credit_note_id: integer().nullable(),
  created_at: time(),
};

/**
 * An invoice that the company writes in a promoter's name, about payouts that it has paid, or the credit note that
 * cancels one.
 *
 * @see docs/spec/money.md "Invoices"
 */
export type Invoice = RowOf<typeof invoiceFields>;

/** A party on the paper. */
export interface PaperParty {
  name: string;
  address: string;
  /** Two-letter code. */
  country: string | null;
  vat_id: string | null;
  /** The company's tax number, or the promoter's registration number. */
  number: string | null;
}

/** A payout on the paper. Amounts are in the currency's minor unit. */
export interface PaperLine {
  payout_id: number;
  campaign: string;
  /** Calendar days. */
  period_start: string;
  period_end: string;
  cents: number;
}

/** Everything that the paper says. */
export interface Paper extends Pick<
  Invoice,
  "kind" | "number" | "date" | "currency" | "tax_rate_hundredths" | "total_cents" | "total_incl_tax_cents"
> {
  /** The language of its words, and of those of its credit note. Absent: English. */
  language?: Language;
  /** The number of the invoice that a credit note cancels. */
  credited_number: string | null;
  /** The calendar day of the promoter's agreement, and the version of its text. Null: not yet. */
  agreement: { version: number; date: string } | null;
  company: PaperParty;
  promoter: PaperParty;
  lines: PaperLine[];
}

export const invoices = table("invoice", invoiceFields, {
  few: ["status"],
  unique: { number: ["number"], place: ["year", "place"] },
  indexes: {
    status: { on: ["status"] },
    promoter: { on: ["promoter_id"] },
  },
});

/** The last number of a year. It is locked to draw the next one. */
const invoiceSeriesFields = {
  year: integer(),
  last: integer(),
};

export const invoiceSeries = table("invoice-series", invoiceSeriesFields, {
  key: ["year"],
});

const invoicedPayoutFields = {
  payout_id: integer(),
  promoter_id: integer(),
  /** Null while it waits for its invoice. */
  invoice_id: integer().nullable(),
  /** When it was paid. */
  paid_at: time(),
};

/** A paid payout that has an invoice, or will get one. */
export type InvoicedPayout = RowOf<typeof invoicedPayoutFields>;

export const invoicedPayouts = table("invoiced-payout", invoicedPayoutFields, {
  key: ["payout_id"],
  indexes: {
    waiting: { on: ["paid_at"], where: "invoice_id is null" },
    promoter: { on: ["promoter_id"], where: "invoice_id is null" },
  },
});

/** @throws Failure `not_found` */
export async function loadInvoice(reader: Reader, accountId: number, id: number): Promise<Invoice> {
  const invoice = await reader.get(invoices, accountId, id);
  if (invoice === null) throw new Failure("not_found", "Invoice not found.");
  return invoice;
}

/** Reads an invoice, and nothing of its account changes meanwhile. @throws Failure `not_found` */
export async function lockInvoice(tx: Transaction, accountId: number, id: number): Promise<Invoice> {
  const invoice = await tx.lock(invoices, accountId, id);
  if (invoice === null) throw new Failure("not_found", "Invoice not found.");
  return invoice;
}

/** Drafts have no number. */
export const IS_NUMBERED = sql<SqlBool>`invoices.number is not null`;

/** The invoice of a payout, or null. */
export async function findInvoiceOf(
  reader: Reader,
  { account_id, id }: Pick<Payout, "account_id" | "id">,
): Promise<Invoice | null> {
  const row = await reader.get(invoicedPayouts, account_id, id);
  return row === null || row.invoice_id === null ? null : reader.get(invoices, account_id, row.invoice_id);
}

/** Whether a payout can have an invoice: money that was paid. */
export function isInvoiceable({ status, unit }: Payout): boolean {
  return status === "completed" && unit === "cash";
}

/** How sentences name an invoice. */
export function invoiceName({ number, id }: Pick<Invoice, "number" | "id">): string {
  return number === null ? `Draft invoice ${id}` : `Invoice ${number}`;
}

/** Refuses to end or change a payout that has an invoice. @throws Failure `refused` */
export async function refuseInvoiced(reader: Reader, payout: Payout): Promise<void> {
  const invoice = await findInvoiceOf(reader, payout);
  if (invoice === null) return;
  const remedy = invoice.number === null ? "Delete the draft first" : "Void it first";
  throw new Failure("refused", `${invoiceName(invoice)} is about this payout. ${remedy}`);
}
