import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, money } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { saveFile } from "../../ui/feedback/save-file.ts";

type Invoice = components["schemas"]["PortalInvoice"];

const TONES: Record<Invoice["status"], Tone> = {
  draft: "quiet",
  open: "warn",
  paid: "good",
  voided: "quiet",
};

const columns = (): Column<Invoice>[] => [
  {
    id: "number",
    title: t("paper.number"),
    cell: ({ number, kind }) => (
      <>
        {number} {kind === "credit_note" && <Badge tone="quiet">{t("paper.credit_note")}</Badge>}
      </>
    ),
  },
  { id: "date", title: t("paper.date"), isWide: true, cell: (invoice) => date(invoice.date) },
  {
    id: "total",
    title: t("paper.amount"),
    isNumber: true,
    cell: ({ total_incl_tax: total, currency }) => money(total, { currency }),
  },
  {
    id: "state",
    title: t("paper.state"),
    isWide: true,
    cell: ({ status }) => <Badge tone={TONES[status]}>{t(`paper.${status}`)}</Badge>,
  },
  {
    id: "file",
    title: t("paper.file"),
    cell: ({ id, number }) => (
      <button
        class="button little"
        aria-label={t("paper.pdf", { number: number ?? "" })}
        onClick={() => void saveFile(`${number}.pdf`, () => load(id))}
      >
        {"PDF"}
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
    <Page title={t("page.invoices")}>
      {mustAgree && (
        <p class="notice warn" role="status">
          <span>
            {t("paper.must_agree")} <a href="/portal/settings#tab=invoice">{t("paper.must_agree.read")}</a>
          </span>
        </p>
      )}
      <Table
        caption={t("page.invoices")}
        columns={columns()}
        list={list}
        empty={
          <Empty title={t("paper.none")}>
            <p>{t("paper.none.text")}</p>
            <a class="button" href="/portal/settings#tab=invoice">
              {t("paper.none.check")}
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
