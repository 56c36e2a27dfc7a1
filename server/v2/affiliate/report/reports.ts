import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { reportOwn, loadChart } from "../../../domain/reports/chart.ts";
import { reportSubIds } from "../../../domain/reports/origins.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import type { Query } from "../../../http/parameters/pairs.ts";
import { flag, id, calendarDay, oneOf } from "../../../input/fields.ts";
import type { Window } from "../../../storage/query.ts";
import { pageParams, readListing } from "../../../resource/listing.ts";
import {
  ORIGIN_COLUMNS,
  OWN_COLUMNS,
  dataAnswer,
  dataJson,
  rowAnswer,
  rowJson,
} from "../../report/report-columns.ts";
import { narrowing, paramsOf, queryOf, sortOf, narrowed } from "../../report/reports.ts";
import { csvFile, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { field, recordId, second, wholeSecond } from "../../../http/fields.ts";
import { readPromoterTotals, type Metric, type Stats } from "../../../domain/people/daily.ts";
import { GROUPINGS } from "../../../domain/reports/figures.ts";
import { readQuery } from "../../../http/parameters/form.ts";
import { shapeInput } from "../../../input/shape.ts";
import { findChildren } from "../../../domain/people/promoter/creation.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { promoterAnswer, promoterStatsJson } from "../../promoter/promoter-json.ts";
import { maskedEmail } from "../referral/referrals.ts";
import { ORIGIN_KINDS } from "../../../domain/people/origin.ts";
import { reportOwnCodes, reportOwnOrigins, type OwnOrigin } from "../../../domain/reports/own-origins.ts";

const inCampaign = { promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31) };
const params = paramsOf(OWN_COLUMNS).extend({
  ...inCampaign,
  totals: field(flag.optional(), "`true` adds a row for the whole range. Default: `false`."),
});
const channelParams = paramsOf(ORIGIN_COLUMNS).extend(inCampaign);
const subIdParams = channelParams.extend(pageParams.shape);

/** More than a promoter campaign has channels. */
const MOST_LINES = 10_000;

export const ownOverviewOperation: AffiliateOperation = {
  id: "getOwnReport",
  summary: "Report on the promoter's figures, period by period",
  description: "Reports on the promoter's figures, period by period.",
  params,
  answer: z.array(rowAnswer),
  refusals: ["invalid"],
  handle: async (request) => (await overview(request)).rows,
};

export const ownDownloadOperation: AffiliateOperation = {
  id: "downloadOwnReport",
  summary: "Download the promoter's report as a CSV file",
  description: "Downloads the report on the promoter's figures as CSV.",
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

export const ownSubIdsOperation: AffiliateOperation = {
  id: "getOwnSubIdReport",
  summary: "Report on the promoter's channels",
  description:
    "Reports on the promoter's channels: the `sub_id` of the links that visitors came by. Those with the most clicks come first.",
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
    const { report, groups, total } = await channels(request, { given, query, window });
    setPageHeaders(request, page, total);
    const shown = [];
    for await (const channel of groups) {
      shown.push({
        sub_id: channel.name,
        id: channel.id,
        data: dataJson(channel.total, report.columns),
        sub_data: channel.rows.map((row) => rowJson(row, report)),
      });
    }
    return shown;
  },
};

export const ownSubIdsDownloadOperation: AffiliateOperation = {
  id: "downloadOwnSubIdReport",
  summary: "Download the report on the promoter's channels as a CSV file",
  description:
    "Downloads the report on the promoter's channels as CSV, a line for each channel. Amounts are in cents. An extension of Tidemark.",
  params: channelParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params: given, query } = readListing(request, channelParams);
    const window = { limit: MOST_LINES, offset: 0 };
    const { report, groups } = await channels(request, { given, query, window });
    const { from, to } = report.range;
    const lines = [];
    for await (const { name, total } of groups) {
      lines.push({ sub_id: name, ...dataJson(total, report.columns) });
    }
    return csvFile(request, {
      name: `channels-${from}-${to}.csv`,
      columns: ["sub_id", ...report.columns],
      lines,
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
  const joined = await listPromoterCampaigns(context.store, promoter.account_id, promoter.id);
  return joined.filter((each) => only === undefined || each.id === only);
}

const METRICS = {
  revenue: "sales_cents",
  clicks: "clicks",
  referrals: "referrals",
  customers: "customers",
  cancellations: "cancellations",
  commissions: "earnings_cents",
} as const satisfies Record<string, Metric>;
type Selection = keyof typeof METRICS;
const SELECTIONS = Object.keys(METRICS) as [Selection, ...Selection[]];

const chartParams = z.object({
  period_from: field(calendarDay, "First day of the chart.", "2026-03-01"),
  period_to: field(calendarDay, "Last day of the chart.", "2026-03-31"),
  selection: field(oneOf(SELECTIONS), "What the chart shows. Revenue is in cents."),
  promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31),
});

export const ownChartOperation: AffiliateOperation = {
  id: "getPortalChart",
  summary: "Chart the promoter's figures",
  description: "Shows one figure of the promoter over time: by day, week, month or year, as fits the range.",
  params: chartParams,
  answer: z
    .object({
      period_from: field(z.iso.date(), "First day of the chart.", "2026-03-01"),
      period_to: field(z.iso.date(), "Last day of the chart.", "2026-03-31"),
      selection: field(z.enum(SELECTIONS), chartParams.shape.selection),
      selection_items: field(z.array(z.tuple([z.iso.date(), z.number()])), "The points of the chart.", [
        ["2026-03-01", 340],
      ]),
      total: field(z.number(), "How many there are.", 3),
      group_by: field(z.enum(GROUPINGS), "Whether each row is a day, a month or a year. Default: `month`."),
    })
    .meta({ id: "PortalChart" }),
  refusals: ["invalid"],
  handle,
};

async function handle({ event, promoter, context: { store } }: AffiliateRequest) {
  const given = shapeInput(chartParams, readQuery(event));
  const { period_from: from, period_to: to, selection, promoter_campaign_id: only } = given;
  const joined = await listPromoterCampaigns(store, promoter.account_id, promoter.id);
  const { groupBy, points } = await loadChart(store, {
    promoterCampaigns: joined.filter((each) => only === undefined || each.id === only),
    metric: METRICS[selection],
    range: { from, to },
  });
  return {
    period_from: from,
    period_to: to,
    selection,
    selection_items: points.map(({ day, value }) => [day, value]),
    total: points.reduce((sum, { value }) => sum + value, 0),
    group_by: groupBy,
  };
}

const answer = z
  .object({
    id: recordId,
    name: field(z.string().nullable(), "The first name, or null if it was not given.", "Alex"),
    email: field(z.string().nullable(), "The masked e-mail address.", "a***@example.com"),
    joined_at: field(second, "When the promoter joined."),
    stats: field(promoterAnswer.schema.shape.stats, "Figures of the record."),
  })
  .meta({ id: "SubAffiliate" });

export const listSubAffiliatesOperation: AffiliateOperation = {
  id: "listSubAffiliates",
  summary: "List the promoters whom the promoter recruited, newest first",
  description: "Lists the promoters whom this one recruited, newest first. Addresses are masked.",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  async handle(request) {
    const { promoter, context } = request;
    const { store } = context;
    const { page, window } = readListing(request, pageParams);
    const found = await findChildren(store, promoter, window);
    setPageHeaders(request, page, found.total);
    const totalsOf = await readPromoterTotals(
      store,
      promoter.account_id,
      found.records.map(({ id }) => id),
    );
    return found.records.map((child) => childJson(child, totalsOf(child.id)));
  },
};

/** A parent sees the first name, a masked address and the figures that they earn from. */
function childJson(child: Promoter, stats: Stats): z.output<typeof answer> {
  return {
    id: child.id,
    name: child.profile.first_name,
    email: maskedEmail(child.email),
    joined_at: wholeSecond(child.created_at),
    stats: promoterStatsJson(stats),
  };
}

const rangeParams = z.object({
  by: field(
    oneOf([...ORIGIN_KINDS, "code"]),
    "`source`: the site with the link, otherwise `utm_source`. `page`: the page that the visitor reached. `code`: the promoter's promo code that a sale was made with; the leads are those who bought.",
    "page",
  ),
  start_date: field(calendarDay, "First day of the report.", "2026-03-01"),
  end_date: field(calendarDay, "Last day of the report.", "2026-03-31"),
});
const originParams = rangeParams.extend(pageParams.shape);

const { shape: originColumns } = dataAnswer.required();
const originsAnswer = z
  .object({
    name: field(
      z.string(),
      "The site, the page or the code. `direct` and `unknown`: leads without one. `other`: those beyond the names that are kept.",
      "https://www.example.com/pricing",
    ),
    clicks_count: field(
      z.int().nullable(),
      "How many visitors followed the promoter's links. Null by promo code, because only links have clicks.",
      340,
    ),
    referrals_count: originColumns.referrals_count,
    customers_count: originColumns.customers_count,
    sales_count: originColumns.sales_count,
    revenue_amount: originColumns.revenue_amount,
    promoter_earnings_amount: originColumns.promoter_earnings_amount,
  })
  .meta({ id: "PortalOrigin" });

const MEANING =
  "the promoter's own clicks and leads by source or landing page, or the leads by promo code, with their sales and what these earned.";

export const ownOriginsOperation: AffiliateOperation = {
  id: "getOwnOriginReport",
  summary: "Report on the promoter's clicks and leads by source, landing page or promo code",
  description: `Reports on ${MEANING} Those that earned most come first. An extension of Tidemark.`,
  params: originParams,
  answer: z.array(originsAnswer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params: given, page, window } = readListing(request, originParams);
    const found = await originsOf(request, given);
    setPageHeaders(request, page, found.length);
    return found.slice(window.offset, window.offset + window.limit).map((each) => originJson(each, given.by));
  },
};

export const ownOriginsDownloadOperation: AffiliateOperation = {
  id: "downloadOwnOriginReport",
  summary: "Download the report by source, landing page or promo code as a CSV file",
  description: `Downloads ${MEANING} Amounts are in cents. An extension of Tidemark.`,
  params: rangeParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params: given } = readListing(request, rangeParams);
    const lines = (await originsOf(request, given)).map((each) => originJson(each, given.by));
    const columns = Object.keys(originsAnswer.shape).filter(
      (each) => given.by !== "code" || each !== "clicks_count",
    );
    const name = `${given.by}s-${given.start_date}-${given.end_date}.csv`;
    return csvFile(request, { name, columns, lines });
  },
};

function originsOf({ context, promoter }: AffiliateRequest, given: z.output<typeof rangeParams>) {
  const range = { from: given.start_date, to: given.end_date };
  return given.by === "code"
    ? reportOwnCodes(context.store, promoter, range)
    : reportOwnOrigins(context.store, promoter, { kind: given.by, range });
}

function originJson(
  origin: OwnOrigin,
  by: z.output<typeof rangeParams>["by"],
): z.output<typeof originsAnswer> {
  return {
    name: origin.name,
    clicks_count: by === "code" ? null : origin.clicks,
    referrals_count: origin.referrals,
    customers_count: origin.customers,
    sales_count: origin.sales,
    revenue_amount: origin.sales_cents,
    promoter_earnings_amount: origin.earnings_cents,
  };
}
