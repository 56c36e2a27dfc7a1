import { z } from "zod";
import { dayOf } from "../domain/program/account/time-zone.ts";
import { moneyFormat } from "../domain/money.ts";
import { addMonths, type Figure, type Figures } from "../domain/reports/figures.ts";
import {
  reportCampaigns,
  reportOverview,
  reportPromoters,
  STREAMED_BYTES,
  type FoundGroups,
  type ReportGroup,
  type ReportQuery,
  type ReportRow,
} from "../domain/reports/report.ts";
import type { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { v1Error, v2ErrorAnswer } from "../http/errors.ts";
import { setPageHeaders, type Page } from "../http/pages.ts";
import { readNestedParams } from "../http/parameters/form.ts";
import { calendarDay, direction, id, listOf, oneOf, splitList } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import { listParams, MOST_PER_PAGE, readListPage, type V1Operation, type V1Request } from "./operation.ts";
import { field } from "../http/fields.ts";

/** Each column with its figure and its form. Money is text. */
const COLUMNS = {
  revenue_amount: ["revenueCents", field(z.string(), "Sum of the sales.", "$2,500.00")],
  clicks_count: ["clicks", field(z.number(), "How many visitors followed the link.", 340)],
  referrals_count: ["referrals", field(z.number(), "How many people signed up.", 42)],
  customers_count: ["customers", field(z.number(), "How many of them became customers.", 12)],
  active_customers: ["active_customers", field(z.number(), "How many people are customers now.", 10)],
  monthly_churn: [
    "monthlyChurnPercent",
    field(z.number(), "Percentage of customers who cancelled within a month.", 1.5),
  ],
  net_revenue_amount: [
    "netRevenueCents",
    field(z.string(), "Sum of the sales without refunds and commissions.", "$2,000.00"),
  ],
  sales_count: ["sales", field(z.number(), "How many sales were made.", 25)],
  refunds_count: ["refunds", field(z.number(), "How many sales were refunded.", 1)],
  cancelled_customers_count: ["cancellations", field(z.number(), "How many customers cancelled.", 2)],
  promoter_earnings_amount: ["earnings_cents", field(z.string(), "What promoters earned.", "$500.00")],
  non_link_customers: [
    "non_link_customers",
    field(z.number(), "How many customers came without a referral link, for example with a promo code.", 4),
  ],
  referrals_to_customers_cr: [
    "referralsToCustomersPercent",
    field(z.number(), "Percentage of leads who became customers.", 28.6),
  ],
  "3m_epc": [
    "earningsPerClickOf3MonthsCents",
    field(z.string(), "Earnings for each click over three months.", "$1.47"),
  ],
  "6m_epc": [
    "earningsPerClickOf6MonthsCents",
    field(z.string(), "Earnings for each click over six months.", "$1.52"),
  ],
  clicks_to_customers_cr: [
    "clicksToCustomersPercent",
    field(z.number(), "Percentage of visitors who became customers.", 3.5),
  ],
  clicks_to_referrals_cr: [
    "clicksToReferralsPercent",
    field(z.number(), "Percentage of visitors who signed up.", 12.4),
  ],
  promoter_paid_amount: ["paid_cents", field(z.string(), "What promoters were paid.", "$400.00")],
} as const satisfies Record<string, [Figure, z.ZodString | z.ZodNumber]>;

type Column = keyof typeof COLUMNS;

/** The columns of a row: money as text with its currency, everything else as numbers, rates in percent. */
const columnsAnswer = z
  .object(
    Object.fromEntries(Object.entries(COLUMNS).map(([name, [, form]]) => [name, form])) as Record<
      Column,
      z.ZodString | z.ZodNumber
    >,
  )
  .partial();

/** One row of a report with the name of its period. */
const rowAnswer = columnsAnswer
  .extend({ period: field(z.string(), "The day, month or year that the row is about.", "Mar 2026") })
  .meta({ id: "V1ReportRow" });

const items = z.array(rowAnswer);

/** A comma-separated list without its blank items. */
const commaListOf = <S extends z.ZodType>(item: S) =>
  z
    .preprocess((value) => withoutBlanks(splitList(value)), listOf(item))
    .transform((items) => (items.length === 0 ? undefined : items));

export const COLUMN_NAMES = Object.keys(COLUMNS) as [Column, ...Column[]];

/** The name of a column. */
const column = oneOf(COLUMN_NAMES);

/** The lengths of periods. V1 knows no weeks. */
const V1_GROUPINGS = ["day", "month", "year"] as const;

/** The parameters of every report. @see docs/spec/v1.md "Reports" */
const reportParams = z
  .object({
    selected_fields: field(commaListOf(column), "Columns of the report. May be separated by commas."),
    group_by: field(oneOf(V1_GROUPINGS), "Whether each row is a day, a month or a year. Default: `month`."),
    start_date: field(
      calendarDay,
      "First day of the report. Default: twelve months before its last day.",
      "2025-03-01",
    ),
    end_date: field(calendarDay, "Last day of the report. Default: today.", "2026-02-28"),
  })
  .partial();

const overviewParams = reportParams.extend({
  sort: field(column.optional(), "Column that the rows are sorted by. Default: the first."),
  sort_dir: field(direction.optional(), "Order of the rows. Default: `desc`."),
});

/** The bodies for which `reportError` differs from other errors of V1. */
const REPORT_BODIES = { invalid: v2ErrorAnswer };

export const overviewReport: V1Operation = {
  id: "v1ReportOverview",
  summary: "Report on the account, period by period",
  description: "Reports visitors, leads, customers and money of the whole account by day, month or year.",
  params: listParams(overviewParams, MOST_PER_PAGE),
  answer: items,
  isPaged: true,
  refusals: ["invalid"],
  bodies: REPORT_BODIES,
  shape: reportError,
  handle: overview,
};

export const campaignsReport: V1Operation = {
  id: "v1ReportCampaigns",
  summary: "Report on each campaign, period by period",
  description: "Reports the same figures for each campaign.",
  params: listParams(reportParams, MOST_PER_PAGE),
  answer: z.array(
    columnsAnswer
      .extend({
        campaign_name: field(z.string(), "Name of the campaign.", "Partners"),
        campaign_id: field(z.int(), "Id of the campaign.", 1),
        items: field(items, "One row for each day, month or year."),
      })
      .meta({ id: "V1CampaignReport" }),
  ),
  isPaged: true,
  refusals: ["invalid"],
  bodies: REPORT_BODIES,
  shape: reportError,
  handle: campaigns,
};

const promotersParams = reportParams.extend({
  promoter_ids: field(
    commaListOf(id).optional(),
    "Ids of the promoters to report on. May be separated by commas. Default: all.",
    [17, 18],
  ),
  top_50: field(
    column.optional(),
    "Column that decides which promoters come first. Default: `revenue_amount`.",
  ),
});

/** The page size of the report on promoters. */
const ROWS_PER_PAGE = 50;

export const promotersReport: V1Operation = {
  id: "v1ReportPromoters",
  summary: "Report on the promoters with the highest value in a column, period by period",
  description: "Reports the same figures for each promoter. Those with the highest `top_50` come first.",
  params: listParams(promotersParams, ROWS_PER_PAGE),
  answer: z.array(
    columnsAnswer
      .extend({
        promoter_name: field(z.string(), "Name of the promoter.", "Jane Doe"),
        promoter_id: field(z.int(), "Id of the promoter.", 17),
        items: field(items, "One row for each day, month or year."),
      })
      .meta({ id: "V1PromoterReport" }),
  ),
  isPaged: true,
  refusals: ["invalid"],
  bodies: REPORT_BODIES,
  shape: reportError,
  handle: promoters,
};

function withoutBlanks(list: unknown): unknown {
  return Array.isArray(list) ? list.filter((item) => item !== "") : list;
}

/** Invalid parameters get `{message, code}`. */
function reportError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind !== "invalid") return v1Error(failure, headers);
  return json({ message: failure.message, code: "invalid_params" }, headers, 422);
}

/** The default columns. @see docs/spec/v1.md "Reports" */
const USUAL_COLUMNS: Column[] = ["revenue_amount", "clicks_count", "referrals_count", "customers_count"];

/**
 * By default, the greatest values of the first column come first, and all periods are on one page, because there are
 * never more than the maximum page size.
 */
async function overview(request: V1Request) {
  const { account, context } = request;
  const { params, page } = await readReportParams(request, overviewParams, MOST_PER_PAGE);
  const query = readReportQuery(request, params, [...USUAL_COLUMNS, "promoter_earnings_amount"]);
  const by = figureOf(params.sort ?? query.columns[0] ?? "revenue_amount");
  const sort = { by, isDescending: params.sort_dir !== "asc" };
  const rows = await reportOverview(context.store, account.id, { ...query, sort });
  setPageHeaders(request, page, rows.length);
  const shown = rows.slice(page.offset, page.offset + page.limit);
  return shown.map(reportWriter(account.currency, query).row);
}

/** Reads the parameters and the requested page of a report. @throws Failure `invalid` */
async function readReportParams<S extends z.ZodObject>(
  { event }: V1Request,
  schema: S,
  usualPerPage: number,
): Promise<{ params: z.output<S>; page: Page }> {
  const given = await readNestedParams(event);
  return { params: shapeInput(schema, given), page: readListPage(given, usualPerPage) };
}

/** A report's query and the columns to write. */
interface V1ReportQuery extends ReportQuery {
  columns: Column[];
  groupBy: V1Grouping;
}

type V1Grouping = (typeof V1_GROUPINGS)[number];

const MONTHS_USUALLY = 12;

/** By default, the report covers the twelve months until today, by month. */
function readReportQuery(
  { account, context }: V1Request,
  params: z.output<typeof reportParams>,
  usualColumns: Column[],
): V1ReportQuery {
  const columns = [...new Set(params.selected_fields ?? usualColumns)];
  const to = params.end_date ?? dayOf(account, context.now);
  return {
    range: { from: params.start_date ?? addMonths(to, -MONTHS_USUALLY), to },
    groupBy: params.group_by ?? "month",
    columns,
    figures: columns.map(figureOf),
    mostBytes: STREAMED_BYTES,
  };
}

/** The figure of a column. */
function figureOf(name: Column): Figure {
  return COLUMNS[name][0];
}

/** Writes the rows of a report in the chosen columns. */
interface ReportWriter {
  columns(figures: Figures): z.output<typeof columnsAnswer>;
  row(row: ReportRow): z.output<typeof rowAnswer>;
}

const LABELS: Record<V1Grouping, Intl.DateTimeFormatOptions> = {
  day: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
  year: { year: "numeric" },
};

/**
 * Money is written like `$1,613.17`, a month like `Sep 2024`, a day like `Sep 12, 2024`, a year like `2024`.
 */
function reportWriter(
  currency: string,
  { columns, groupBy }: { columns: readonly Column[]; groupBy: V1Grouping },
): ReportWriter {
  const money = moneyFormat(currency);
  const label = new Intl.DateTimeFormat("en-US", { ...LABELS[groupBy], timeZone: "UTC" });
  const cell = (name: Column, figures: Figures): [Column, string | number] => {
    const [figure, form] = COLUMNS[name];
    const value = figures[figure] ?? 0;
    return [name, form instanceof z.ZodString ? money(value) : value];
  };
  const columnsJson = (figures: Figures): z.output<typeof columnsAnswer> =>
    Object.fromEntries(columns.map((name) => cell(name, figures)));
  return {
    columns: columnsJson,
    row: ({ period, figures }) => ({
      ...columnsJson(figures),
      period: label.format(new Date(period.from)),
    }),
  };
}

/** The default page size is the maximum, so that few accounts need a second page. */
async function campaigns(request: V1Request) {
  const { account, context } = request;
  const { params, page } = await readReportParams(request, reportParams, MOST_PER_PAGE);
  const query = readReportQuery(request, params, USUAL_COLUMNS);
  const { groups, total } = await reportCampaigns(context.store, account.id, { ...query, page, sort: null });
  setPageHeaders(request, page, total);
  const writer = reportWriter(account.currency, query);
  return writeGroups(groups, (group) => ({
    campaign_name: group.name,
    campaign_id: group.id,
    ...groupJson(group, writer),
  }));
}

/** Writes the groups one by one, because a report by day has megabytes. */
async function* writeGroups<T>(
  groups: FoundGroups["groups"],
  write: (group: ReportGroup) => T,
): AsyncGenerator<T> {
  for await (const group of groups) yield write(group);
}

function groupJson({ total, rows }: ReportGroup, writer: ReportWriter) {
  return { items: rows.map(writer.row), ...writer.columns(total) };
}

/** `page` continues after the first fifty, in the same order. */
async function promoters(request: V1Request) {
  const { account, context } = request;
  const { params, page } = await readReportParams(request, promotersParams, ROWS_PER_PAGE);
  const query = readReportQuery(request, params, USUAL_COLUMNS);
  const { groups, total } = await reportPromoters(context.store, account.id, {
    ...query,
    promoterIds: params.promoter_ids ?? null,
    text: null,
    sort: { by: figureOf(params.top_50 ?? "revenue_amount"), isDescending: true },
    page,
  });
  setPageHeaders(request, page, total);
  const writer = reportWriter(account.currency, query);
  return writeGroups(groups, (group) => ({
    promoter_name: group.name,
    promoter_id: group.id,
    ...groupJson(group, writer),
  }));
}
