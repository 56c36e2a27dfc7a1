import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { toDisk } from "../../ui/api/download.ts";
import { Badge, StateBadge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { date, money, several } from "../../ui/format.ts";
import { useFilters, type Filters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useChoice } from "../../ui/table/choice.ts";
import { ChosenActions } from "../../ui/table/chosen.tsx";
import { Choose, NoneFits, Only, optionsOf } from "../../ui/table/filters.tsx";
import { useList } from "../../ui/table/list.ts";
import { Menu } from "../../ui/table/menu.tsx";
import { Table, type Column } from "../../ui/table/table.tsx";
import { SavedViews } from "../saved-views.tsx";
import { may } from "../session/session.ts";
import { InvoiceDialog } from "./invoice-dialog.tsx";
import {
  INVOICE_ACTIONS,
  loadInvoices,
  STATUSES,
  USUAL,
  type Invoice,
  type InvoiceFilters,
} from "./query.ts";
import { InvoiceSettings } from "./settings.tsx";
import { TemplateEditor } from "./template.tsx";

const STATUS_OPTIONS = optionsOf("Any state", STATUSES);

/** `/admin/invoices` */
export function Invoices() {
  const filters = useFilters(USUAL);
  return (
    <Page title="Invoices" actions={may("manager") && <Downloads />}>
      <Tabs
        label="Invoices"
        shown={filters.values.value.tab}
        onShow={(tab) => filters.set({ ...USUAL, tab })}
        tabs={[
          { id: "all", title: "All invoices", panel: () => <InvoiceList filters={filters} /> },
          { id: "settings", title: "Settings", panel: () => <InvoiceSettings /> },
          { id: "template", title: "Template", panel: () => <TemplateEditor /> },
        ]}
      />
    </Page>
  );
}

function Downloads() {
  const year = lastYear();
  return (
    <Menu title="Download">
      <Download
        words="Invoices as CSV"
        call={() => api.GET("/api/v2/company/invoices/export", { fetch: toDisk })}
      />
      <Download
        words="Invoices as PDF files"
        call={() => api.GET("/api/v2/company/invoices/zip", { fetch: toDisk })}
      />
      {may("owner") && <Download words={`Tax forms of ${year}`} call={taxForms} />}
      {may("owner") && <Download words={`Form 1099-NEC of ${year}`} call={irisFile} />}
    </Menu>
  );
}

function Download({ words, call }: { words: string; call: () => Parameters<typeof answer>[0] }) {
  return (
    <button
      class="button plain"
      onClick={() =>
        void tell(async () => {
          await answer(call());
          return "The download has begun.";
        })
      }
    >
      {words}
    </button>
  );
}

/** The latest year that is over. */
const lastYear = () => new Date().getFullYear() - 1;

/** The sums of that year. */
function taxForms() {
  const query = { year: lastYear() };
  return api.GET("/api/v2/company/tax_forms/export", { params: { query }, fetch: toDisk });
}

/** The forms of that year for the portal of the IRS. */
function irisFile() {
  const query = { year: lastYear(), tax_numbers: true };
  return api.GET("/api/v2/company/tax_forms/iris", { params: { query }, fetch: toDisk });
}

function InvoiceList({ filters }: { filters: Filters<InvoiceFilters> }) {
  const list = useList(filters, loadInvoices);
  const choice = useChoice({ filters, list, load: loadInvoices });
  const shown = useSignal<Invoice | null>(null);
  return (
    <>
      <div class="table-tools">
        <Choose filters={filters} name="status" label="State" options={STATUS_OPTIONS} />
        <SavedViews list="invoices" filters={filters} usual={USUAL} />
      </div>
      <Drafts onShow={() => filters.set({ ...USUAL, status: "draft" })} />
      <Only filters={filters} name="promoter" />
      {may("owner") && (
        <ChosenActions
          actions={INVOICE_ACTIONS}
          choice={choice}
          one="invoice"
          reload={async () => {
            await list.reload();
          }}
        />
      )}
      <Table
        caption="Invoices"
        columns={columnsOf((invoice) => (shown.value = invoice))}
        list={list}
        {...(may("owner") && { choice })}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="invoice">
            <Empty title="There are no invoices yet">
              <p>They are written ten minutes after a payment, once they are turned on.</p>
              <button class="button" onClick={() => filters.set({ ...USUAL, tab: "settings" })}>
                Set invoices up
              </button>
            </Empty>
          </NoneFits>
        }
      />
      {shown.value && <InvoiceDialog id={shown.value.id} onClose={() => (shown.value = null)} />}
    </>
  );
}

/** How many drafts wait, and for what. */
function Drafts({ onShow }: { onShow: () => void }) {
  const loaded = useLoad(loadDrafts);
  const { count = 0, areFinalized = false } = loaded.data.value ?? {};
  if (count === 0) return null;
  return (
    <p class="notice" role="status">
      <button class="link" onClick={onShow}>
        {several(count, "draft waits", "drafts wait")}
      </button>
      . Open one to see what it lacks.{" "}
      {areFinalized
        ? "It gets its number within an hour once nothing is missing."
        : "Once nothing is missing, choose it and finalize it."}
    </p>
  );
}

async function loadDrafts(signal: AbortSignal): Promise<{ count: number; areFinalized: boolean }> {
  const wanted = { ...USUAL, status: "draft", number: 1, length: 1 };
  const { total: count } = await loadInvoices(wanted, signal);
  if (count === 0) return { count, areFinalized: false };
  const settings = await answer(api.GET("/api/v2/company/invoicing", { signal }));
  return { count, areFinalized: settings.finalizes_drafts };
}

function columnsOf(show: (invoice: Invoice) => void): Column<Invoice>[] {
  return [
    {
      id: "number",
      title: "Number",
      cell: (invoice) => (
        <>
          <button class="link no-wrap" onClick={() => show(invoice)}>
            {invoice.number ?? `Draft ${invoice.id}`}
          </button>{" "}
          {invoice.kind === "credit_note" && <Badge tone="quiet">Credit note</Badge>}
        </>
      ),
    },
    {
      id: "status",
      title: "State",
      cell: ({ status }) => <StateBadge of={STATUSES[status]} />,
    },
    {
      id: "promoter",
      title: "Promoter",
      cell: ({ promoter }) =>
        promoter && (
          <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
            {promoter.name}
          </a>
        ),
    },
    { id: "date", title: "Date", cell: (invoice) => date(invoice.date) },
    {
      id: "total",
      title: "Without tax",
      isNumber: true,
      cell: ({ total, currency }) => money(total, { currency }),
    },
    {
      id: "inclTax",
      title: "With tax",
      isNumber: true,
      cell: ({ total_incl_tax: total, currency }) => money(total, { currency }),
    },
  ];
}
