import { z } from "zod";
import type { CommissionFilter, CommissionSort } from "../../domain/commission/search.ts";
import { COMMISSION_STATUSES } from "../../domain/commission/commission.ts";
import { FRAUD_SUSPICIONS } from "../../domain/lead/lead.ts";
import { UNITS } from "../../domain/money/money.ts";
import { DUE_PERIODS } from "../../domain/payout/search.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { direction, flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import { pageParams } from "../page-params.ts";
import { sortsOf } from "../sorting.ts";
import { amounts, amountSpan, period, span } from "../range-params.ts";

const yesOrNo = flag.meta({ documentedAs: { type: "string", enum: ["yes", "no"] } });
const status = oneOf(COMMISSION_STATUSES);

/**
 * The query of the list of commissions.
 *
 * Choice: `status` and `unit` are also accepted outside of `filters`, because the guides of the interface
 * write them so.
 *
 * @see docs/spec/v2.md "List commissions"
 */
export const listParams = z.object({
  q: text.optional(),
  ids: listOf(id).optional(),
  status: status.optional(),
  unit: oneOf(UNITS).optional(),
  filters: z
    .object(
      {
        status,
        unit: oneOf(UNITS),
        paid: yesOrNo,
        fulfilled: yesOrNo,
        sale_amount: amounts,
        amount: amounts,
        created_at: period,
        campaign_id: listOf(id),
        payout_id: listOf(id),
        due_period: oneOf(DUE_PERIODS),
        promoter_id: id,
        first_commission: flag,
        refunded: flag,
        fraud_check: listOf(oneOf(["no_suspicion", ...FRAUD_SUSPICIONS])),
        plan_id: listOf(text),
      },
      "is invalid",
    )
    .partial()
    .default({}),
  sorting: z
    .object(
      { sale_amount: direction, amount: direction, created_at: direction, referral: direction },
      "is invalid",
    )
    .partial()
    .default({}),
  ...pageParams.shape,
});

type Params = z.output<typeof listParams>;

/** The filter in the domain's words. */
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

/** The sort orders in the domain's words. */
export function commissionSorting(sorting: Params["sorting"], query: Query): CommissionSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}
