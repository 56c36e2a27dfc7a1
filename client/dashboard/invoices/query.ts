import { answer, api } from "../../ui/api/client.ts";
import { refusalOf } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import type { Action } from "../../ui/batch/action.ts";
import type { Shown } from "../../ui/feedback/badge.tsx";
import { PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";

export type Invoice = components["schemas"]["InvoiceSummary"];

/** The states of an invoice. */
export const STATUSES: Record<Invoice["status"], Shown> = {
  draft: { words: "Draft", tone: "warn" },
  open: { words: "Open", tone: "warn" },
  paid: { words: "Paid", tone: "good" },
  voided: { words: "Voided", tone: "quiet" },
};

/** The filters of all tabs, with their defaults. */
export const USUAL = { tab: "all", status: "", promoter: "", page: "1", sort: "" };
export type InvoiceFilters = typeof USUAL;

/** A page of the invoices that match the filters. */
export async function loadInvoices(
  { status, promoter, number, length = PAGE_LENGTH }: Wanted<InvoiceFilters>,
  signal?: AbortSignal,
): Promise<Rows<Invoice>> {
  const query = {
    ...(status && { "filters[status]": status as Invoice["status"] }),
    ...(promoter && { "filters[promoter_id]": Number(promoter) }),
    page: number,
    per_page: length,
  };
  const { data, error, response } = await api.GET("/api/v2/company/invoices", {
    params: { query },
    ...(signal && { signal }),
  });
  if (data === undefined) throw refusalOf(response, error);
  return { rows: data.data.invoices, total: Number(response.headers.get("total")) };
}

/** What owners can do with invoices. */
export const INVOICE_ACTIONS: Action[] = [
  {
    verb: "Finalize",
    doing: "Finalizing",
    done: "finalized",
    effect: "They get the next numbers and can't be changed any more. Promoters can download them.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/invoices/finalize", { body: { ids } })),
  },
  {
    verb: "Void",
    doing: "Voiding",
    done: "voided",
    effect: "Each gets a credit note with the next number. Their payouts can be invoiced again.",
    isDanger: true,
    send: (ids) => answer(api.POST("/api/v2/company/invoices/void", { body: { ids } })),
  },
  {
    verb: "Delete",
    doing: "Deleting",
    done: "deleted",
    effect: "Only drafts are deleted. Their payouts can be invoiced again.",
    isDanger: true,
    send: (ids) => answer(api.DELETE("/api/v2/company/invoices/destroy", { body: { ids } })),
  },
];
