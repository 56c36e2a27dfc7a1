import { z } from "zod";
import { runBatch } from "../../domain/batch.ts";
import type { Context } from "../../domain/context.ts";
import {
  finalizeInvoice,
  removeInvoice,
  voidInvoice,
  createInvoices,
} from "../../domain/ledger/invoice/changes.ts";
import {
  INVOICE_STATUSES,
  invoices,
  loadInvoice,
  invoiceName,
  type Invoice,
} from "../../domain/ledger/invoice/invoice.ts";
import { draftHtml, lacksOf, warningsOf } from "../../domain/ledger/invoice/paper.ts";
import { payouts } from "../../domain/ledger/payout/payout.ts";
import { belongingTo, findMany } from "../../storage/query.ts";
import type { Transaction } from "../../storage/store.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { formatAmount } from "../../domain/money.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";
import type { Introduced } from "../../http/operation.ts";
import { id, oneOf } from "../../input/fields.ts";
import { markupHtml, parseMarkup, type Block, type Cell } from "../../markup.ts";
import { batchOperation } from "../batch/batch-processes.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { pageParams, readPathId } from "../../resource/listing.ts";
import { payoutAnswer } from "../payout/payouts.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import { Failure } from "../../failure.ts";

const belongings = belongingTo(invoices, { promoter: [promoters, "promoter_id"] });

/** What an invoice is shown with. */
interface InvoiceParts {
  promoter: Promoter | null;
  /** The API whose address its PDF file has. */
  api_url: string;
}

/** An invoice in lists. @see docs/spec/v2.md "Invoices" */
export const invoiceAnswer = shown<Invoice, InvoiceParts>(invoices)("InvoiceSummary", {
  id: recordId,
  number: field(z.string().nullable(), "Its number, or null for a draft.", "AFF-2026-000001"),
  date: field(z.iso.date().nullable(), "The day of its number, or null for a draft."),
  total: [
    field(z.int(), "Sum without tax, in cents. Negative for a credit note.", 30000),
    ({ total_cents }) => total_cents,
  ],
  total_incl_tax: [
    field(z.int(), "Sum with tax, in cents.", 35700),
    ({ total_incl_tax_cents }) => total_incl_tax_cents,
  ],
  tax_rate: [
    field(z.number(), "Tax in percent.", 19),
    ({ tax_rate_hundredths }) => tax_rate_hundredths / 100,
  ],
  pdf_url: [
    field(
      z.url().nullable(),
      "Address of its PDF file, or null for a draft.",
      "https://track.acme.example/api/v2/company/invoices/17/pdf",
    ),
    (invoice, { api_url }) => (invoice.number === null ? null : `${api_url}/invoices/${invoice.id}/pdf`),
  ],
  status: field(z.enum(INVOICE_STATUSES), "State of the record."),
  kind: field(z.enum(["invoice", "credit_note"]), "Whether it is an invoice, or cancels one."),
  currency: field(z.string(), "The currency of the amounts.", "EUR"),
  payout_ids: field(z.array(z.int()), "Ids of the payouts that it is about.", [88]),
  credit_note_id: field(z.int().nullable(), "Id of the credit note that cancels it, or null.", null),
  credited_invoice_id: field(z.int().nullable(), "Id of the invoice that it cancels, or null.", null),
  promoter: [
    field(embeddedPromoter.nullable(), "The promoter, or null if they were deleted."),
    (_, { promoter }) => promoter && embeddedPromoterJson(promoter),
  ],
  created_at: createdAt,
});

export const invoiceList = listed(invoices, { isNewestFirst: true })({
  filters: {
    promoter_id: field(id, "Only invoices of this promoter.", 17),
    status: field(oneOf(INVOICE_STATUSES), "Only records with this status."),
  },
});

/** @see docs/spec/v2.md "Invoices" */
export const listInvoicesOperation: V2Operation = {
  id: "listInvoices",
  summary: "List invoices and credit notes, newest first",
  description:
    "Lists the invoices that the company writes in the name of its promoters, and the credit notes that cancel them. `html` is the list as a table. `invoices` is an extension of Tidemark.",
  // The page comes first in the document.
  params: pageParams.extend(invoiceList.params.shape),
  answer: z.object({
    data: field(
      z.object({
        html: field(z.string(), "The list as an HTML table.", "<table></table>"),
        invoices: field(z.array(invoiceAnswer.schema), "The records."),
      }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** An invoice with its paper. */
const invoiceDetailsAnswer = invoiceAnswer.schema
  .extend({
    payouts: field(z.array(payoutAnswer.schema), "The payouts that it is about."),
    html: field(
      z.string(),
      "The invoice as HTML without scripts, styles and links.",
      "<h1>Self-billing invoice</h1>",
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

export const showInvoiceOperation: V2Operation = {
  id: "getInvoice",
  summary: "Show an invoice or a credit note",
  description:
    "Shows an invoice as it was sent. A draft is shown as it would be finalized now, with what it still lacks.",
  answer: invoiceDetailsAnswer,
  refusals: ["not_found"],
  handle: show,
};

export const invoicePdfOperation: V2Operation = {
  id: "downloadInvoice",
  summary: "Download an invoice as a PDF file",
  description:
    "Downloads an invoice or a credit note as it was sent. Drafts have no file. An extension of Tidemark.",
  answer: z.string(),
  media: "application/pdf",
  refusals: ["not_found", "refused"],
  async handle({ event, account, context, headers }) {
    const invoice = await loadInvoice(context.store, account.id, readPathId(event));
    const bytes = await invoicePdf(invoice);
    headers["content-disposition"] = `attachment; filename="${invoiceFileName(invoice)}"`;
    return bytes;
  },
};

export const createInvoicesOperation = batchOperation(
  {
    id: "createInvoices",
    summary: "Make invoices of paid payouts",
    description:
      "Makes invoices of these paid payouts now: one for each promoter and tax rate. Those that lack something stay drafts. The server does this on its own ten minutes after a payment; this operation is for earlier payouts, and for those of a voided invoice. `ids` are ids of payouts. An extension of Tidemark.",
  },
  ({ account, context }, ids) => createInvoices(context, account.id, ids),
);

export const finalizeInvoicesOperation = invoiceBatch("finalize", {
  id: "finalizeInvoices",
  summary: "Finalize drafts",
  description:
    "Gives drafts the next numbers of the year's series, and keeps them as they are sent. Drafts that lack something stay drafts.",
  work: finalizeInvoice,
});

export const voidInvoicesOperation = invoiceBatch("void", {
  id: "voidInvoices",
  summary: "Void invoices by credit notes",
  description:
    "Cancels open and paid invoices. Each gets a credit note with the next number of the series. Their payouts may be invoiced again.",
  work: voidInvoice,
});

export const destroyInvoicesOperation = invoiceBatch("destroy", {
  id: "destroyInvoices",
  summary: "Delete drafts",
  description: "Deletes drafts. An invoice with a number stays for ever.",
  work: removeInvoice,
});

async function list(request: V2Request): Promise<unknown> {
  const records = await invoiceList.read(request);
  const parts = await belongings(request.context.store, records);
  const api_url = apiUrl(request);
  const all = records.map((invoice, at) => invoiceAnswer.json(invoice, { ...parts[at]!, api_url }));
  return { data: { html: markupHtml([tableOf(all)]), invoices: all } };
}

function apiUrl({ public_url }: V2Request): string {
  return `${public_url}/api/v2/company`;
}

async function show(request: V2Request): Promise<unknown> {
  const { event, account, context } = request;
  const { store } = context;
  const invoice = await loadInvoice(store, account.id, readPathId(event));
  const promoter = await store.get(promoters, account.id, invoice.promoter_id);
  const known = await findMany(store, payouts, account.id, invoice.payout_ids);
  const included = [...known.values()].sort((a, b) => a.id - b.id);
  return {
    ...invoiceAnswer.json(invoice, { promoter, api_url: apiUrl(request) }),
    payouts: await payoutAnswer.showAll(store, included),
    html:
      invoice.details?.html ??
      (await draftHtml(store, account, {
        promoter_id: invoice.promoter_id,
        payouts: included,
      })),
    missing: invoice.status === "draft" ? await lacksOf(store, account, invoice) : [],
    warnings: invoice.status === "draft" ? warningsOf(promoter) : [],
  };
}

/** The list for people. */
function tableOf(all: z.output<typeof invoiceAnswer.schema>[]): Block {
  const cell = (text: string, isHeading = false): Cell => ({
    isHeading,
    classes: [],
    runs: [{ text, isBold: false }],
  });
  const row = (cells: Cell[]) => ({ cells, if: null, each: null });
  const heading = ["Number", "Date", "Promoter", "Status", "Total"].map((name) => cell(name, true));
  const rows = all.map(({ number, date, promoter, status, total_incl_tax: total, currency }) =>
    row(
      [number ?? "", date ?? "", promoter?.name ?? "", status, formatAmount(total, "cash", currency)].map(
        (text) => cell(text),
      ),
    ),
  );
  return { kind: "table", classes: [], if: null, rows: [row(heading), ...rows] };
}

function invoiceBatch(
  name: string,
  {
    work,
    ...texts
  }: Introduced & {
    work: (tx: Transaction, context: Context, accountId: number, id: number) => Promise<Invoice>;
  },
): V2Operation {
  return batchOperation(texts, ({ account, context }, ids) =>
    runBatch(context, account.id, {
      label: `invoice/${name}`,
      ids,
      work: (id) => context.store.transact((tx) => work(tx, context, account.id, id)),
    }),
  );
}

/** The answer of the operations about templates. */
export const htmlAnswer = z.object({
  data: field(
    z.object({ html: field(z.string(), "HTML without scripts, styles and links.", "<h1>{{title}}</h1>") }),
    "Further data.",
  ),
});

/** The PDF file of an invoice, always the same bytes. @throws Failure `refused` for a draft */
export async function invoicePdf(invoice: Invoice): Promise<Buffer> {
  const { details, date, number } = invoice;
  if (details === null || date === null)
    throw new Failure("refused", `${invoiceName(invoice)} has no PDF file before it is finalized`);
  // The library and its fonts are large, and few processes need them.
  const { printPdf } = await import("../../paper/pdf.ts");
  return printPdf({
    title: number ?? "",
    language: details.paper.language,
    date: new Date(date),
    blocks: parseMarkup(details.html),
  });
}

/** The name of an invoice's file. */
export function invoiceFileName({ number, id }: Invoice): string {
  return `${(number ?? `draft-${id}`).replaceAll("/", "-")}.pdf`;
}
