import { z } from "zod";
import { UNITS } from "../../../domain/money/money.ts";
import { PAYOUT_STATUSES } from "../../../domain/payout/payout.ts";
import { listPayouts, type PayoutParts } from "../../../domain/payout/search.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf, text } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { payoutMethodAnswer, payoutMethodJson } from "../../payout/payout-method-json.ts";
import { payoutTermsAnswer } from "../../payout/payout-stats.ts";
import { csvFile, MOST_EXPORTED } from "../exports.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { ownTermsJson } from "./payout-details.ts";

/** A payout as its promoter sees it. */
export const ownPayoutAnswer = z
  .object({
    id: z.int(),
    status: z.enum(PAYOUT_STATUSES),
    amount: z.int(),
    payments_batch_id: z.int().nullable(),
    tax_rate: z.number(),
    unit: z.enum(UNITS),
    period_start: z.iso.datetime(),
    period_end: z.iso.datetime(),
    due_date: z.iso.date(),
    paid_at: z.iso.datetime().nullable(),
    processing_started_at: z.iso.datetime().nullable(),
    failed_at: z.iso.datetime().nullable(),
    error: z.string().nullable(),
    total_incl_tax: z.int(),
    created_at: z.iso.datetime(),
    payout_method: payoutMethodAnswer.nullable(),
    promoter: embeddedPromoter,
    campaign: embeddedCampaign.nullable(),
  })
  .meta({ id: "PortalPayout" });
type Answer = z.output<typeof ownPayoutAnswer>;

const filters = z
  .object(
    {
      status: oneOf(PAYOUT_STATUSES),
      campaign_id: listOf(id),
      payments_batch_id: listOf(id),
      group_ref: text,
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters, ...pageParams.shape });
const exportParams = z.object({ filters });

/** `GET /api/v2/affiliate/payouts` */
export const listOwnPayoutsOperation: AffiliateOperation = {
  summary: "List the promoter's payouts, newest first",
  params: listParams,
  answer: z.object({ data: z.array(ownPayoutAnswer), meta: payoutTermsAnswer }),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    const data = found.records.map((parts) => ownPayoutJson(request, parts));
    return { data, meta: ownTermsJson(request.account, request.promoter) };
  },
};

/** `GET /api/v2/affiliate/payouts/export` */
export const exportOwnPayoutsOperation: AffiliateOperation = {
  summary: "Download the promoter's payouts as a CSV file",
  params: exportParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params } = readListing(request, exportParams);
    const { records } = await find(request, params.filters, { limit: MOST_EXPORTED, offset: 0 });
    const shown = records.map((parts) => ownPayoutJson(request, parts));
    const lines = shown.map(({ payout_method: method, campaign, ...each }) => ({
      ...each,
      payout_method: method?.method ?? "",
      campaign: campaign?.name ?? "",
    }));
    const columns = [
      "id",
      "status",
      "unit",
      "amount",
      "tax_rate",
      "total_incl_tax",
      "period_start",
      "period_end",
      "due_date",
      "paid_at",
      "payout_method",
      "campaign",
    ];
    return csvFile(request, { name: "payouts.csv", columns, lines });
  },
};

function find(
  { context, account, promoter }: AffiliateRequest,
  given: z.output<typeof filters>,
  window: Window,
): Promise<Found<PayoutParts>> {
  const {
    status,
    campaign_id: campaignIds,
    payments_batch_id: paymentsBatchIds,
    group_ref: groupRef,
  } = given;
  return listPayouts(context, account, {
    filter: { promoterId: promoter.id, status, campaignIds, paymentsBatchIds, groupRef },
    sorting: [{ by: "id", isDescending: true }],
    ...window,
  });
}

/** Shows a payout. Its method is known once it is being paid. */
export function ownPayoutJson(
  { promoter }: Pick<AffiliateRequest, "promoter">,
  { payout, campaign, used: method }: PayoutParts,
): Answer {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    payments_batch_id: payout.paymentsBatchId,
    tax_rate: payout.taxRateHundredths / 100,
    unit: payout.unit,
    period_start: payout.periodStart,
    period_end: payout.periodEnd,
    due_date: payout.dueDate,
    paid_at: payout.paidAt,
    processing_started_at: payout.processingStartedAt,
    failed_at: payout.failedAt,
    error: payout.error,
    total_incl_tax: payout.totalInclTax,
    created_at: payout.createdAt,
    payout_method: method && payoutMethodJson(method),
    promoter: embeddedPromoterJson(promoter),
    campaign: campaign && embeddedCampaignJson(campaign),
  };
}
