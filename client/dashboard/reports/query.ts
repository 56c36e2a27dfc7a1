import { answer, api, page } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { daysBefore } from "../../ui/day.ts";
import { orderOf, PAGE_LENGTH, type Rows } from "../../ui/table/list.ts";
import { columnsOf, USUAL_COLUMNS, type ColumnName } from "./columns.ts";
import { periodName } from "./period.ts";

export type Data = components["schemas"]["ReportData"];
type Query = operations["reportOverview"]["parameters"]["query"];
export type Grouping = Query["group_by"];

/** The reports, and whether they have the columns of sources and pages only. */
export const REPORTS = {
  overview: { title: "Overview", subject: "Period", isOfOrigins: false },
  campaigns: { title: "Campaigns", subject: "Campaign", isOfOrigins: false },
  promoters: { title: "Promoters", subject: "Promoter", isOfOrigins: false },
  traffic_sources: { title: "Sources", subject: "Source", isOfOrigins: true },
  urls: { title: "Landing pages", subject: "Page", isOfOrigins: true },
} as const;
export type ReportName = keyof typeof REPORTS;

/** The filters of the reports, with their defaults. Without dates, the last 30 days are shown. */
export const USUAL = {
  report: "overview",
  by: "day",
  from: "",
  to: "",
  columns: USUAL_COLUMNS.join(),
  q: "",
  page: "1",
  sort: "",
};
export type ReportFilters = typeof USUAL;

/** One line of a report: a period, or a group with its sums over the range. */
export interface Line {
  id: string;
  name: string;
  /** The link of the name, or null. */
  href: string | null;
  data: Data;
  /** The periods of a group. */
  periods: Period[];
}

/** The figures of a period. The id is its first day. */
export type Period = components["schemas"]["ReportRow"];

/** The chosen columns that the report has. */
export function shownColumns({ report, columns }: Pick<ReportFilters, "report" | "columns">): ColumnName[] {
  const wanted = columns.split(",");
  const all = columnsOf(REPORTS[report as ReportName].isOfOrigins);
  const shown = all.filter((name) => wanted.includes(name));
  return shown.length > 0 ? shown : all.slice(0, 1);
}

/** The query that all reports share. */
export function queryOf(filters: ReportFilters, today: string): Query {
  const { by, from, to, q, sort } = filters;
  const { name, direction } = orderOf(sort);
  const columns = shownColumns(filters);
  return {
    columns,
    group_by: by as Grouping,
    start_date: from || daysBefore(to || today, 29),
    end_date: to || today,
    ...(q && { q }),
    ...(columns.includes(name as ColumnName) && { [`sorting[${name}]`]: direction }),
  };
}

/** A page of a report. */
export function loadReport(
  filters: ReportFilters & { number: number },
  today: string,
  signal: AbortSignal,
): Promise<Rows<Line>> {
  const paged = { ...queryOf(filters, today), page: filters.number, per_page: PAGE_LENGTH };
  return LOADERS[filters.report as ReportName](paged, signal);
}

type Paged = Query & { page: number; per_page: number };

const LOADERS: Record<ReportName, (query: Paged, signal: AbortSignal) => Promise<Rows<Line>>> = {
  overview: loadOverview,
  async campaigns(query, signal) {
    const call = api.GET("/api/v2/company/reports/campaigns", { params: { query }, signal });
    const toLine = ({ campaign: { id, name }, ...group }: components["schemas"]["CampaignReport"]) =>
      line(group, name, `/admin/campaigns/${id}`);
    return lines(await page(call), toLine);
  },
  async promoters(query, signal) {
    const call = api.GET("/api/v2/company/reports/promoters", { params: { query }, signal });
    const toLine = ({ promoter: { id, name }, ...group }: components["schemas"]["PromoterReport"]) =>
      line(group, name, `/admin/promoters/${id}`);
    return lines(await page(call), toLine);
  },
  async traffic_sources(query, signal) {
    const params = { query: ofOrigins(query) };
    const call = api.GET("/api/v2/company/reports/traffic_sources", { params, signal });
    return lines(await page(call), ({ source, ...group }) => line(group, source, null));
  },
  async urls(query, signal) {
    const params = { query: ofOrigins(query) };
    const call = api.GET("/api/v2/company/reports/urls", { params, signal });
    return lines(await page(call), ({ url, ...group }) => line(group, url, null));
  },
};

type OriginColumn = operations["reportTrafficSources"]["parameters"]["query"]["columns"][number];

/** Narrows the type: `shownColumns` has removed the columns that sources and pages don't have. */
function ofOrigins(query: Paged): Omit<Paged, "columns"> & { columns: OriginColumn[] } {
  return { ...query, columns: query.columns as OriginColumn[] };
}

function lines<R>({ rows, total }: Rows<R>, toLine: (row: R) => Line): Rows<Line> {
  return { rows: rows.map(toLine), total };
}

/** The periods, newest first unless they are sorted. The API returns all of them on one page. */
async function loadOverview({ page: number, per_page: length, ...query }: Paged, signal: AbortSignal) {
  const params = { query };
  const rows = await answer(api.GET("/api/v2/company/reports/overview", { params, signal }));
  const isSorted = Object.keys(query).some((name) => name.startsWith("sorting["));
  const all = (isSorted ? rows : rows.toReversed()).map(({ id, data }) => {
    return { id, name: periodName(id, query.group_by), href: null, data, periods: [] };
  });
  return { rows: all.slice((number - 1) * length, number * length), total: all.length };
}

/** The figures of the account: of each period, oldest first, and of the whole range. */
export interface Course {
  periods: Period[];
  total: Data;
}

/** Loads the account's figures over time. */
export async function loadCourse(
  filters: ReportFilters,
  today: string,
  signal: AbortSignal,
): Promise<Course> {
  const params = { query: { ...queryOf({ ...filters, q: "", sort: "" }, today), totals: true } };
  const rows = await answer(api.GET("/api/v2/company/reports/overview", { params, signal }));
  return { periods: rows.slice(0, -1), total: rows.at(-1)?.data ?? {} };
}

interface Group {
  id: number | string;
  data: Data;
  sub_data: Period[];
}

function line({ id, data, sub_data: periods }: Group, name: string, href: string | null): Line {
  return { id: String(id), name, href, data, periods };
}

/** Saves the report as a CSV file, with all its groups and sums. */
export async function saveReport(filters: ReportFilters, today: string): Promise<void> {
  const report = { report_type: filters.report as ReportName, totals: true };
  const params = { query: { ...queryOf(filters, today), ...report } };
  await answer(api.GET("/api/v2/company/reports/download", { params, fetch: toDisk }));
}
