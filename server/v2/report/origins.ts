import { z } from "zod";
import { reportOrigins } from "../../domain/reports/origins.ts";
import type { FoundGroups, ReportGroup } from "../../domain/reports/report.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { listOf, oneOf, text } from "../../input/fields.ts";
import type { OriginKind } from "../../domain/people/origin.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../../resource/listing.ts";
import { dataAnswer, dataJson, ORIGIN_COLUMNS, rowAnswer, rowJson, type Column } from "./report-columns.ts";
import {
  QUERY,
  narrowing,
  paramsOf,
  queryOf,
  sortOf,
  type V2ReportQuery,
  type Selection,
} from "./reports.ts";
import { field } from "../../http/fields.ts";

const params = paramsOf(ORIGIN_COLUMNS).extend(pageParams.shape);
const sourceParams = params.extend({
  q: field(text.optional(), "Text to search for in sources, or `id:…` for one.", "news.example"),
});

/** The column `url` may be requested, but is always there. */
const urlParams = params.extend({
  q: field(text.optional(), "Text to search for in addresses, or `id:…` for one.", "/pricing"),
  columns: field(listOf(oneOf([...ORIGIN_COLUMNS, "url"])), "The columns to show.", [
    "revenue_amount",
    "clicks_count",
  ]),
});

const ID = "5d41402abc4b2a76b9719d911017c592";
const group = {
  data: field(dataAnswer, "The records."),
  sub_data: field(z.array(rowAnswer), "The same for each period."),
};

/** A report by one kind of origin. */
interface OriginReport {
  kind: OriginKind;
  /** The field with the name, and its column in the file. */
  subject: string;
  operation: V2Operation;
}

/** `GET /api/v2/company/reports/traffic_sources` and the others, by their name there and in the download. */
export const ORIGIN_REPORTS = {
  traffic_sources: originReport({
    kind: "source",
    subject: "source",
    id: "reportTrafficSources",
    schema: "TrafficSourceReport",
    thing: "site that visitors came from",
    things: "sites that visitors came from",
    params: sourceParams,
    name: field(
      z.string(),
      "The site that visitors came from, otherwise `utm_source`, otherwise `direct`. `other`: those beyond the first thousand.",
      "news.example",
    ),
  }),
  urls: originReport({
    kind: "page",
    subject: "url",
    id: "reportUrls",
    schema: "UrlReport",
    thing: "page that visitors reached",
    things: "pages that visitors reached",
    params: urlParams,
    name: field(
      z.string(),
      "The page that visitors reached, without its query. `other`: those beyond the first thousand.",
      "https://www.example.com/pricing",
    ),
  }),
};

interface Described extends Pick<OriginReport, "kind" | "subject"> {
  id: string;
  schema: string;
  thing: string;
  things: string;
  params: typeof sourceParams | typeof urlParams;
  /** The field of the name. */
  name: z.ZodString;
}

function originReport({ kind, subject, id, schema, thing, things, params, name }: Described): OriginReport {
  const operation: V2Operation = {
    id,
    summary: `Report on the ${things}`,
    description: `Shows the figures of each ${thing}, those with the most clicks first. ${QUERY}`,
    params,
    answer: z.array(
      z
        .object({ [subject]: name, id: field(z.string(), `Id of the ${kind}.`, ID), ...group })
        .meta({ id: schema }),
    ),
    isPaged: true,
    refusals: ["invalid"],
    async handle(request: V2Request) {
      const { groups, report } = await list(request, kind, params);
      const shown = [];
      for await (const each of groups) shown.push({ [subject]: each.name, ...groupJson(each, report) });
      return shown;
    },
  };
  return { kind, subject, operation };
}

async function list(request: V2Request, kind: OriginKind, schema: typeof sourceParams | typeof urlParams) {
  const { params, query, page, window } = readListing(request, schema);
  const columns = (params.columns as (Column | "url")[]).filter((name) => name !== "url");
  const report = queryOf({ ...params, columns });
  const selection = { q: params.q, sort: sortOf(params.sorting, query), window };
  const { groups, total } = await findOrigins(request, report, { kind, ...selection });
  setPageHeaders(request, page, total);
  return { groups, report };
}

/** The sources or pages of a report, by default those with the most clicks first. */
export function findOrigins(
  { account, context }: V2Request,
  report: V2ReportQuery,
  { kind, q, sort, window }: Selection & { kind: OriginKind },
): Promise<FoundGroups<string>> {
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
