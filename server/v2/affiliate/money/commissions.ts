import { z } from "zod";
import {
  COMMISSION_STATUSES,
  COMMISSION_TYPES,
  isPaid,
  type Commission,
} from "../../../domain/ledger/commission/commission.ts";
import { listCommissions, type CommissionParts } from "../../../domain/ledger/commission/search.ts";
import { UNITS, formatAmount } from "../../../domain/money.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf, uid } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import { rewardJson } from "../../commission/commissions.ts";
import { pageParams, readListing, period, span } from "../../params.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { maskedEmail, maskedUid } from "../referral/referrals.ts";
import { ownCampaignAnswer, ownCampaignJson } from "../own-campaign.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../../http/fields.ts";
import { percentIn, textsOf, type Language, type Say } from "../../../languages/languages.ts";

const answer = z
  .object({
    id: recordId,
    status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
    external_note: field(z.string().nullable(), "A note that the promoter sees.", "Thank you for the talk"),
    created_at: createdSecond,
    status_updated_at: field(second.nullable(), "When its status was last changed, or null if it never was."),
    promoter_campaign: field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
    referral: field(
      z
        .object({
          id: recordId,
          uid,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
        })
        .nullable(),
      "The lead (V2 calls it a referral).",
    ),
    reward: field(
      z
        .object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") })
        .nullable(),
      "The reward.",
    ),
    commission_type: field(z.enum(COMMISSION_TYPES), "Whether it is for a sale or for something else."),
    sale_amount: field(z.int(), "The amount of the sale, or 0 if it belongs to none.", 10000),
    original_sale_amount: field(
      z.int(),
      "The amount of the sale in its own currency, or 0 if it belongs to none.",
      10000,
    ),
    original_sale_currency: field(z.string().nullable(), "The sale's own currency. Null for sign-ups.", null),
    plan_id: field(z.string().nullable(), "Id of the plan. Null for sign-ups.", null),
    tier: field(z.int(), "1 for the promoter, 2 for their parent, and so on.", 1),
    unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    is_paid: field(z.boolean(), "Whether the promoter was paid."),
    reason: field(
      z.string(),
      "What the commission is for, in one sentence.",
      "20% of a sale of $100.00 to s***@example.net.",
    ),
    approves_at: field(second.nullable(), "When it is approved automatically, or null if it is not held."),
    payout_id: field(z.int().nullable(), "Id of the payout.", 88),
  })
  .meta({ id: "PortalCommission" });
type Answer = z.output<typeof answer>;

const filters = z
  .object(
    {
      status: field(oneOf(COMMISSION_STATUSES), "Only records with this status."),
      unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
      campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      payout_id: field(listOf(id), "Ids of the payouts that they belong to.", [88]),
      created_at: field(period, "When the record was created."),
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters: field(filters, "Only records that match."), ...pageParams.shape });

/** `GET /api/v2/affiliate/commissions` */
export const listOwnCommissionsOperation: AffiliateOperation = {
  id: "listOwnCommissions",
  summary: "List the promoter's commissions, newest first",
  description: "Lists the promoter's commissions, newest first, each with its reason in one sentence.",
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
export const exportOwnCommissionsOperation = ownExport({
  id: "exportOwnCommissions",
  noun: "commissions",
  note: "Amounts are in cents.",
  filters,
  columns: ["id", "created_at", "status", "unit", "amount", "sale_amount", "campaign", "reason", "is_paid"],
  async linesOf(request, given, window) {
    const { records } = await find(request, given, window);
    return records.map((parts) => lineOf(show(request, parts)));
  },
});

function find(
  { account, context, promoter }: AffiliateRequest,
  { campaign_id: campaignIds, payout_id: payoutIds, created_at, ...own }: z.output<typeof filters>,
  window: Window,
): Promise<Found<CommissionParts>> {
  const filter = {
    ...own,
    promoter_id: promoter.id,
    campaign_ids: campaignIds,
    payout_ids: payoutIds,
    created_at: span(created_at),
  };
  return listCommissions(context, account, {
    filter,
    sorting: [{ by: "id", isDescending: true }],
    ...window,
  });
}

/** A commission as its promoter sees it, without the company's internal note and fraud suspicions. */
function show({ account, language }: AffiliateRequest, parts: CommissionParts): Answer {
  const { commission, lead } = parts;
  // A commission of a higher tier belongs to another promoter's lead.
  const isOwnLead = lead?.promoter_id === commission.promoter_id;
  const who = isOwnLead ? maskedEmail(lead.email) : null;
  return {
    id: commission.id,
    status: commission.status,
    external_note: commission.external_note,
    created_at: wholeSecond(commission.created_at),
    status_updated_at: wholeSecond(commission.status_updated_at),
    promoter_campaign: ownCampaignJson(commission, parts),
    referral: isOwnLead ? { id: lead.id, uid: maskedUid(lead.uid), email: who } : null,
    reward: rewardJson(commission),
    commission_type: commission.type,
    sale_amount: commission.sale_cents,
    original_sale_amount: commission.original_sale_amount,
    original_sale_currency: commission.original_sale_currency,
    plan_id: commission.plan_id,
    tier: commission.tier_level,
    unit: commission.unit,
    amount: commission.amount,
    is_paid: isPaid(commission, parts.payout),
    reason: commissionReason({ commission, who, currency: account.currency, language: language ?? "en" }),
    approves_at: commission.status === "pending" ? wholeSecond(commission.approve_at) : null,
    payout_id: commission.payout_id,
  };
}

function lineOf(shown: Answer) {
  return { ...shown, campaign: shown.promoter_campaign.campaign?.name ?? "", is_paid: String(shown.is_paid) };
}

/** What a commission's reason is made of. */
interface ReasonParts {
  commission: Commission;
  /** The masked address of the lead, or null if there is none. */
  who: string | null;
  /** The account's currency. */
  currency: string;
  language: Language;
}

/** Explains in one sentence what a commission is for. */
function commissionReason({ commission, who, currency, language }: ReasonParts): string {
  const { terms, takes_back_id, refund_id, amount, sale_cents, tier_level } = commission;
  const { external_note, split_ten_thousandths } = commission;
  const say = textsOf(language);
  const buyer = who === null ? "" : say("reason.buyer", { lead: who });
  if (takes_back_id !== null && refund_id === null) return say("reason.corrected", { buyer });
  if (takes_back_id !== null && amount > 0) return say("reason.won", { buyer });
  if (takes_back_id !== null) return say("reason.refunded", { buyer });
  const sale = { amount: formatAmount(sale_cents, "cash", currency, language), buyer };
  if (terms === null) return customReason(commission, say, sale);
  const percentOf = (tenThousandths: number) => percentIn(language, tenThousandths / 10_000);
  const values = {
    ...sale,
    reward: commission.reward_name ?? say("reason.reward"),
    share: percentOf(terms.amount_ten_thousandths),
    level: String(tier_level),
    split:
      split_ten_thousandths === null ? "" : say("reason.split", { share: percentOf(split_ten_thousandths) }),
  };
  const kind = terms.is_flat ? "reason.flat" : "reason.share";
  const sentence = say(tier_level > 1 ? `${kind}.below` : kind, values);
  return external_note === null ? sentence : `${sentence} ${external_note}`;
}

function customReason(
  { type, sale_cents, external_note, reward_name, set_off }: Commission,
  say: Say,
  sale: { amount: string; buyer: string },
): string {
  if (external_note !== null) return external_note;
  if (set_off !== undefined) return say("reason.set_off");
  if (reward_name !== null) return `“${reward_name}”.`;
  return type === "sale" || sale_cents > 0 ? say("reason.sale", sale) : say("reason.by_hand");
}
