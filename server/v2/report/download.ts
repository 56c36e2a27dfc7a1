import { z } from "zod";
import { csvForPeople } from "../../csv.ts";
import { exponentOf } from "../../domain/money.ts";
import {
  reportOverview,
  reportTotal,
  STREAMED_BYTES,
  type FoundGroups,
  type ReportGroup,
} from "../../domain/reports/report.ts";
import { Failure } from "../../failure.ts";
import { flag, listOf, oneOf, text } from "../../input/fields.ts";
import { describe } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../../resource/listing.ts";
import { findOrigins, ORIGIN_REPORTS } from "./origins.ts";
import { ALL_COLUMNS, dataJson, ORIGIN_COLUMNS, rowJson, type Column } from "./report-columns.ts";
import {
  queryOf,
  reportParams,
  sortOf,
  findCampaigns,
  findPromoters,
  narrowed,
  type V2ReportQuery,
  type Selection,
} from "./reports.ts";
import { field } from "../../http/fields.ts";

type OriginName = keyof typeof ORIGIN_REPORTS;
const ORIGIN_NAMES = Object.keys(ORIGIN_REPORTS) as OriginName[];
const REPORTS = ["overview", "campaigns", "promoters", ...ORIGIN_NAMES] as const;

/** A file has all groups on one page. The domain refuses reports that would be too large. */
const WHOLE = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };

/** The column `url` may be requested. The report on pages always has it. */
const downloadParams = reportParams.extend({
  report_type: field(oneOf(REPORTS), "Which report the file holds."),
  columns: field(listOf(oneOf([...ALL_COLUMNS, "url"])), "The columns to show.", [
    "revenue_amount",
    "clicks_count",
  ]),
  q: field(text.optional(), "The same as in the report.", "id:5"),
  totals: field(flag.optional(), "`true` adds a row for the whole range. Default: `false`."),
});

/** One line of a file, by column. */
type Line = Record<string, string | number | undefined>;

export const downloadReport: V2Operation = {
  id: "downloadReport",
  summary: "Download a report as a CSV file",
  description:
    "Answers a whole report as a CSV file, with a line for each period. Sums of money are in units of the currency, and in cents in a second column, such as `revenue_amount_cents`.",
  params: downloadParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  handle: download,
};

/** The file is always the answer itself, never a background job. Reports that would be too large are refused. */
async function download(request: V2Request) {
  const { params, query } = readListing(request, downloadParams);
  const columns = params.columns.filter((name) => name !== "url");
  if (params.report_type in ORIGIN_REPORTS) refuseOtherColumns(columns);
  const report = { ...queryOf({ ...params, columns }), mostBytes: STREAMED_BYTES };
  const selection = { q: params.q, sort: sortOf(params.sorting, query), window: WHOLE };
  const lines = await LINES[params.report_type](request, report, {
    ...selection,
    hasTotals: params.totals ?? false,
  });
  const { from, to } = report.range;
  const name = `${params.report_type}-${from}-${to}.csv`;
  request.headers["content-disposition"] = `attachment; filename="${name}"`;
  const titles = [...TITLES[params.report_type], "period", ...report.columns.flatMap(titlesOf)];
  const { currency } = request.account;
  return csvForPeople(
    lines.map((line) => withAmounts(line, report.columns, currency)),
    { header: true, columns: titles },
  );
}

/** Money has two columns: one in units of the currency for people, one in cents for programs. */
function isMoney(column: Column): boolean {
  return column.endsWith("_amount") || column.endsWith("_epc");
}

function titlesOf(column: Column): string[] {
  return isMoney(column) ? [column, `${column}_cents`] : [column];
}

/** The column of an amount has units of the currency; a second column has the cents. */
function withAmounts(line: Line, columns: Column[], currency: string): Line {
  const decimals = exponentOf(currency) ?? 2;
  const sums = columns.filter(isMoney).map((column) => {
    const cents = line[column];
    const amount = typeof cents === "number" ? Number((cents / 10 ** decimals).toFixed(decimals)) : cents;
    return { [column]: amount, [`${column}_cents`]: cents };
  });
  return Object.assign({}, line, ...sums) as Line;
}

type Report = (typeof REPORTS)[number];
type Wanted = Selection & { hasTotals: boolean };

const TITLES: Record<Report, string[]> = {
  overview: [],
  campaigns: ["campaign_id", "campaign"],
  promoters: ["promoter_id", "promoter"],
  ...ofOrigins(({ subject }) => [subject]),
};

type Lines = (request: V2Request, report: V2ReportQuery, wanted: Wanted) => Promise<Line[]>;

const LINES: Record<Report, Lines> = {
  overview: overviewLines,
  campaigns: async (request, report, wanted) =>
    groupLines(await findCampaigns(request, report, wanted), { report, wanted, name: "campaign" }),
  promoters: async (request, report, wanted) =>
    groupLines(await findPromoters(request, report, wanted), { report, wanted, name: "promoter" }),
  ...ofOrigins(({ kind, subject }): Lines => async (request, report, wanted) => {
    const found = await findOrigins(request, report, { kind, ...wanted });
    return groupLines(found, { report, wanted, name: subject });
  }),
};

function ofOrigins<T>(make: (report: (typeof ORIGIN_REPORTS)[OriginName]) => T): Record<OriginName, T> {
  return Object.fromEntries(ORIGIN_NAMES.map((name) => [name, make(ORIGIN_REPORTS[name])])) as Record<
    OriginName,
    T
  >;
}

/** Some figures are not counted by source and page. @throws Failure `invalid` */
function refuseOtherColumns(columns: Column[]): void {
  if (columns.every((name) => (ORIGIN_COLUMNS as Column[]).includes(name))) return;
  const fields = { columns: [`is not one of ${ORIGIN_COLUMNS.join(", ")}`] };
  throw new Failure("invalid", describe(fields), fields);
}

async function overviewLines(
  { account, context: { store } }: V2Request,
  report: V2ReportQuery,
  { q, sort, hasTotals }: Wanted,
): Promise<Line[]> {
  const rows = await reportOverview(store, account.id, { ...report, sort });
  const lines = narrowed(
    rows.map((row) => rowJson(row, report)),
    q,
  ).map(({ period, data }): Line => ({ period, ...data }));
  if (!hasTotals) return lines;
  return [...lines, totalLine(await reportTotal(store, account.id, report), report.columns)];
}

async function groupLines(
  { groups }: FoundGroups<number | string>,
  { report, wanted, name }: { report: V2ReportQuery; wanted: Wanted; name: string },
): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const group of groups) {
    const subject: Line = { [`${name}_id`]: group.id, [name]: group.name };
    for (const row of group.rows) {
      const { period, data } = rowJson(row, report);
      lines.push({ ...subject, period, ...data });
    }
    if (wanted.hasTotals) lines.push({ ...subject, ...totalLine(group.total, report.columns) });
  }
  return lines;
}

function totalLine(figures: ReportGroup["total"], columns: Column[]): Line {
  return { period: "total", ...dataJson(figures, columns) };
}
