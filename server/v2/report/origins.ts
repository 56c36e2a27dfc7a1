import { z } from "zod";
import { reportOrigins } from "../../domain/report/origins.ts";
import type { ReportGroup } from "../../domain/report/report.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { listOf, oneOf } from "../../input/fields.ts";
import type { OriginKind } from "../../domain/origin/origin.ts";
import type { Found } from "../../storage/query.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { dataAnswer, dataJson, ORIGIN_COLUMNS, rowAnswer, rowJson, type Column } from "./report-columns.ts";
import { narrowing, paramsOf, queryOf, sortOf, type V2ReportQuery } from "./report-params.ts";
import type { Selection } from "./reports.ts";

const sourceParams = paramsOf(ORIGIN_COLUMNS).extend(pageParams.shape);

/** The column `url` may be asked for. It is always there. */
const urlParams = sourceParams.extend({ columns: listOf(oneOf([...ORIGIN_COLUMNS, "url"])) });

const group = { id: z.string(), data: dataAnswer, sub_data: z.array(rowAnswer) };

/** `GET /api/v2/company/reports/traffic_sources` */
export const trafficSourcesReport: V2Operation = {
  summary: "Report on the sites that visitors came from",
  mayBeAged: true,
  params: sourceParams,
  answer: z.array(z.object({ source: z.string(), ...group }).meta({ id: "TrafficSourceReport" })),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request: V2Request) {
    const { groups, report } = await list(request, "source", sourceParams);
    return groups.map((each) => ({ source: each.name, ...groupJson(each, report) }));
  },
};

/** `GET /api/v2/company/reports/urls` */
export const urlsReport: V2Operation = {
  summary: "Report on the pages that visitors reached",
  mayBeAged: true,
  params: urlParams,
  answer: z.array(z.object({ url: z.string(), ...group }).meta({ id: "UrlReport" })),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request: V2Request) {
    const { groups, report } = await list(request, "page", urlParams);
    return groups.map((each) => ({ url: each.name, ...groupJson(each, report) }));
  },
};

async function list(request: V2Request, kind: OriginKind, schema: typeof sourceParams | typeof urlParams) {
  const { params, query, page, window } = readListing(request, schema);
  const columns = (params.columns as (Column | "url")[]).filter((name) => name !== "url");
  const report = queryOf({ ...params, columns });
  const selection = { q: params.q, sort: sortOf(params.sorting, query), window };
  const { records, total } = await findOrigins(request, report, { kind, ...selection });
  setPageHeaders(request, page, total);
  return { groups: records, report };
}

/** The sources or pages of a report. Choice: those with the most clicks come first unless told otherwise. */
export function findOrigins(
  { account, context }: V2Request,
  report: V2ReportQuery,
  { kind, q, sort, window }: Selection & { kind: OriginKind },
): Promise<Found<ReportGroup<string>>> {
  const wanted = narrowing(q);
  return reportOrigins(context.store, account.id, {
    ...report,
    kind,
    keeps: ({ id, name }) =>
      (wanted.text === null || name.toLowerCase().includes(wanted.text)) &&
      (wanted.id === null || id === wanted.id),
    sort: sort ?? { by: "clicks", isDescending: true },
    page: window,
  });
}

function groupJson({ id, total, rows }: ReportGroup<string>, report: V2ReportQuery) {
  return {
    id,
    data: dataJson(total, report.columns),
    sub_data: rows.map((row) => rowJson(row, report)),
  };
}
