import { z } from "zod";
import { INVOICE_STATUSES, type Invoice } from "../../domain/ledger/invoice/invoice.ts";
import type { Promoter } from "../../domain/people/promoter/promoter.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import { payoutAnswer } from "../payout/payout-json.ts";

/** An invoice in lists. @see docs/spec/v2.md "Invoices" */
export const invoiceAnswer = z
  .object({
    id: recordId,
    number: field(z.string().nullable(), "Its number, or null for a draft.", "AFF-2026-000001"),
    date: field(z.iso.date().nullable(), "The day of its number, or null for a draft."),
    total: field(z.int(), "Sum without tax, in cents. Negative for a credit note.", 30000),
    total_incl_tax: field(z.int(), "Sum with tax, in cents.", 35700),
    tax_rate: field(z.number(), "Tax in percent.", 19),
    pdf_url: field(
      z.url().nullable(),
      "Address of its PDF file, or null for a draft.",
      "https://track.acme.example/api/v2/company/invoices/17/pdf",
    ),
    status: field(z.enum(INVOICE_STATUSES), "State of the record."),
    kind: field(z.enum(["invoice", "credit_note"]), "Whether it is an invoice, or cancels one."),
    currency: field(z.string(), "The currency of the amounts.", "EUR"),
    payout_ids: field(z.array(z.int()), "Ids of the payouts that it is about.", [88]),
    credit_note_id: field(z.int().nullable(), "Id of the credit note that cancels it, or null.", null),
    credited_invoice_id: field(z.int().nullable(), "Id of the invoice that it cancels, or null.", null),
    promoter: field(embeddedPromoter.nullable(), "The promoter, or null if they were deleted."),
    created_at: createdAt,
  })
  .meta({ id: "InvoiceSummary" });

/** An invoice with its paper. */
export const invoiceDetailsAnswer = invoiceAnswer
  .extend({
    payouts: field(z.array(payoutAnswer), "The payouts that it is about."),
    html: field(
      z.string(),
      "The invoice as HTML without scripts, styles and links.",
      "<h1>Self-billed invoice</h1>",
    ),
    missing: field(z.array(z.string()), "What a draft lacks before it can be finalized.", [
      "The promoter's address is not known",
    ]),
    warnings: field(
      z.array(z.string()),
      "What a person should know before they finalize a draft. It does not prevent that. An extension of Tidemark.",
      ["VIES does not know the promoter's VAT number DE123456789"],
    ),
  })
  .meta({ id: "Invoice" });

/** The answer of the operations about templates. */
export const htmlAnswer = z.object({
  data: field(
    z.object({ html: field(z.string(), "HTML without scripts, styles and links.", "<h1>{{title}}</h1>") }),
    "Further data.",
  ),
});

/** An invoice in lists. */
export function invoiceJson(
  { invoice, promoter }: { invoice: Invoice; promoter: Promoter | null },
  publicUrl: string,
): z.output<typeof invoiceAnswer> {
  const url = `${publicUrl}/api/v2/company/invoices/${invoice.id}/pdf`;
  return {
    id: invoice.id,
    number: invoice.number,
    date: invoice.date,
    total: invoice.totalCents,
    total_incl_tax: invoice.totalInclTaxCents,
    tax_rate: invoice.taxRateHundredths / 100,
    pdf_url: invoice.number === null ? null : url,
    status: invoice.status,
    kind: invoice.kind,
    currency: invoice.currency,
    payout_ids: invoice.payoutIds,
    credit_note_id: invoice.creditNoteId,
    credited_invoice_id: invoice.creditedInvoiceId,
    promoter: promoter && embeddedPromoterJson(promoter),
    created_at: invoice.createdAt,
  };
}
