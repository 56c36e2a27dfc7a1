import { z } from "zod";
import type { CommissionFilter, CommissionSort } from "../../domain/ledger/commission/search.ts";
import { COMMISSION_STATUSES } from "../../domain/ledger/commission/commission.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { UNITS } from "../../domain/money.ts";
import { DUE_PERIODS } from "../../domain/ledger/payout/search.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { direction, flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import { pageParams } from "../page-params.ts";
import { sortsOf } from "../sorting.ts";
import { amounts, amountSpan, cents, period, span } from "../range-params.ts";
import { field } from "../../http/fields.ts";

const yesOrNo = flag.meta({ documentedAs: { type: "string", enum: ["yes", "no"] } });
const status = oneOf(COMMISSION_STATUSES);

/**
 * The query of the list of commissions.
 *
 * @see docs/spec/v2.md "List commissions"
 */
export const listParams = z.object({
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
export function commissionFilter({ q, ids, filters, ...flat }: Params): CommissionFilter {
  return {
    text: q,
    ids,
    status: filters.status ?? flat.status,
    unit: filters.unit ?? flat.unit,
    isPaid: filters.paid,
    isFulfilled: filters.fulfilled,
    saleCents: amountSpan(filters.sale_amount),
    amount: amountSpan(filters.amount),
    createdAt: span(filters.created_at),
    campaignIds: filters.campaign_id,
    payoutIds: filters.payout_id,
    duePeriod: filters.due_period,
    promoterId: filters.promoter_id,
    isFirst: filters.first_commission,
    isRefunded: filters.refunded,
    suspicions: filters.fraud_check,
    planIds: filters.plan_id,
  };
}

const SORT_NAMES = {
  sale_amount: "saleAmount",
  amount: "amount",
  created_at: "createdAt",
  referral: "lead",
} as const;

/** The sort orders by the domain's names. */
export function commissionSorting(sorting: Params["sorting"], query: Query): CommissionSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}
