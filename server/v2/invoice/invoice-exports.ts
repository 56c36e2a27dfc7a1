import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import type { Line } from "../../csv.ts";
import { invoices, IS_NUMBERED, type Invoice } from "../../domain/ledger/invoice/invoice.ts";
import { promoterName, promoters } from "../../domain/people/promoter/promoter.ts";
import { Failure } from "../../failure.ts";
import { field, message } from "../../http/fields.ts";
import { id } from "../../input/fields.ts";
import { MAX_ZIPPED, zipParts, type ZippedFile } from "../../paper/zip.ts";
import { allOf, type Schema } from "../../storage/query.ts";
import { amountCell, csvPages, rowsById } from "../export/csv-pages.ts";
import { logExport } from "../export/exports.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { having } from "../../resource/list.ts";
import { readListing } from "../../resource/listing.ts";
import { invoiceFileName, invoiceList, invoicePdf } from "./invoices.ts";

const exportParams = z.object({
  filters: field(
    z
      .object({ promoter_id: field(id, "Only invoices of this promoter.", 17) }, "is invalid")
      .partial()
      .default({}),
    "Only records that match.",
  ),
});

const COLUMNS = [
  "id",
  "number",
  "kind",
  "status",
  "date",
  "promoter_id",
  "promoter_email",
  "promoter_name",
  "total",
  "tax_rate_percent",
  "tax",
  "total_incl_tax",
  "currency",
  "payout_ids",
  "credit_note_id",
  "credited_invoice_id",
  "created_at",
];

export const exportInvoicesOperation: V2Operation = {
  id: "exportInvoices",
  summary: "Download all invoices as a CSV file",
  description:
    "All invoices, credit notes and drafts, oldest first. Amounts have decimals. The audit log records who downloaded it.",
  params: exportParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { promoter_id } = readListing(request, exportParams).params.filters;
    await logExport(request, "invoice");
    const day = request.context.now.toISOString().slice(0, 10);
    request.headers["content-disposition"] = `attachment; filename="invoices-${day}.csv"`;
    return csvPages(COLUMNS, pages(request, promoter_id));
  },
};

export const exportZipOperation: V2Operation = {
  id: "exportInvoicesZip",
  summary: "Ask for all invoices as a ZIP file",
  description: "Names the address of a ZIP file with the PDF files of all invoices and credit notes.",
  answer: z.object({ message }),
  status: 202,
  async handle({ account, context, public_url }) {
    const { total } = await invoiceList.find(context.store, account.id, NUMBERED);
    const address = `${public_url}/api/v2/company/invoices/zip`;
    return {
      message: `The ZIP file with ${total} invoices is at ${address}. It is made while you download it.`,
    };
  },
};

export const invoicesZipOperation: V2Operation = {
  id: "downloadInvoicesZip",
  summary: "Download all invoices as a ZIP file",
  description:
    "Downloads the PDF files of all invoices and credit notes, or of those of one promoter. Drafts are left out. The audit log records who downloaded it. An extension of Tidemark.",
  params: exportParams,
  answer: z.string(),
  media: "application/zip",
  refusals: ["invalid", "refused"],
  async handle(request) {
    const { account, context, headers } = request;
    const { promoter_id } = readListing(request, exportParams).params.filters;
    const where = [...NUMBERED.where, ...having(invoices, { promoter_id })];
    const { total } = await invoiceList.find(context.store, account.id, { ...NUMBERED, where });
    if (total > MAX_ZIPPED)
      throw new Failure("refused", `A ZIP file holds ${MAX_ZIPPED} invoices. Choose a promoter`);
    await logExport(request, "invoice");
    const day = context.now.toISOString().slice(0, 10);
    headers["content-disposition"] = `attachment; filename="invoices-${day}.zip"`;
    return zipParts(files(request, promoter_id));
  },
};

/** Only the number of invoices. */
const NUMBERED = { where: [IS_NUMBERED], limit: 1, offset: 0 };

function query({ account, context: { store } }: V2Request, promoterId: number | undefined) {
  const all = store
    .query<Schema<{ invoices: typeof invoices; promoters: typeof promoters }>>()
    .selectFrom("invoices")
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "invoices.account_id")
        .onRef("promoters.id", "=", "invoices.promoter_id"),
    )
    .where("invoices.account_id", "=", account.id)
    .select(["invoices.id", ...allOf(invoices), ...allOf(promoters)]);
  return promoterId === undefined ? all : all.where("invoices.promoter_id", "=", promoterId);
}

async function* pages(request: V2Request, promoterId: number | undefined): AsyncGenerator<Line[]> {
  const { store } = request.context;
  for await (const rows of rowsById(store, query(request, promoterId), "invoices.id"))
    yield rows.map((row) => lineOf(store.record(invoices, row)!, store.record(promoters, row)));
}

function lineOf(invoice: Invoice, promoter: Parameters<typeof promoterName>[0] | null): Line {
  const { currency, total_cents, total_incl_tax_cents } = invoice;
  return {
    id: invoice.id,
    number: invoice.number,
    kind: invoice.kind,
    status: invoice.status,
    date: invoice.date,
    promoter_id: invoice.promoter_id,
    promoter_email: promoter?.email ?? null,
    promoter_name: promoter && promoterName(promoter),
    total: amountCell(total_cents, "cash", currency),
    tax_rate_percent: invoice.tax_rate_hundredths / 100,
    tax: amountCell(total_incl_tax_cents - total_cents, "cash", currency),
    total_incl_tax: amountCell(total_incl_tax_cents, "cash", currency),
    currency,
    payout_ids: invoice.payout_ids.join(" "),
    credit_note_id: invoice.credit_note_id,
    credited_invoice_id: invoice.credited_invoice_id,
    created_at: invoice.created_at,
  };
}

async function* files(request: V2Request, promoterId: number | undefined): AsyncGenerator<ZippedFile> {
  for await (const rows of rowsById(request.context.store, query(request, promoterId), "invoices.id")) {
    for (const row of rows) {
      const invoice = request.context.store.record(invoices, row)!;
      if (invoice.date === null) continue;
      yield {
        name: invoiceFileName(invoice),
        bytes: await invoicePdf(invoice),
        date: new Date(invoice.date),
      };
      // A PDF file is a lot of work for the process. Other requests go first.
      await othersTurn();
    }
  }
}
