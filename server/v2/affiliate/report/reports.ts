import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/promoter-campaign/of-promoter.ts";
import { reportOwn } from "../../../domain/report/promoter-report.ts";
import { reportSubIds } from "../../../domain/report/sub-ids.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { GROUPINGS } from "../../../domain/report/period.ts";
import { calendarDay, id, listOf, oneOf } from "../../../input/fields.ts";
import { pageParams, readListing } from "../../page-params.ts";
import {
  OWN_COLUMNS,
  dataAnswer,
  dataJson,
  figureOf,
  rowAnswer,
  rowJson,
} from "../../report/report-columns.ts";
import { csvFile } from "../exports.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

/** The columns that are counted by channel. */
const CHANNEL_COLUMNS = [
  "clicks_count",
  "referrals_count",
  "customers_count",
  "sales_count",
  "promoter_earnings_amount",
] as const;

const params = z.object({
  columns: listOf(oneOf(OWN_COLUMNS)),
  group_by: oneOf(GROUPINGS),
  start_date: calendarDay,
  end_date: calendarDay,
  promoter_campaign_id: id.optional(),
});

/** `GET /api/v2/affiliate/reports/overview` */
export const ownOverviewOperation: AffiliateOperation = {
  summary: "Report on the promoter's figures, period by period",
  mayBeAged: true,
  params,
  answer: z.object({ data: z.array(rowAnswer), total: dataAnswer }).meta({ id: "PortalReport" }),
  refusals: ["invalid"],
  async handle(request) {
    const { data, total } = await overview(request);
    return { data, total };
  },
};

/** `GET /api/v2/affiliate/reports/download` */
export const ownDownloadOperation: AffiliateOperation = {
  summary: "Download the promoter's report as a CSV file",
  mayBeAged: true,
  params,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { data, columns, name } = await overview(request);
    const lines = data.map((row) => ({ period: row.period, ...row.data }));
    return csvFile(request, { name: `${name}.csv`, columns: ["period", ...columns], lines });
  },
};

const subIdParams = params.omit({ group_by: true }).extend({
  columns: listOf(oneOf(CHANNEL_COLUMNS)),
  ...pageParams.shape,
});

/** `GET /api/v2/affiliate/reports/sub_ids` */
export const ownSubIdsOperation: AffiliateOperation = {
  summary: "Report on the promoter's channels",
  mayBeAged: true,
  params: subIdParams,
  answer: z.array(z.object({ sub_id: z.string(), data: dataAnswer }).meta({ id: "SubIdReport" })),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { context, promoter } = request;
    const { params: given, page, window } = readListing(request, subIdParams);
    const columns = [...new Set(given.columns)];
    const joined = await listPromoterCampaigns(context.store, promoter.accountId, promoter.id);
    const only = given.promoter_campaign_id;
    const found = await reportSubIds(context.store, {
      promoterCampaigns: joined.filter((each) => only === undefined || each.id === only),
      range: { from: given.start_date, to: given.end_date },
      groupBy: "year",
      figures: columns.map(figureOf),
    });
    setPageHeaders(request, page, found.length);
    const shown = found.slice(window.offset, window.offset + window.limit);
    return shown.map(({ name, total }) => ({ sub_id: name, data: dataJson(total, columns) }));
  },
};

async function overview(request: AffiliateRequest) {
  const { promoter, context } = request;
  const { params: given } = readListing(request, params);
  const columns = [...new Set(given.columns)];
  const joined = await listPromoterCampaigns(context.store, promoter.accountId, promoter.id);
  const only = given.promoter_campaign_id;
  const { start_date: from, end_date: to, group_by: groupBy } = given;
  const { rows, total } = await reportOwn(context.store, {
    promoterCampaigns: joined.filter((each) => only === undefined || each.id === only),
    range: { from, to },
    groupBy,
    figures: columns.map(figureOf),
  });
  return {
    data: rows.map((row) => rowJson(row, { columns, groupBy })),
    total: dataJson(total, columns),
    columns,
    name: `overview-${from}-${to}`,
  };
}
