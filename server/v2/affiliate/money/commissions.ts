import { COMMISSION_STATUSES, COMMISSION_TYPES, isPaid } from "../../../domain/commission/commission.ts";
import { z } from "zod";
import { listCommissions, type CommissionParts } from "../../../domain/commission/search.ts";
import { UNITS } from "../../../domain/money/money.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import { rewardJson } from "../../commission/commission-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { period, span } from "../../range-params.ts";
import { csvFile, MOST_EXPORTED } from "../exports.ts";
import { maskedEmail, maskedUid } from "../masked-email.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { ownCampaignAnswer, ownCampaignJson } from "../own-campaign.ts";
import { commissionReason } from "./commission-reason.ts";

const answer = z
  .object({
    id: z.int(),
    status: z.enum(COMMISSION_STATUSES),
    external_note: z.string().nullable(),
    created_at: z.iso.datetime(),
    status_updated_at: z.iso.datetime().nullable(),
    promoter_campaign: ownCampaignAnswer,
    referral: z.object({ id: z.int(), uid: z.string().nullable(), email: z.string().nullable() }).nullable(),
    reward: z.object({ id: z.int(), name: z.string() }).nullable(),
    commission_type: z.enum(COMMISSION_TYPES),
    sale_amount: z.int(),
    original_sale_amount: z.int(),
    original_sale_currency: z.string().nullable(),
    plan_id: z.string().nullable(),
    tier: z.int(),
    unit: z.enum(UNITS),
    amount: z.int(),
    is_paid: z.boolean(),
    reason: z.string(),
    approves_at: z.iso.datetime().nullable(),
    payout_id: z.int().nullable(),
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
    return found.records.map((parts) => show(request, parts));
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
    const lines = records.map((parts) => lineOf(show(request, parts)));
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

function find(
  { account, context, promoter }: AffiliateRequest,
  { campaign_id: campaignIds, payout_id: payoutIds, created_at, ...own }: z.output<typeof filters>,
  window: Window,
): Promise<Found<CommissionParts>> {
  const filter = { ...own, promoterId: promoter.id, campaignIds, payoutIds, createdAt: span(created_at) };
  return listCommissions(context, account, {
    filter,
    sorting: [{ by: "id", isDescending: true }],
    ...window,
  });
}

/** A commission as its promoter sees it: without the company's notes, and without what it suspects. */
function show({ account }: AffiliateRequest, parts: CommissionParts): Answer {
  const { commission, lead } = parts;
  // A commission of a higher tier belongs to another promoter's lead.
  const isOwnLead = lead?.promoterId === commission.promoterId;
  const who = isOwnLead ? maskedEmail(lead.email) : null;
  return {
    id: commission.id,
    status: commission.status,
    external_note: commission.externalNote,
    created_at: commission.createdAt,
    status_updated_at: commission.statusUpdatedAt,
    promoter_campaign: ownCampaignJson(commission, parts),
    referral: isOwnLead ? { id: lead.id, uid: maskedUid(lead.uid), email: who } : null,
    reward: rewardJson(commission),
    commission_type: commission.type,
    sale_amount: commission.saleCents,
    original_sale_amount: commission.originalSaleAmount,
    original_sale_currency: commission.originalSaleCurrency,
    plan_id: commission.planId,
    tier: commission.tierLevel,
    unit: commission.unit,
    amount: commission.amount,
    is_paid: isPaid(commission, parts.payout),
    reason: commissionReason({ commission, who, currency: account.currency }),
    approves_at: commission.status === "pending" ? commission.approveAt : null,
    payout_id: commission.payoutId,
  };
}

function lineOf(shown: Answer) {
  return { ...shown, campaign: shown.promoter_campaign.campaign?.name ?? "", is_paid: String(shown.is_paid) };
}
