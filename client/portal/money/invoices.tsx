import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, money } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { saveFile } from "../download.tsx";

type Invoice = components["schemas"]["PortalInvoice"];

const STATES: Record<Invoice["status"], { tone: Tone; children: string }> = {
  draft: { tone: "quiet", children: "Draft" },
  open: { tone: "warn", children: "Open" },
  paid: { tone: "good", children: "Paid" },
  voided: { tone: "quiet", children: "Voided" },
};

const COLUMNS: Column<Invoice>[] = [
  {
    id: "number",
    title: "Number",
    cell: ({ number, kind }) => (
      <>
        {number} {kind === "credit_note" && <Badge tone="quiet">Credit note</Badge>}
      </>
    ),
  },
  { id: "date", title: "Date", isWide: true, cell: (invoice) => date(invoice.date) },
  {
    id: "total",
    title: "Amount",
    isNumber: true,
    cell: ({ total_incl_tax: total, currency }) => money(total, { currency }),
  },
  { id: "state", title: "State", isWide: true, cell: ({ status }) => <Badge {...STATES[status]} /> },
  {
    id: "file",
    title: "File",
    cell: (invoice) => (
      <button
        class="button little"
        aria-label={`PDF of ${invoice.number}`}
        onClick={() => void saveFile(`${invoice.number}.pdf`, () => load(invoice.id))}
      >
        PDF
      </button>
    ),
  },
];

/** The invoices that the company writes in the promoter's name. */
export function Invoices() {
  const filters = useFilters({ page: "1", sort: "" });
  const agreement = useLoad((signal) => answer(api.GET("/api/v2/affiliate/invoice_agreement", { signal })));
  const list = useList(filters, ({ number }) =>
    page(
      api.GET("/api/v2/affiliate/invoices", { params: { query: { page: number, per_page: PAGE_LENGTH } } }),
    ),
  );
  const state = agreement.data.value;
  const mustAgree = state?.is_on && state.agreement !== null && state.agreement.agreed_at === null;
  return (
    <Page title="Invoices">
      {mustAgree && (
        <p class="notice warn" role="status">
          <span>
            The company can write your invoices once you have{" "}
            <a href="/portal/settings#tab=invoice">agreed</a>.
          </span>
        </p>
      )}
      <Table
        caption="Invoices"
        columns={COLUMNS}
        list={list}
        empty={
          <Empty title="No invoices yet">
            <p>Some companies write the invoices for what they pay you. You find them here.</p>
            <a class="button" href="/portal/settings#tab=invoice">
              Check your invoice details
            </a>
          </Empty>
        }
      />
    </Page>
  );
}

function load(id: number): Promise<Blob> {
  const params = { path: { id } };
  // The document describes the file as a text.
  return answer(
    api.GET("/api/v2/affiliate/invoices/{id}/pdf", { params, parseAs: "blob" }),
  ) as unknown as Promise<Blob>;
}
