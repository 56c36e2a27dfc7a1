import { z } from "zod";
import { runBatch, type BatchProcess } from "../../domain/batch.ts";
import type { Context } from "../../domain/context.ts";
import { finalizeInvoice, removeInvoice, voidInvoice } from "../../domain/ledger/invoice/changes.ts";
import { createInvoices } from "../../domain/ledger/invoice/following.ts";
import {
  INVOICE_STATUSES,
  listInvoices,
  loadInvoice,
  type Invoice,
} from "../../domain/ledger/invoice/invoice.ts";
import { draftHtml, lacksOf, warningsOf } from "../../domain/ledger/invoice/paper.ts";
import { listPayouts } from "../../domain/ledger/payout/search.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import { formatAmount } from "../../domain/money.ts";
import { field } from "../../http/fields.ts";
import type { Introduced } from "../../http/operation.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readJson } from "../../http/parameters/json.ts";
import { id, oneOf } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { markupHtml, type Block, type Cell } from "../../markup.ts";
import { BATCH, batchAnswer, batchJson, idsBody } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { showPayouts } from "../payout/payouts.ts";
import { invoiceFileName, invoicePdf } from "./invoice-file.ts";
import { invoiceAnswer, invoiceDetailsAnswer, invoiceJson } from "./invoice-json.ts";

const listParams = pageParams.extend({
  filters: field(
    z
      .object(
        {
          promoter_id: field(id, "Only invoices of this promoter.", 17),
          status: field(oneOf(INVOICE_STATUSES), "Only records with this status."),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Only records that match.",
  ),
});

/** `GET /api/v2/company/invoices` @see docs/spec/v2.md "Invoices" */
export const listInvoicesOperation: V2Operation = {
  id: "listInvoices",
  summary: "List invoices and credit notes, newest first",
  description:
    "Lists the invoices that the company writes in the name of its promoters, and the credit notes that cancel them. `html` is the list as a table. `invoices` is an extension of Tidemark.",
  params: listParams,
  answer: z.object({
    data: field(
      z.object({
        html: field(z.string(), "The list as an HTML table.", "<table></table>"),
        invoices: field(z.array(invoiceAnswer), "The records."),
      }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `GET /api/v2/company/invoices/{id}` */
export const showInvoiceOperation: V2Operation = {
  id: "getInvoice",
  summary: "Show an invoice or a credit note",
  description:
    "Shows an invoice as it was sent. A draft is shown as it would be finalized now, with what it still lacks.",
  answer: invoiceDetailsAnswer,
  refusals: ["not_found"],
  handle: show,
};

/** `GET /api/v2/company/invoices/{id}/pdf` */
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

/** `POST /api/v2/company/invoices` */
export const createInvoicesOperation: V2Operation = invoiceBatch({
  id: "createInvoices",
  summary: "Make invoices of paid payouts",
  description:
    "Makes invoices of these paid payouts now: one for each promoter and tax rate. Those that lack something stay drafts. The server does this on its own ten minutes after a payment; this operation is for earlier payouts, and for those of a voided invoice. `ids` are ids of payouts. An extension of Tidemark.",
  run: (context, accountId, ids) => createInvoices(context, accountId, ids),
});

/** `POST /api/v2/company/invoices/finalize` */
export const finalizeInvoicesOperation = invoiceBatch({
  id: "finalizeInvoices",
  summary: "Finalize drafts",
  description:
    "Gives drafts the next numbers of the year's series, and keeps them as they are sent. Drafts that lack something stay drafts.",
  run: (context, accountId, ids) =>
    each(context, accountId, { name: "finalize", ids, work: finalizeInvoice }),
});

/** `POST /api/v2/company/invoices/void` */
export const voidInvoicesOperation = invoiceBatch({
  id: "voidInvoices",
  summary: "Void invoices by credit notes",
  description:
    "Cancels open and paid invoices. Each gets a credit note with the next number of the series. Their payouts may be invoiced again.",
  run: (context, accountId, ids) => each(context, accountId, { name: "void", ids, work: voidInvoice }),
});

/** `DELETE /api/v2/company/invoices/destroy` */
export const destroyInvoicesOperation = invoiceBatch({
  id: "destroyInvoices",
  summary: "Delete drafts",
  description: "Deletes drafts. An invoice with a number stays for ever.",
  run: (context, accountId, ids) => each(context, accountId, { name: "destroy", ids, work: removeInvoice }),
});

async function list(request: V2Request): Promise<unknown> {
  const { account, context, publicUrl } = request;
  const { params, page, window } = readListing(request, listParams);
  const { promoter_id: promoterId, status } = params.filters;
  const found = await listInvoices(context.store, account.id, { filter: { promoterId, status }, ...window });
  setPageHeaders(request, page, found.total);
  const shown = await Promise.all(
    found.records.map(async (invoice) => {
      const promoter = await context.store.get(promoters, account.id, invoice.promoterId);
      return invoiceJson({ invoice, promoter }, publicUrl);
    }),
  );
  return { data: { html: markupHtml([tableOf(shown)]), invoices: shown } };
}

async function show({ event, account, context, publicUrl }: V2Request): Promise<unknown> {
  const { store } = context;
  const invoice = await loadInvoice(store, account.id, readPathId(event));
  const promoter = await store.get(promoters, account.id, invoice.promoterId);
  const filter = { ids: invoice.payoutIds };
  const { records } = await listPayouts(context, account, { filter, sorting: [], limit: 500, offset: 0 });
  return {
    ...invoiceJson({ invoice, promoter }, publicUrl),
    payouts: showPayouts(records),
    html:
      invoice.details?.html ??
      (await draftHtml(store, account, {
        promoterId: invoice.promoterId,
        payouts: records.map(({ payout }) => payout),
      })),
    missing: invoice.status === "draft" ? await lacksOf(store, account, invoice) : [],
    warnings: invoice.status === "draft" ? warningsOf(promoter) : [],
  };
}

/** The list for people. */
function tableOf(shown: z.output<typeof invoiceAnswer>[]): Block {
  const cell = (text: string, isHeading = false): Cell => ({
    isHeading,
    classes: [],
    runs: [{ text, isBold: false }],
  });
  const row = (cells: Cell[]) => ({ cells, if: null, each: null });
  const heading = ["Number", "Date", "Promoter", "Status", "Total"].map((name) => cell(name, true));
  const rows = shown.map(({ number, date, promoter, status, total_incl_tax: total, currency }) =>
    row(
      [number ?? "", date ?? "", promoter?.name ?? "", status, formatAmount(total, "cash", currency)].map(
        (text) => cell(text),
      ),
    ),
  );
  return { kind: "table", classes: [], if: null, rows: [row(heading), ...rows] };
}

function each(
  context: Context,
  accountId: number,
  {
    name,
    ids,
    work,
  }: {
    name: string;
    ids: number[];
    work: (context: Context, accountId: number, id: number) => Promise<Invoice>;
  },
): Promise<BatchProcess> {
  return runBatch(context, accountId, {
    label: `invoice/${name}`,
    ids,
    work: (id) => work(context, accountId, id),
  });
}

function invoiceBatch({
  run,
  ...texts
}: Introduced & {
  run: (context: Context, accountId: number, ids: number[]) => Promise<BatchProcess>;
}): V2Operation {
  return {
    ...texts,
    description: `${texts.description} ${BATCH}`,
    body: idsBody,
    answer: batchAnswer,
    refusals: ["invalid"],
    async handle({ event, account, context }: V2Request) {
      const { ids } = shapeInput(idsBody, await readJson(event));
      return batchJson(await run(context, account.id, ids));
    },
  };
}
