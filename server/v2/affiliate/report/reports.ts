import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { reportOwn } from "../../../domain/reports/chart.ts";
import { reportSubIds } from "../../../domain/reports/origins.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import type { Query } from "../../../http/parameters/pairs.ts";
import { flag, id } from "../../../input/fields.ts";
import type { Window } from "../../../storage/query.ts";
import { pageParams, readListing } from "../../params.ts";
import {
  ORIGIN_COLUMNS,
  OWN_COLUMNS,
  dataAnswer,
  dataJson,
  rowAnswer,
  rowJson,
} from "../../report/report-columns.ts";
import { narrowing, paramsOf, queryOf, sortOf } from "../../report/report-params.ts";
import { narrowed } from "../../report/reports.ts";
import { csvFile, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { field } from "../../../http/fields.ts";

const inCampaign = { promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31) };
const params = paramsOf(OWN_COLUMNS).extend({
  ...inCampaign,
  totals: field(flag.optional(), "`true` adds a row for the whole range. Default: `false`."),
});
const channelParams = paramsOf(ORIGIN_COLUMNS).extend(inCampaign);
const subIdParams = channelParams.extend(pageParams.shape);

/** More than a promoter campaign has channels. */
const MOST_LINES = 10_000;

/** `GET /api/v2/affiliate/reports/overview` */
export const ownOverviewOperation: AffiliateOperation = {
  id: "getOwnReport",
  summary: "Report on the promoter's figures, period by period",
  description: "Reports on the promoter's figures, period by period.",
  mayBeAged: true,
  params,
  answer: z.array(rowAnswer),
  refusals: ["invalid"],
  handle: async (request) => (await overview(request)).rows,
};

/** `GET /api/v2/affiliate/reports/download` */
export const ownDownloadOperation: AffiliateOperation = {
  id: "downloadOwnReport",
  summary: "Download the promoter's report as a CSV file",
  description: "Downloads the report on the promoter's figures as CSV.",
  mayBeAged: true,
  params,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { rows, columns, name } = await overview(request);
    const lines = rows.map((row) => ({ period: row.period, ...row.data }));
    return csvFile(request, { name: `${name}.csv`, columns: ["period", ...columns], lines });
  },
};

/** `GET /api/v2/affiliate/reports/sub_ids` */
export const ownSubIdsOperation: AffiliateOperation = {
  id: "getOwnSubIdReport",
  summary: "Report on the promoter's channels",
  description:
    "Reports on the promoter's channels: the `sub_id` of the links that visitors came by. Those with the most clicks come first.",
  mayBeAged: true,
  params: subIdParams,
  answer: z.array(
    z
      .object({
        sub_id: field(z.string(), "The channel. `other`: those beyond the 200 that are kept.", "newsletter"),
        id: field(z.string(), "Names the channel in `q=id:…`.", "a5eb25da6b4f25a2658ce7bbad4043ef"),
        data: field(dataAnswer, "The records."),
        sub_data: field(z.array(rowAnswer), "The same for each period."),
      })
      .meta({ id: "SubIdReport" }),
  ),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params: given, query, page, window } = readListing(request, subIdParams);
    const { report, records, total } = await channels(request, { given, query, window });
    setPageHeaders(request, page, total);
    return records.map((channel) => ({
      sub_id: channel.name,
      id: channel.id,
      data: dataJson(channel.total, report.columns),
      sub_data: channel.rows.map((row) => rowJson(row, report)),
    }));
  },
};

/** `GET /api/v2/affiliate/reports/sub_ids/download` */
export const ownSubIdsDownloadOperation: AffiliateOperation = {
  id: "downloadOwnSubIdReport",
  summary: "Download the report on the promoter's channels as a CSV file",
  description:
    "Downloads the report on the promoter's channels as CSV, a line for each channel. Amounts are in cents. An extension of Tidemark.",
  mayBeAged: true,
  params: channelParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params: given, query } = readListing(request, channelParams);
    const window = { limit: MOST_LINES, offset: 0 };
    const { report, records } = await channels(request, { given, query, window });
    const { from, to } = report.range;
    return csvFile(request, {
      name: `channels-${from}-${to}.csv`,
      columns: ["sub_id", ...report.columns],
      lines: records.map(({ name, total }) => ({ sub_id: name, ...dataJson(total, report.columns) })),
    });
  },
};

interface Channels {
  given: z.output<typeof channelParams>;
  query: Query;
  window: Window;
}

/** The promoter's channels with events in the range. */
async function channels(request: AffiliateRequest, { given, query, window }: Channels) {
  const report = queryOf(given);
  const wanted = narrowing(given.q);
  const found = await reportSubIds(request.context.store, {
    ...report,
    promoterCampaigns: await ownCampaigns(request, given.promoter_campaign_id),
    keeps: ({ id, name }) =>
      (wanted.text === null || name.toLowerCase().includes(wanted.text)) &&
      (wanted.id === null || id === wanted.id),
    sort: sortOf(given.sorting, query) ?? { by: "clicks", isDescending: true },
    page: window,
  });
  return { report, ...found };
}

async function overview(request: AffiliateRequest) {
  const { params: given, query } = readListing(request, params);
  const report = queryOf(given);
  const { columns } = report;
  const found = await reportOwn(request.context.store, {
    ...report,
    promoterCampaigns: await ownCampaigns(request, given.promoter_campaign_id),
    sort: sortOf(given.sorting, query),
  });
  const periods = found.rows.map((row) => rowJson(row, report));
  const rows = narrowed(periods, given.q);
  const total = { period: "total", id: "total", data: dataJson(found.total, columns) };
  const { from, to } = report.range;
  return {
    rows: given.totals === true ? [...rows, total] : rows,
    columns,
    name: `overview-${from}-${to}`,
  };
}

/** The promoter's campaigns, or only the requested one. */
async function ownCampaigns({ context, promoter }: AffiliateRequest, only: number | undefined) {
  const joined = await listPromoterCampaigns(context.store, promoter.accountId, promoter.id);
  return joined.filter((each) => only === undefined || each.id === only);
}
