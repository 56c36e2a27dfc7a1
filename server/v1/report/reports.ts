import { z } from "zod";
import { setImmediate as othersTurn } from "node:timers/promises";
import { reportCampaigns, reportOverview, type ReportGroup } from "../../domain/report/report.ts";
import { reportPromoters } from "../../domain/report/promoters.ts";
import type { Failure } from "../../failure.ts";
import { json, type AnswerHeaders } from "../../http/answer.ts";
import { v2ErrorAnswer } from "../../http/error-answers.ts";
import { v1Error } from "../../http/errors.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { listParams, MOST_PER_PAGE } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import {
  columnsAnswer,
  figureOf,
  reportWriter,
  rowAnswer,
  type Column,
  type ReportWriter,
} from "./report-columns.ts";
import {
  ROWS_PER_PAGE,
  overviewParams,
  promotersParams,
  readReportParams,
  readReportQuery,
  reportParams,
} from "./report-params.ts";
import { field } from "../../http/fields.ts";

/** The default columns. @see docs/spec/v1.md "Reports" */
const USUAL_COLUMNS: Column[] = ["revenue_amount", "clicks_count", "referrals_count", "customers_count"];

/** The bodies for which `reportError` differs from other errors of V1. */
const REPORT_BODIES = { invalid: v2ErrorAnswer };

const items = z.array(rowAnswer);

/** `GET /api/v1/reports/overview` */
export const overviewReport: V1Operation = {
  id: "v1ReportOverview",
  summary: "Report on the account, period by period",
  description: "Reports visitors, leads, customers and money of the whole account by day, month or year.",
  mayBeAged: true,
  params: listParams(overviewParams, MOST_PER_PAGE),
  answer: items,
  isPaged: true,
  refusals: ["invalid"],
  bodies: REPORT_BODIES,
  shape: reportError,
  handle: overview,
};

/** `GET /api/v1/reports/campaigns` */
export const campaignsReport: V1Operation = {
  id: "v1ReportCampaigns",
  summary: "Report on each campaign, period by period",
  description: "Reports the same figures for each campaign.",
  mayBeAged: true,
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

/** `GET /api/v1/reports/promoters` */
export const promotersReport: V1Operation = {
  id: "v1ReportPromoters",
  summary: "Report on the promoters with the highest value in a column, period by period",
  description: "Reports the same figures for each promoter. Those with the highest `top_50` come first.",
  mayBeAged: true,
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

/**
 * By default, the greatest values of the first column come first. Choice: by default, one page holds all
 * periods, because there are never more than a page may hold.
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

/** Choice: the default page length is the maximum, so that few accounts need a second page. */
async function campaigns(request: V1Request) {
  const { account, context } = request;
  const { params, page } = await readReportParams(request, reportParams, MOST_PER_PAGE);
  const query = readReportQuery(request, params, USUAL_COLUMNS);
  const { records, total } = await reportCampaigns(context.store, account.id, { ...query, page, sort: null });
  setPageHeaders(request, page, total);
  const writer = reportWriter(account.currency, query);
  return writeGroups(records, (group) => ({
    campaign_name: group.name,
    campaign_id: group.id,
    ...groupJson(group, writer),
  }));
}

/** Choice: `page` continues after the first fifty, in the same order. */
async function promoters(request: V1Request) {
  const { account, context } = request;
  const { params, page } = await readReportParams(request, promotersParams, ROWS_PER_PAGE);
  const query = readReportQuery(request, params, USUAL_COLUMNS);
  const { records, total } = await reportPromoters(context.store, account.id, {
    ...query,
    promoterIds: params.promoter_ids ?? null,
    text: null,
    sort: { by: figureOf(params.top_50 ?? "revenue_amount"), isDescending: true },
    page,
  });
  setPageHeaders(request, page, total);
  const writer = reportWriter(account.currency, query);
  return writeGroups(records, (group) => ({
    promoter_name: group.name,
    promoter_id: group.id,
    ...groupJson(group, writer),
  }));
}

/** Yields between groups, because formatting many amounts and dates takes time that other requests need. */
async function writeGroups<T>(groups: ReportGroup[], write: (group: ReportGroup) => T): Promise<T[]> {
  const written: T[] = [];
  for (const group of groups) {
    written.push(write(group));
    await othersTurn();
  }
  return written;
}

function groupJson({ total, rows }: ReportGroup, writer: ReportWriter) {
  return { items: rows.map(writer.row), ...writer.columns(total) };
}

/** Invalid parameters get `{message, code}`. */
function reportError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind !== "invalid") return v1Error(failure, headers);
  return json({ message: failure.message, code: "invalid_params" }, headers, 422);
}
