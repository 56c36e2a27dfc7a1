import { z } from "zod";
import {
  listCommissions,
  readCommissionParts,
  type CommissionFilter,
  type CommissionSort,
  type CommissionParts,
} from "../../domain/ledger/commission/search.ts";
import { setPageHeaders } from "../../http/pages.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing, pageParams, sortsOf, amounts, amountSpan, cents, period, span } from "../params.ts";
import {
  COMMISSION_STATUSES,
  COMMISSION_TYPES,
  isPaid,
  type Commission,
} from "../../domain/ledger/commission/commission.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { UNITS } from "../../domain/money.ts";
import { DUE_PERIODS } from "../../domain/ledger/payout/search.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { direction, flag, id, listOf, oneOf, text, uid } from "../../input/fields.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../http/fields.ts";
import type { Reader } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson } from "../embedded-json.ts";

const yesOrNo = flag.meta({ documentedAs: { type: "string", enum: ["yes", "no"] } });
const status = oneOf(COMMISSION_STATUSES);

/**
 * The query of the list of commissions.
 *
 * @see docs/spec/v2.md "List commissions"
 */
const listParams = z.object({
  q: field(
    text.optional(),
    "Text to search for in event ids, and in leads' e-mail addresses and uids.",
    "order-1001",
  ),
  ids: field(listOf(id).optional(), "Ids of the records.", [17, 18]),
  status: field(status.optional(), "State of the record."),
  unit: field(oneOf(UNITS).optional(), "Unit of the amount.", "cash"),
  filters: field(
    z
      .object(
        {
          status: field(status, "Only records with this status."),
          unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
          paid: field(yesOrNo, "`yes`: money that was paid. `no`: money that was not."),
          fulfilled: field(
            yesOrNo,
            "`yes`: other units that the promoter got. `no`: those that the promoter did not get.",
          ),
          sale_amount: field(cents, "What was sold, in cents. Null for sign-ups."),
          amount: field(amounts, "The amount: cents for `cash`, whole units otherwise."),
          created_at: field(period, "When the record was created."),
          campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
          payout_id: field(listOf(id), "Ids of the payouts that they belong to.", [88]),
          due_period: field(
            oneOf(DUE_PERIODS),
            "`next`: at the coming due date. `overdue`: past it. `custom`: promoters with their own terms.",
          ),
          promoter_id: field(id, "Id of the promoter.", 17),
          first_commission: field(
            flag,
            "Whether it belongs to the first event that earned something for its lead.",
          ),
          refunded: field(
            flag,
            "Whether a refund took a part of it back, or made it to take another one back.",
          ),
          fraud_check: field(
            listOf(oneOf(["no_suspicion", ...FRAUD_SUSPICIONS])),
            "Only leads with one of these suspicions.",
          ),
          plan_id: field(listOf(text), "The sold prices or plans, by your own ids.", ["pro-monthly"]),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Only records that match.",
  ),
  sorting: field(
    z
      .object(
        {
          sale_amount: field(direction, "By the amount of the sale."),
          amount: field(direction, "By amount."),
          created_at: field(direction, "By the moment when they were earned."),
          referral: field(
            direction,
            "By lead, in the order in which the leads came. Those without a lead come first.",
          ),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Order of the records. Of several, the first counts most.",
  ),
  ...pageParams.shape,
});

type Params = z.output<typeof listParams>;

/** The filter by the domain's names. */
function commissionFilter({ q, ids, filters, ...flat }: Params): CommissionFilter {
  return {
    text: q,
    ids,
    status: filters.status ?? flat.status,
    unit: filters.unit ?? flat.unit,
    isPaid: filters.paid,
    isFulfilled: filters.fulfilled,
    sale_cents: amountSpan(filters.sale_amount),
    amount: amountSpan(filters.amount),
    created_at: span(filters.created_at),
    campaign_ids: filters.campaign_id,
    payout_ids: filters.payout_id,
    duePeriod: filters.due_period,
    promoter_id: filters.promoter_id,
    isFirst: filters.first_commission,
    isRefunded: filters.refunded,
    suspicions: filters.fraud_check,
    planIds: filters.plan_id,
  };
}

const SORT_NAMES = {
  sale_amount: "saleAmount",
  amount: "amount",
  created_at: "created_at",
  referral: "lead",
} as const;

/** The sort orders by the domain's names. */
function commissionSorting(sorting: Params["sorting"], query: Query): CommissionSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}

/** @see docs/spec/v2.md "Commission" */
export const commissionAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
    metadata: field(z.record(z.string(), z.unknown()), "Further data. Always empty so far.", {}),
    is_self_referral: field(
      z.boolean().nullable(),
      "Whether promoter and lead are the same person, or null if that was not checked.",
    ),
    commission_type: field(z.enum(COMMISSION_TYPES), "Whether it is for a sale or for something else."),
    created_by_user_email: field(
      z.string().nullable(),
      "E-mail address of the user who gave it in the dashboard, or null if no user did.",
      "manager@acme.example",
    ),
    created_by_user_at: field(second.nullable(), "When the user gave it, or null if no user did."),
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
    internal_note: field(
      z.string().nullable(),
      "A note of yours. Promoters never see it.",
      "Checked by phone",
    ),
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
    is_paid: field(z.boolean(), "Whether the promoter was paid."),
    is_split: field(z.boolean(), "Whether several promoters share it."),
    created_at: createdSecond,
    status_updated_at: field(second.nullable(), "When its status was last changed, or null if it never was."),
    promoter_campaign: field(embeddedPromoterCampaign, "The promoter campaign that earned it."),
    referral: field(
      z
        .object({
          id: recordId,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
          uid,
        })
        .nullable(),
      "The lead that earned it, or null if there is none or it was deleted.",
    ),
    reward: field(
      z
        .object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") })
        .nullable(),
      "The reward that gave it, or null if it was imported or made by hand.",
    ),
    split_details: field(
      z
        .object({
          promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
          promoter_id: field(z.int(), "Id of the promoter.", 17),
          percentage: field(z.number(), "The part of each commission, in percent.", 25),
        })
        .nullable(),
      "The promoter's part of a commission that several promoters share, or null if it is not shared.",
    ),
  })
  .meta({ id: "Commission" });

/** `GET /api/v2/company/commissions` @see docs/spec/v2.md "List commissions" */
export const listCommissionsOperation: V2Operation = {
  id: "listCommissions",
  summary: "List commissions",
  description:
    "Lists commissions, oldest first, with filters and sorting. A commission is what a promoter earns.",
  params: listParams,
  answer: z.array(commissionAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, query, page, window } = readListing(request, listParams);
  const found = await listCommissions(context, account, {
    filter: commissionFilter(params),
    sorting: commissionSorting(params.sorting, query),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  return found.records.map(commissionJson);
}

/** Shows a commission with the records that it belongs to. */
export async function showCommission(
  reader: Reader,
  commission: Commission,
): Promise<z.output<typeof commissionAnswer>> {
  return commissionJson(await readCommissionParts(reader, commission));
}

/**
 * A commission as V2 shows it. Amounts are cents of `cash`, or whole units otherwise. It is paid when its payout is
 * completed.
 *
 * @see docs/spec/v2.md "Commission"
 */
function commissionJson(parts: CommissionParts): z.output<typeof commissionAnswer> {
  const { commission, lead } = parts;
  return {
    id: commission.id,
    status: commission.status,
    metadata: {},
    is_self_referral: commission.is_self_referral,
    commission_type: commission.type,
    created_by_user_email: commission.created_by_user?.email ?? null,
    created_by_user_at: wholeSecond(commission.created_by_user?.at ?? null),
    sale_amount: commission.sale_cents,
    original_sale_amount: commission.original_sale_amount,
    original_sale_currency: commission.original_sale_currency,
    event_id: commission.event_id,
    plan_id: commission.plan_id,
    tier: commission.tier_level,
    internal_note: commission.internal_note,
    external_note: commission.external_note,
    unit: commission.unit,
    fraud_check: commission.suspicion,
    amount: commission.amount,
    is_paid: isPaid(commission, parts.payout),
    is_split: commission.split_ten_thousandths !== null,
    created_at: wholeSecond(commission.created_at),
    status_updated_at: wholeSecond(commission.status_updated_at),
    promoter_campaign: embeddedPromoterCampaignJson(commission, parts),
    referral: lead && { id: lead.id, email: lead.email, uid: lead.uid },
    reward: rewardJson(commission),
    split_details: splitJson(commission),
  };
}

/** The reward with its name at that time, even if it was deleted since. */
export function rewardJson({ reward_id, reward_name }: Commission) {
  return reward_id === null ? null : { id: reward_id, name: reward_name ?? "" };
}

function splitJson({ promoter_campaign_id, promoter_id, split_ten_thousandths: share }: Commission) {
  if (share === null) return null;
  return { promoter_campaign_id, promoter_id, percentage: share / 10_000 };
}
