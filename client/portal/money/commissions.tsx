import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Choose, optionsOf } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { amountOf } from "../../ui/amount.ts";
import { DownloadButton } from "../download.tsx";
import { commissionWords } from "../words.ts";
import { t } from "../../languages/messages.ts";

type Commission = components["schemas"]["PortalCommission"];

const columns = (): Column<Commission>[] => [
  {
    id: "date",
    title: t("date"),
    cell: ({ created_at: at, reason, promoter_campaign: { campaign } }) => (
      <>
        <span class="no-wrap">{date(at)}</span>
        <span class="on-phone small soft">
          {reason}
          {campaign && ` ${t("commissions.in", { campaign: campaign.name })}`}
        </span>
      </>
    ),
  },
  {
    id: "amount",
    title: t("amount"),
    isNumber: true,
    cell: (commission) => (
      <>
        {amountOf(commission)}
        <span class="on-phone">
          <State of={commission} />
        </span>
      </>
    ),
  },
  { id: "state", title: t("state"), isWide: true, cell: (commission) => <State of={commission} /> },
  { id: "reason", title: t("commissions.reason"), isWide: true, isText: true, cell: ({ reason }) => reason },
  {
    id: "campaign",
    title: t("campaign"),
    isWide: true,
    cell: ({ promoter_campaign: { campaign } }) => campaign?.name ?? "–",
  },
];

function State({ of: { status, is_paid: isPaid, approves_at: approvesAt } }: { of: Commission }) {
  return (
    <>
      <Badge {...commissionWords(isPaid ? "paid" : status)} />
      {approvesAt !== null && (
        <span class="small soft no-wrap"> {t("commissions.until", { date: date(approvesAt) })}</span>
      )}
    </>
  );
}

const STATUSES = ["pending", "approved", "denied"] as const;
const shown = () =>
  optionsOf(t("all"), {
    pending: t("commission.pending"),
    approved: t("commission.approved"),
    denied: t("commission.denied"),
  });
const saved = () => answer(api.GET("/api/v2/affiliate/commissions/export", { parseAs: "text" }));

/** The promoter's commissions, with the reason of each. */
export function Commissions() {
  const filters = useFilters({ page: "1", sort: "", status: "" });
  const { status } = filters.values.value;
  const list = useList(filters, ({ number, status: wanted }) => {
    const known = STATUSES.find((each) => each === wanted);
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(known !== undefined && { "filters[status]": known }),
    };
    return page(api.GET("/api/v2/affiliate/commissions", { params: { query } }));
  });
  return (
    <Page title={t("page.commissions")} actions={<DownloadButton name="commissions.csv" load={saved} />}>
      <div class="table-tools">
        <Choose filters={filters} name="status" label={t("show")} options={shown()} />
      </div>
      <Table
        caption={t("page.commissions")}
        columns={columns()}
        list={list}
        empty={
          <Empty title={t(status === "" ? "commissions.none" : "commissions.none_fits")}>
            <p>{t("commissions.none.text")}</p>
            <a class="button" href="/portal">
              {t("share")}
            </a>
          </Empty>
        }
      />
    </Page>
  );
}
