import { z } from "zod";
import {
  commissionParts,
  isDone,
  isDueIn,
  isFirst,
  mentions,
} from "../../domain/ledger/commission/search.ts";
import {
  COMMISSION_STATUSES,
  COMMISSION_TYPES,
  commissions,
  isPaid,
  type Commission,
} from "../../domain/ledger/commission/commission.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { UNITS } from "../../domain/money.ts";
import { DUE_PERIODS } from "../../domain/ledger/payout/search.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../http/fields.ts";
import { flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import { ids, listed } from "../../resource/list.ts";
import { amounts, cents, period } from "../../resource/listing.ts";
import { lists } from "../../resource/operations.ts";
import { shown } from "../../resource/answer.ts";
import type { V2Operation } from "../operation.ts";
import {
  embeddedLead,
  embeddedLeadJson,
  embeddedPromoterCampaign,
  embeddedPromoterCampaignJson,
} from "../embedded-json.ts";

const yesOrNo = flag.meta({ documentedAs: { type: "string", enum: ["yes", "no"] } });
const status = oneOf(COMMISSION_STATUSES);

/** @see docs/spec/v2.md "List commissions" */
const commissionList = listed(commissions)({
  params: {
    q: [
      field(
        text.optional(),
        "Text to search for in event ids, and in leads' e-mail addresses and uids.",
        "order-1001",
      ),
      (wanted, { account }) => mentions(account.id, wanted),
    ],
    ids,
    status: field(status.optional(), "State of the record."),
    unit: field(oneOf(UNITS).optional(), "Unit of the amount.", "cash"),
  },
  filters: {
    status: field(status, "Only records with this status."),
    unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
    paid: [
      field(yesOrNo, "`yes`: money that was paid. `no`: money that was not."),
      (wanted, { account }) => isDone(account.id, { wanted, isCash: true }),
    ],
    fulfilled: [
      field(yesOrNo, "`yes`: other units that the promoter got. `no`: those that the promoter did not get."),
      (wanted, { account }) => isDone(account.id, { wanted, isCash: false }),
    ],
    sale_amount: field(cents, "Only commissions whose sale was this much, in cents."),
    amount: field(amounts, "The amount: cents for `cash`, whole units otherwise."),
    created_at: field(period, "When the record was created."),
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    payout_id: field(listOf(id), "Ids of the payouts that they belong to.", [88]),
    due_period: [
      field(
        oneOf(DUE_PERIODS),
        "`next`: at the coming due date. `overdue`: past it. `custom`: promoters with their own terms.",
      ),
      (wanted, { account, today }) => isDueIn(wanted, { account_id: account.id, today }),
    ],
    promoter_id: field(id, "Id of the promoter.", 17),
    first_commission: [
      field(flag, "Whether it belongs to the first event that earned something for its lead."),
      isFirst,
    ],
    refunded: [
      field(flag, "Whether a refund took a part of it back, or made it to take another one back."),
      "is_of_refund",
    ],
    fraud_check: field(
      listOf(oneOf(["no_suspicion", ...FRAUD_SUSPICIONS])),
      "Only commissions with one of these suspicions.",
    ),
    plan_id: field(listOf(text), "The sold prices or plans, by your own ids.", ["pro-monthly"]),
  },
  sorting: {
    sale_amount: "By the amount of the sale.",
    amount: "By amount.",
    created_at: "By the moment when they were earned.",
    // By id, the order in which the leads came, because their e-mail addresses change.
    referral: [
      "By lead, in the order in which the leads came. Those without a lead come first.",
      "sorted_lead_id",
    ],
  },
});

/** A commission with the records that it belongs to. @see docs/spec/v2.md "Commission" */
export const commissionAnswer = shown(commissions, commissionParts)("Commission", {
  id: recordId,
  status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
  metadata: [field(z.record(z.string(), z.unknown()), "Further data. Always empty so far.", {}), () => ({})],
  is_self_referral: field(
    z.boolean().nullable(),
    "Whether promoter and lead are the same person, or null if that was not checked.",
  ),
  commission_type: field(z.enum(COMMISSION_TYPES), "Whether it is for a sale or for something else."),
  created_by_user_email: [
    field(
      z.string().nullable(),
      "E-mail address of the user who gave it in the dashboard, or null if no user did.",
      "manager@acme.example",
    ),
    ({ created_by_user }) => created_by_user?.email ?? null,
  ],
  created_by_user_at: [
    field(second.nullable(), "When the user gave it, or null if no user did."),
    ({ created_by_user }) => wholeSecond(created_by_user?.at ?? null),
  ],
  sale_amount: field(z.int(), "What was sold, in cents. 0 if no sale earned it.", 10000),
  original_sale_amount: field(z.int(), "The same in the sale's own currency.", 10000),
  original_sale_currency: field(
    z.string().nullable(),
    "The sale's own currency, or null if it is the account's.",
    null,
  ),
  event_id: field(z.string().nullable(), "Your own id of the sale, or null if it has none.", "order-1001"),
  plan_id: field(
    z.string().nullable(),
    "Your own id of the price or plan that was sold, or null if there is none.",
    "pro-monthly",
  ),
  tier: field(z.int(), "1 for the promoter, 2 for their parent, and so on.", 1),
  internal_note: field(z.string().nullable(), "A note of yours. Promoters never see it.", "Checked by phone"),
  external_note: field(z.string().nullable(), "A note that the promoter sees.", "Thank you for the talk"),
  unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
  fraud_check: field(
    z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]).nullable(),
    "Why the sale is suspected of fraud, or null if that was not checked.",
  ),
  amount: field(
    z.int(),
    "The amount: cents for `cash`, whole units otherwise. Negative if a refund took it back.",
    2000,
  ),
  is_paid: [
    field(z.boolean(), "Whether the promoter was paid."),
    (commission, { payout }) => isPaid(commission, payout),
  ],
  is_split: [
    field(z.boolean(), "Whether several promoters share it."),
    ({ split_ten_thousandths }) => split_ten_thousandths !== null,
  ],
  created_at: createdSecond,
  status_updated_at: field(second.nullable(), "When its status was last changed, or null if it never was."),
  promoter_campaign: [
    field(embeddedPromoterCampaign, "The promoter campaign that earned it."),
    embeddedPromoterCampaignJson,
  ],
  referral: [
    field(embeddedLead.nullable(), "The lead that earned it, or null if there is none or it was deleted."),
    (_, { lead }) => lead && embeddedLeadJson(lead),
  ],
  reward: [
    field(
      z
        .object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") })
        .nullable(),
      "The reward that gave it, or null if it was imported or made by hand.",
    ),
    rewardJson,
  ],
  split_details: [
    field(
      z
        .object({
          promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
          promoter_id: field(z.int(), "Id of the promoter.", 17),
          percentage: field(z.number(), "The part of each commission, in percent.", 25),
        })
        .nullable(),
      "The promoter's part of a commission that several promoters share, or null if it is not shared.",
    ),
    splitJson,
  ],
});

/** @see docs/spec/v2.md "List commissions" */
export const listCommissionsOperation: V2Operation = lists(commissionAnswer, {
  id: "listCommissions",
  summary: "List commissions",
  description:
    "Lists commissions, oldest first, with filters and sorting. A commission is what a promoter earns.",
  list: commissionList,
});

/** The reward with its name at that time, even if it was deleted since. */
export function rewardJson({ reward_id, reward_name }: Commission) {
  return reward_id === null ? null : { id: reward_id, name: reward_name ?? "" };
}

function splitJson({ promoter_campaign_id, promoter_id, split_ten_thousandths: share }: Commission) {
  if (share === null) return null;
  return { promoter_campaign_id, promoter_id, percentage: share / 10_000 };
}
