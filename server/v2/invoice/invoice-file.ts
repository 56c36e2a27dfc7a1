import { Failure } from "../../failure.ts";
import { invoiceName, type Invoice } from "../../domain/ledger/invoice/invoice.ts";
import { parseMarkup } from "../../markup.ts";

/** The PDF file of an invoice, always the same bytes. @throws Failure `refused` for a draft */
export async function invoicePdf(invoice: Invoice): Promise<Buffer> {
  const { details, date, number } = invoice;
  if (details === null || date === null)
    throw new Failure("refused", `${invoiceName(invoice)} has no PDF file before it is finalized`);
  // The library and its fonts are large, and few processes need them.
  const { printPdf } = await import("../../paper/pdf.ts");
  return printPdf({ title: number ?? "", date: new Date(date), blocks: parseMarkup(details.html) });
}

/** The name of an invoice's file. */
export function invoiceFileName({ number, id }: Invoice): string {
  return `${(number ?? `draft-${id}`).replaceAll("/", "-")}.pdf`;
}
