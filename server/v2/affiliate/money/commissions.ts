import { z } from "zod";
import {
  COMMISSION_STATUSES,
  COMMISSION_TYPES,
  commissions,
  isPaid,
  type Commission,
} from "../../../domain/ledger/commission/commission.ts";
import { commissionParts, type CommissionParts } from "../../../domain/ledger/commission/search.ts";
import { UNITS, formatAmount } from "../../../domain/money.ts";
import { id, listOf, oneOf, uid } from "../../../input/fields.ts";
import { rewardJson } from "../../commission/commissions.ts";
import { having, listed, type Condition } from "../../../resource/list.ts";
import { period } from "../../../resource/listing.ts";
import { shown } from "../../../resource/answer.ts";
import type { Lead } from "../../../domain/people/lead/lead.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { maskedEmail, maskedUid } from "../referral/referrals.ts";
import { ownCampaignAnswer, ownCampaignJson } from "../own-campaign.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../../http/fields.ts";
import { percentIn, textsOf, type Language, type Say } from "../../../languages/languages.ts";

/** What a commission is shown with: for whom, and in which language. */
interface OwnParts extends CommissionParts {
  currency: string;
  language: Language;
}

/** A commission as its promoter sees it, without the company's internal note and fraud suspicions. */
const ownCommissionAnswer = shown<Commission, OwnParts>(commissions)("PortalCommission", {
  id: recordId,
  status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
  external_note: field(z.string().nullable(), "A note that the promoter sees.", "Thank you for the talk"),
  created_at: createdSecond,
  status_updated_at: field(second.nullable(), "When its status was last changed, or null if it never was."),
  promoter_campaign: [
    field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
    ownCampaignJson,
  ],
  referral: [
    field(
      z
        .object({
          id: recordId,
          uid,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
        })
        .nullable(),
      "The lead (V2 calls it a referral).",
    ),
    (commission, parts) => ownLeadJson(commission, parts),
  ],
  reward: [
    field(
      z
        .object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") })
        .nullable(),
      "The reward.",
    ),
    rewardJson,
  ],
  commission_type: field(z.enum(COMMISSION_TYPES), "Whether it is for a sale or for something else."),
  sale_amount: field(z.int(), "The amount of the sale, or 0 if it belongs to none.", 10000),
  original_sale_amount: field(
    z.int(),
    "The amount of the sale in its own currency, or 0 if it belongs to none.",
    10000,
  ),
  original_sale_currency: field(
    z.string().nullable(),
    "The sale's own currency, or null if it is the account's.",
    null,
  ),
  plan_id: field(z.string().nullable(), "Id of the plan. Null for sign-ups.", null),
  tier: field(z.int(), "1 for the promoter, 2 for their parent, and so on.", 1),
  unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
  amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
  is_paid: [
    field(z.boolean(), "Whether the promoter was paid."),
    (commission, { payout }) => isPaid(commission, payout),
  ],
  reason: [
    field(
      z.string(),
      "What the commission is for, in one sentence.",
      "20% of a sale of $100.00 to s***@example.net.",
    ),
    reasonOf,
  ],
  approves_at: [
    field(second.nullable(), "When it is approved automatically, or null if it is not held."),
    ({ status, approve_at }) => (status === "pending" ? wholeSecond(approve_at) : null),
  ],
  payout_id: field(z.int().nullable(), "Id of the payout.", 88),
});
type Answer = z.output<typeof ownCommissionAnswer.schema>;

const ownCommissions = listed(commissions, { isNewestFirst: true })({
  filters: {
    status: field(oneOf(COMMISSION_STATUSES), "Only records with this status."),
    unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    payout_id: field(listOf(id), "Ids of the payouts that they belong to.", [88]),
    created_at: field(period, "When the record was created."),
  },
});

function ofPromoter({ promoter }: AffiliateRequest): Condition[] {
  return having(commissions, { promoter_id: promoter.id });
}

export const listOwnCommissionsOperation: AffiliateOperation = {
  id: "listOwnCommissions",
  summary: "List the promoter's commissions, newest first",
  description: "Lists the promoter's commissions, newest first, each with its reason in one sentence.",
  params: ownCommissions.params,
  answer: z.array(ownCommissionAnswer.schema),
  isPaged: true,
  refusals: ["invalid"],
  handle: async (request) => showOwn(request, await ownCommissions.read(request, ofPromoter(request))),
};

export const exportOwnCommissionsOperation = ownExport({
  id: "exportOwnCommissions",
  noun: "commissions",
  note: "Amounts are in cents.",
  list: ownCommissions,
  within: ofPromoter,
  columns: ["id", "created_at", "status", "unit", "amount", "sale_amount", "campaign", "reason", "is_paid"],
  linesOf: async (request, records) => (await showOwn(request, records)).map(lineOf),
});

async function showOwn(
  { account, context: { store }, language }: AffiliateRequest,
  records: Commission[],
): Promise<Answer[]> {
  const parts = await commissionParts(store, records);
  const whose = { currency: account.currency, language: language ?? "en" } as const;
  return records.map((commission, at) => ownCommissionAnswer.json(commission, { ...parts[at]!, ...whose }));
}

/** A commission of a higher tier belongs to another promoter's lead, whom this promoter does not see. */
function ownLeadOf({ promoter_id }: Commission, { lead }: CommissionParts): Lead | null {
  return lead?.promoter_id === promoter_id ? lead : null;
}

function ownLeadJson(commission: Commission, parts: CommissionParts) {
  const lead = ownLeadOf(commission, parts);
  return lead && { id: lead.id, uid: maskedUid(lead.uid), email: maskedEmail(lead.email) };
}

function lineOf(shown: Answer) {
  return { ...shown, campaign: shown.promoter_campaign.campaign?.name ?? "", is_paid: String(shown.is_paid) };
}

/** Explains in one sentence what a commission is for. */
function reasonOf(commission: Commission, parts: OwnParts): string {
  const { currency, language } = parts;
  const who = maskedEmail(ownLeadOf(commission, parts)?.email ?? null);
  const { terms, takes_back_id, refund_id, amount, sale_amount, tier } = commission;
  const { external_note, split_ten_thousandths } = commission;
  const say = textsOf(language);
  const buyer = who === null ? "" : say("reason.buyer", { lead: who });
  if (takes_back_id !== null && refund_id === null) return say("reason.corrected", { buyer });
  if (takes_back_id !== null && amount > 0) return say("reason.won", { buyer });
  if (takes_back_id !== null) return say("reason.refunded", { buyer });
  const sale = { amount: formatAmount(sale_amount, "cash", currency, language), buyer };
  if (terms === null) return customReason(commission, say, sale);
  const percentOf = (tenThousandths: number) => percentIn(language, tenThousandths / 10_000);
  const values = {
    ...sale,
    reward: commission.reward_name ?? say("reason.reward"),
    share: percentOf(terms.amount_ten_thousandths),
    level: String(tier),
    split:
      split_ten_thousandths === null ? "" : say("reason.split", { share: percentOf(split_ten_thousandths) }),
  };
  const kind = terms.is_flat ? "reason.flat" : "reason.share";
  const sentence = say(tier > 1 ? `${kind}.below` : kind, values);
  return external_note === null ? sentence : `${sentence} ${external_note}`;
}

function customReason(
  { commission_type, sale_amount, external_note, reward_name, set_off }: Commission,
  say: Say,
  sale: { amount: string; buyer: string },
): string {
  if (external_note !== null) return external_note;
  if (set_off !== undefined) return say("reason.set_off");
  if (reward_name !== null) return `“${reward_name}”.`;
  return commission_type === "sale" || sale_amount > 0 ? say("reason.sale", sale) : say("reason.by_hand");
}
