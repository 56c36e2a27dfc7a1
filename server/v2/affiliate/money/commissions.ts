import { z } from "zod";
import { campaigns } from "../../../domain/campaign/campaign.ts";
import { commissions } from "../../../domain/commission/commission.ts";
import { COMMISSION_STATUSES, type Commission } from "../../../domain/commission/record.ts";
import { leads } from "../../../domain/lead/lead.ts";
import { UNITS } from "../../../domain/money/unit.ts";
import { isWithin } from "../../../domain/span.ts";
import { payouts } from "../../../domain/payout/payout.ts";
import { findNewestOf } from "../../../domain/promoter-campaign/own-records.ts";
import { loadPromoterStats } from "../../../domain/report/counters.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/listing/page-search.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { period, span } from "../../range-params.ts";
import { csvFile, MOST_EXPORTED } from "../exports.ts";
import { maskedEmail } from "../masked-email.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { commissionReason } from "./commission-reason.ts";

const answer = z
  .object({
    id: z.int(),
    status: z.enum(COMMISSION_STATUSES),
    unit: z.enum(UNITS),
    amount: z.int(),
    sale_amount: z.int(),
    tier: z.int(),
    reason: z.string(),
    created_at: z.iso.datetime(),
    approves_at: z.iso.datetime().nullable(),
    is_paid: z.boolean(),
    payout_id: z.int().nullable(),
    promoter_campaign_id: z.int(),
    campaign: embeddedCampaign.nullable(),
    referral: z.object({ id: z.int(), email: z.string().nullable() }).nullable(),
  })
  .meta({ id: "PortalCommission" });
type Answer = z.output<typeof answer>;

const filters = z
  .object(
    {
      status: oneOf(COMMISSION_STATUSES),
      unit: oneOf(UNITS),
      campaign_id: listOf(id),
      payout_id: listOf(id),
      created_at: period,
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters, ...pageParams.shape });
const exportParams = z.object({ filters });

/** `GET /api/v2/affiliate/commissions` */
export const listOwnCommissionsOperation: AffiliateOperation = {
  summary: "List the promoter's commissions, newest first",
  params: listParams,
  answer: z.array(answer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    return Promise.all(found.records.map((commission) => show(request, commission)));
  },
};

/** `GET /api/v2/affiliate/commissions/export` */
export const exportOwnCommissionsOperation: AffiliateOperation = {
  summary: "Download the promoter's commissions as a CSV file",
  params: exportParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params } = readListing(request, exportParams);
    const { records } = await find(request, params.filters, { limit: MOST_EXPORTED, offset: 0 });
    const lines = await Promise.all(records.map(async (each) => lineOf(await show(request, each))));
    const columns = [
      "id",
      "created_at",
      "status",
      "unit",
      "amount",
      "sale_amount",
      "campaign",
      "reason",
      "is_paid",
    ];
    return csvFile(request, { name: "commissions.csv", columns, lines });
  },
};

async function find(
  { context: { store }, promoter }: AffiliateRequest,
  given: z.output<typeof filters>,
  window: Window,
): Promise<Found<Commission>> {
  const { accountId, id: promoterId } = promoter;
  const { commissions: length } = await loadPromoterStats(store, accountId, promoterId);
  const keeps = conditionOf(given);
  return findNewestOf(store, commissions, { accountId, promoterId, length, keeps, ...window });
}

function conditionOf(given: z.output<typeof filters>): ((commission: Commission) => boolean) | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const { status, unit, campaign_id: campaignIds, payout_id: payoutIds } = given;
  const createdAt = span(given.created_at);
  return (commission) =>
    (status === undefined || commission.status === status) &&
    (unit === undefined || commission.unit === unit) &&
    (campaignIds === undefined || campaignIds.includes(commission.campaignId)) &&
    (payoutIds === undefined || (commission.payoutId !== null && payoutIds.includes(commission.payoutId))) &&
    (createdAt === undefined || isWithin(Date.parse(commission.createdAt), createdAt));
}

/** A commission as its promoter sees it: without the company's notes, and without what it suspects. */
async function show(
  { account, context: { store } }: AffiliateRequest,
  commission: Commission,
): Promise<Answer> {
  const { accountId, leadId, payoutId } = commission;
  const lead = leadId === null ? null : await store.get(leads, accountId, leadId);
  const payout = payoutId === null ? null : await store.get(payouts, accountId, payoutId);
  const campaign = await store.get(campaigns, accountId, commission.campaignId);
  // A commission of a higher tier belongs to another promoter's lead.
  const isOwnLead = lead?.promoterId === commission.promoterId;
  const who = isOwnLead ? maskedEmail(lead.email) : null;
  return {
    id: commission.id,
    status: commission.status,
    unit: commission.unit,
    amount: commission.amount,
    sale_amount: commission.saleCents,
    tier: commission.tierLevel,
    reason: commissionReason({ commission, who, currency: account.currency }),
    created_at: commission.createdAt,
    approves_at: commission.status === "pending" ? commission.approveAt : null,
    is_paid: commission.isPaidElsewhere || payout?.status === "completed",
    payout_id: payoutId,
    promoter_campaign_id: commission.promoterCampaignId,
    campaign: campaign && embeddedCampaignJson(campaign),
    referral: isOwnLead ? { id: lead.id, email: who } : null,
  };
}

function lineOf({ campaign, ...shown }: Answer) {
  return { ...shown, campaign: campaign?.name ?? "", is_paid: String(shown.is_paid) };
}
