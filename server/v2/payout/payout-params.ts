import { z } from "zod";
import { DUE_PERIODS, type PayoutFilter, type PayoutSort } from "../../domain/payout/search.ts";
import { INVOICEABLE } from "../../domain/payout/groups.ts";
import { direction, flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { FRAUD_SUSPICIONS } from "../../domain/lead/lead.ts";
import { PAYOUT_METHODS } from "../../domain/payout-method/payout-method.ts";
import { PAYOUT_STATUSES } from "../../domain/payout/payout.ts";
import { pageParams } from "../page-params.ts";
import { period, span } from "../range-params.ts";
import { sortsOf } from "../sorting.ts";

/** @see docs/spec/v2.md "List payouts" */
export const listParams = z.object({
  q: text.optional(),
  ids: listOf(id).optional(),
  filters: z
    .object(
      {
        status: oneOf(PAYOUT_STATUSES),
        campaign_id: listOf(id),
        payments_batch_id: listOf(id),
        due_period: oneOf(DUE_PERIODS),
        period_start: period,
        period_end: period,
        payout_method: oneOf([...PAYOUT_METHODS, "not_set"]),
        promoter_id: id,
        only_payable: flag,
        group_ref: text,
        fraud_suspicions: listOf(oneOf([...FRAUD_SUSPICIONS, "no_suspicion"])),
      },
      "is invalid",
    )
    .partial()
    .default({}),
  sorting: z
    .object({ amount: direction, period_start: direction, period_end: direction }, "is invalid")
    .partial()
    .default({}),
  ...pageParams.shape,
});

/** @see docs/spec/v2.md "List payouts grouped by promoters" */
export const groupParams = z.object({
  q: text.optional(),
  filters: z
    .object(
      {
        status: oneOf(PAYOUT_STATUSES),
        campaign_id: listOf(id),
        // Choice: in cents, like all amounts.
        min_payment: z
          .string("is invalid")
          .trim()
          .regex(/^\d{1,15}$/, "is invalid")
          .transform(Number)
          .meta({ documentedAs: { type: "integer", minimum: 0 } }),
        invoiceable: oneOf(INVOICEABLE),
      },
      "is invalid",
    )
    .partial()
    .default({}),
  include_payout_method_details: flag.optional(),
  ...pageParams.shape,
});

/** The filter in the domain's words. */
export function payoutFilter({ q, ids, filters }: z.output<typeof listParams>): PayoutFilter {
  return {
    text: q,
    ids,
    status: filters.status,
    campaignIds: filters.campaign_id,
    paymentsBatchIds: filters.payments_batch_id,
    duePeriod: filters.due_period,
    periodStart: span(filters.period_start),
    periodEnd: span(filters.period_end),
    payoutMethod: filters.payout_method,
    promoterId: filters.promoter_id,
    onlyPayable: filters.only_payable || undefined,
    groupRef: filters.group_ref,
    fraudSuspicions: filters.fraud_suspicions,
  };
}

const SORT_NAMES = { amount: "amount", period_start: "periodStart", period_end: "periodEnd" } as const;

/** The sort orders in the domain's words. */
export function payoutSorting(sorting: z.output<typeof listParams>["sorting"], query: Query): PayoutSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}
