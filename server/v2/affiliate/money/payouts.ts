import { z } from "zod";
import { campaigns } from "../../../domain/campaign/campaign.ts";
import { UNITS } from "../../../domain/money/unit.ts";
import { payouts } from "../../../domain/payout/payout.ts";
import { PAYOUT_STATUSES, type Payout } from "../../../domain/payout/record.ts";
import { payoutMethods } from "../../../domain/payout-method/payout-method.ts";
import { PAYOUT_METHODS } from "../../../domain/payout-method/record.ts";
import { findNewestOf } from "../../../domain/promoter-campaign/own-records.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/listing/page-search.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { csvFile, MOST_EXPORTED } from "../exports.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

/** A payout as its promoter sees it. */
export const ownPayoutAnswer = z
  .object({
    id: z.int(),
    status: z.enum(PAYOUT_STATUSES),
    unit: z.enum(UNITS),
    amount: z.int(),
    tax_rate: z.number(),
    total_incl_tax: z.int(),
    period_start: z.iso.datetime(),
    period_end: z.iso.datetime(),
    due_date: z.iso.date(),
    paid_at: z.iso.datetime().nullable(),
    payout_method: z.enum(PAYOUT_METHODS).nullable(),
    campaign: embeddedCampaign.nullable(),
  })
  .meta({ id: "PortalPayout" });
type Answer = z.output<typeof ownPayoutAnswer>;

const filters = z
  .object({ status: oneOf(PAYOUT_STATUSES), campaign_id: listOf(id) }, "is invalid")
  .partial()
  .default({});
const listParams = z.object({ filters, ...pageParams.shape });
const exportParams = z.object({ filters });

/** `GET /api/v2/affiliate/payouts` */
export const listOwnPayoutsOperation: AffiliateOperation = {
  summary: "List the promoter's payouts, newest first",
  params: listParams,
  answer: z.array(ownPayoutAnswer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    return Promise.all(found.records.map((payout) => ownPayoutJson(request, payout)));
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
    const shown = await Promise.all(records.map((payout) => ownPayoutJson(request, payout)));
    const lines = shown.map((each) => ({ ...each, campaign: each.campaign?.name ?? "" }));
    const columns = Object.keys(ownPayoutAnswer.shape);
    return csvFile(request, { name: "payouts.csv", columns, lines });
  },
};

function find(
  { context: { store }, promoter }: AffiliateRequest,
  { status, campaign_id: campaignIds }: z.output<typeof filters>,
  window: Window,
): Promise<Found<Payout>> {
  const isFiltered = status !== undefined || campaignIds !== undefined;
  const keeps = (payout: Payout) =>
    (status === undefined || payout.status === status) &&
    (campaignIds === undefined || campaignIds.includes(payout.campaignId));
  return findNewestOf(store, payouts, {
    accountId: promoter.accountId,
    promoterId: promoter.id,
    keeps: isFiltered ? keeps : undefined,
    ...window,
  });
}

/** Shows a payout. Its method is known once it is being paid. */
export async function ownPayoutJson(
  { context: { store } }: AffiliateRequest,
  payout: Payout,
): Promise<Answer> {
  const { accountId, payoutMethodId } = payout;
  const campaign = await store.get(campaigns, accountId, payout.campaignId);
  const method = payoutMethodId === null ? null : await store.get(payoutMethods, accountId, payoutMethodId);
  return {
    id: payout.id,
    status: payout.status,
    unit: payout.unit,
    amount: payout.amount,
    tax_rate: payout.taxRateHundredths / 100,
    total_incl_tax: payout.totalInclTax,
    period_start: payout.periodStart,
    period_end: payout.periodEnd,
    due_date: payout.dueDate,
    paid_at: payout.paidAt,
    payout_method: method?.method ?? null,
    campaign: campaign && embeddedCampaignJson(campaign),
  };
}
