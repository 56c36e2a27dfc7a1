import { z } from "zod";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import {
  reportCampaigns,
  reportOverview,
  reportPromoters,
  reportTotal,
  type FoundGroups,
  type ReportGroup,
  type ReportQuery,
  type Sort,
} from "../../domain/reports/report.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { flag, text, calendarDay, direction, id, listOf, oneOf } from "../../input/fields.ts";
import type { Window } from "../../storage/query.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing, pageParams } from "../../resource/listing.ts";
import {
  dataAnswer,
  dataJson,
  rowAnswer,
  rowJson,
  ALL_COLUMNS,
  figureOf,
  orders,
  type Column,
} from "./report-columns.ts";
import { field, recordId } from "../../http/fields.ts";
import { GROUPINGS } from "../../domain/reports/figures.ts";
import type { Query } from "../../http/parameters/pairs.ts";

const group = {
  id: recordId,
  data: field(dataAnswer, "The records."),
  sub_data: field(z.array(rowAnswer), "The same for each period."),
};

export const reportParams = paramsOf(ALL_COLUMNS);

const overviewParams = reportParams.extend({
  q: field(text.optional(), "Text to search for in the names of periods.", "2026-03"),
  totals: field(flag.optional(), "`true` adds a row for the whole range. Default: `false`."),
});

/** The last sentence in the description of each report. */
export const QUERY = "Choose `columns`, the days, and whether each row is a day, week, month or year.";

export const overviewReport: V2Operation = {
  id: "reportOverview",
  summary: "Report on the account, period by period",
  description: `Shows the account's figures period by period. ${QUERY}`,
  params: overviewParams,
  answer: z.array(rowAnswer),
  refusals: ["invalid"],
  handle: overview,
};
const pagedParams = reportParams.extend(pageParams.shape);

export const campaignsReport: V2Operation = {
  id: "reportCampaigns",
  summary: "Report on each campaign, period by period",
  description: `Shows each campaign's figures. ${QUERY}`,
  params: pagedParams.extend({
    q: field(text.optional(), "Text to search for in names, or `id:5` for one campaign.", "id:5"),
  }),
  answer: z.array(
    z
      .object({ campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."), ...group })
      .meta({ id: "CampaignReport" }),
  ),
  isPaged: true,
  refusals: ["invalid"],
  handle: listCampaigns,
};

export const promotersReport: V2Operation = {
  id: "reportPromoters",
  summary: "Report on each promoter who had any of the figures, period by period",
  description: `Shows the figures of each promoter who had any, those with the most revenue first. ${QUERY}`,
  params: pagedParams.extend({
    q: field(
      text.optional(),
      "Text to search for in names and e-mail addresses, or `id:5` for one promoter.",
      "id:5",
    ),
  }),
  answer: z.array(
    z
      .object({ promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."), ...group })
      .meta({ id: "PromoterReport" }),
  ),
  isPaged: true,
  refusals: ["invalid"],
  handle: listPromoters,
};

async function overview(request: V2Request) {
  const { account, context } = request;
  const { params, query } = readListing(request, overviewParams);
  const report = queryOf(params);
  const sort = sortOf(params.sorting, query);
  const rows = await reportOverview(context.store, account.id, { ...report, sort });
  const shown = narrowed(
    rows.map((row) => rowJson(row, report)),
    params.q,
  );
  if (params.totals !== true) return shown;
  const data = dataJson(await reportTotal(context.store, account.id, report), report.columns);
  return [...shown, { period: "total", id: "total", data }];
}

/** `q` finds periods by name, such as `2026-03`. */
export function narrowed<R extends { period: string; id: string }>(rows: R[], q: string | undefined): R[] {
  const { text, id } = narrowing(q);
  return rows.filter((row) => (text === null || row.period.includes(text)) && (id === null || row.id === id));
}

async function listCampaigns(request: V2Request) {
  const { store } = request.context;
  const { params, query, page, window } = readListing(request, pagedParams);
  const report = queryOf(params);
  const selection = { q: params.q, sort: sortOf(params.sorting, query), window };
  const { groups, total } = await findCampaigns(request, report, selection);
  setPageHeaders(request, page, total);
  const shown = [];
  for await (const each of groups) {
    const campaign = await store.get(campaigns, request.account.id, each.id);
    if (campaign !== null)
      shown.push({ campaign: embeddedCampaignJson(campaign), ...groupJson(each, report) });
  }
  return shown;
}

async function listPromoters(request: V2Request) {
  const { store } = request.context;
  const { params, query, page, window } = readListing(request, pagedParams);
  const report = queryOf(params);
  const selection = { q: params.q, sort: sortOf(params.sorting, query), window };
  const { groups, total } = await findPromoters(request, report, selection);
  setPageHeaders(request, page, total);
  const shown = [];
  for await (const each of groups) {
    const promoter = await store.get(promoters, request.account.id, each.id);
    if (promoter !== null)
      shown.push({ promoter: embeddedPromoterJson(promoter), ...groupJson(each, report) });
  }
  return shown;
}

/** The groups of a report, and their order. */
export interface Selection {
  q: string | undefined;
  sort: ReturnType<typeof sortOf>;
  window: Window;
}

/** The campaigns of a report, by default oldest first. */
export function findCampaigns(
  { account, context }: V2Request,
  report: V2ReportQuery,
  { q, sort, window }: Selection,
): Promise<FoundGroups> {
  const { text, id } = narrowing(q);
  return reportCampaigns(context.store, account.id, {
    ...report,
    keeps: (campaign) =>
      (text === null || campaign.name.toLowerCase().includes(text)) &&
      (id === null || campaign.id === numberOf(id)),
    sort,
    page: window,
  });
}

/** The promoters of a report, by default those with the most revenue first. */
export function findPromoters(
  { account, context }: V2Request,
  report: V2ReportQuery,
  { q, sort, window }: Selection,
): Promise<FoundGroups> {
  const { text, id } = narrowing(q);
  return reportPromoters(context.store, account.id, {
    ...report,
    promoterIds: id === null ? null : [numberOf(id) ?? 0],
    text,
    sort: sort ?? { by: "revenueCents", isDescending: true },
    page: window,
  });
}

function groupJson({ id, total, rows }: ReportGroup, report: V2ReportQuery) {
  return {
    id,
    data: dataJson(total, report.columns),
    sub_data: rows.map((row) => rowJson(row, report)),
  };
}

/** The parameters of a report that has these columns. @see docs/spec/v2.md "Reports" */
export function paramsOf<N extends Column>(names: readonly [N, ...N[]]) {
  return z.object({
    columns: field(listOf(oneOf(names)), "The columns to show.", ["revenue_amount", "clicks_count"]),
    q: field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"),
    group_by: field(
      oneOf(GROUPINGS),
      "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
    ),
    start_date: field(
      calendarDay,
      "First day of the report. Default: twelve months before its last day.",
      "2025-03-01",
    ),
    end_date: field(calendarDay, "Last day of the report. Default: today.", "2026-02-28"),
    sorting: field(
      orders(names, direction).optional(),
      "Order of the records. Of several, the first counts most.",
    ),
  });
}

type Params = Pick<z.output<typeof reportParams>, "columns" | "group_by" | "start_date" | "end_date">;

/** A report's query and the columns to write. */
export interface V2ReportQuery extends ReportQuery {
  columns: Column[];
}

/** The query of a report. */
export function queryOf(params: Params): V2ReportQuery {
  const columns = [...new Set(params.columns)];
  return {
    range: { from: params.start_date, to: params.end_date },
    groupBy: params.group_by,
    columns,
    figures: columns.map(figureOf),
  };
}

/** The first sort column in the query, or null if there is none. */
export function sortOf(
  sorting: Partial<Record<Column, "asc" | "desc" | undefined>> | undefined,
  query: Query,
): Sort | null {
  const names = Object.keys(query["sorting"] ?? {}) as Column[];
  const name = names.find((each) => sorting?.[each] !== undefined);
  return name === undefined ? null : { by: figureOf(name), isDescending: sorting?.[name] === "desc" };
}

/** The text or the id (`id:5`) that a report is filtered by. */
export function narrowing(q: string | undefined): { text: string | null; id: string | null } {
  const wanted = q?.trim().toLowerCase() ?? "";
  const [, named = null] = /^id:\s*(\S+)$/.exec(wanted) ?? [];
  return { id: named, text: wanted === "" || named !== null ? null : wanted };
}

/** The number in `id:5`, or null if it is not a number. */
function numberOf(named: string): number | null {
  const parsed = id.safeParse(named);
  return parsed.success ? parsed.data : null;
}
