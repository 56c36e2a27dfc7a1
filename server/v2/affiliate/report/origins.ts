import { z } from "zod";
import { ORIGIN_KINDS } from "../../../domain/people/origin.ts";
import { reportOwnCodes, reportOwnOrigins, type OwnOrigin } from "../../../domain/reports/own-origins.ts";
import { field } from "../../../http/fields.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { calendarDay, oneOf } from "../../../input/fields.ts";
import { pageParams, readListing } from "../../params.ts";
import { dataAnswer } from "../../report/report-columns.ts";
import { csvFile, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";

const rangeParams = z.object({
  by: field(
    oneOf([...ORIGIN_KINDS, "code"]),
    "`source`: the site with the link, otherwise `utm_source`. `page`: the page that the visitor reached. `code`: the promoter's promo code that a sale was made with; the leads are those who bought.",
    "page",
  ),
  start_date: field(calendarDay, "First day of the report.", "2026-03-01"),
  end_date: field(calendarDay, "Last day of the report.", "2026-03-31"),
});
const params = rangeParams.extend(pageParams.shape);

const { shape: data } = dataAnswer.required();
const answer = z
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
    referrals_count: data.referrals_count,
    customers_count: data.customers_count,
    sales_count: data.sales_count,
    revenue_amount: data.revenue_amount,
    promoter_earnings_amount: data.promoter_earnings_amount,
  })
  .meta({ id: "PortalOrigin" });

const MEANING =
  "the promoter's own clicks and leads by source or landing page, or the leads by promo code, with their sales and what these earned.";

/** `GET /api/v2/affiliate/reports/origins` */
export const ownOriginsOperation: AffiliateOperation = {
  id: "getOwnOriginReport",
  summary: "Report on the promoter's clicks and leads by source, landing page or promo code",
  description: `Reports on ${MEANING} Those that earned most come first. An extension of Tidemark.`,
  mayBeAged: true,
  params,
  answer: z.array(answer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params: given, page, window } = readListing(request, params);
    const found = await originsOf(request, given);
    setPageHeaders(request, page, found.length);
    return found.slice(window.offset, window.offset + window.limit).map((each) => originJson(each, given.by));
  },
};

/** `GET /api/v2/affiliate/reports/origins/download` */
export const ownOriginsDownloadOperation: AffiliateOperation = {
  id: "downloadOwnOriginReport",
  summary: "Download the report by source, landing page or promo code as a CSV file",
  description: `Downloads ${MEANING} Amounts are in cents. An extension of Tidemark.`,
  mayBeAged: true,
  params: rangeParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params: given } = readListing(request, rangeParams);
    const lines = (await originsOf(request, given)).map((each) => originJson(each, given.by));
    const columns = Object.keys(answer.shape).filter(
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

function originJson(origin: OwnOrigin, by: z.output<typeof rangeParams>["by"]): z.output<typeof answer> {
  return {
    name: origin.name,
    clicks_count: by === "code" ? null : origin.clicks,
    referrals_count: origin.referrals,
    customers_count: origin.customers,
    sales_count: origin.sales,
    revenue_amount: origin.salesCents,
    promoter_earnings_amount: origin.earningsCents,
  };
}
