import { z } from "zod";
import { DUE_PERIODS, type PayoutFilter, type PayoutSort } from "../../domain/ledger/payout/search.ts";
import { INVOICEABLE } from "../../domain/ledger/payout/groups.ts";
import { direction, flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { PAYOUT_METHODS } from "../../domain/ledger/payout-method/payout-method.ts";
import { PAYOUT_STATUSES } from "../../domain/ledger/payout/payout.ts";
import { pageParams } from "../page-params.ts";
import { period, span } from "../range-params.ts";
import { sortsOf } from "../sorting.ts";
import { field } from "../../http/fields.ts";
import { payoutAnswer } from "./payout-json.ts";

/** @see docs/spec/v2.md "List payouts" */
export const listParams = z.object({
  q: field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"),
  ids: field(listOf(id).optional(), "Ids of the records.", [17, 18]),
  filters: field(
    z
      .object(
        {
          status: field(oneOf(PAYOUT_STATUSES), "Only records with this status."),
          campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
          payments_batch_id: field(listOf(id), "Ids of the payments that they are part of.", [5]),
          due_period: field(
            oneOf(DUE_PERIODS),
            "`next`: at the coming due date. `overdue`: past it. `custom`: promoters with their own terms.",
          ),
          period_start: field(period, payoutAnswer.shape.period_start),
          period_end: field(period, payoutAnswer.shape.period_end),
          payout_method: field(oneOf([...PAYOUT_METHODS, "not_set"]), "How the promoter is paid."),
          promoter_id: field(id, "Id of the promoter.", 17),
          only_payable: field(flag, "`true`: only what can be paid now."),
          group_ref: field(text, "The run that made the payouts.", "2026-02"),
          fraud_suspicions: field(
            listOf(oneOf([...FRAUD_SUSPICIONS, "no_suspicion"])),
            "Promoters with any of these suspicions. `no_suspicion`: those with none.",
          ),
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
          amount: field(direction, "By amount."),
          period_start: field(direction, "By the start of the period."),
          period_end: field(direction, "By the end of the period."),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Order of the records. Of several, the first counts most.",
  ),
  ...pageParams.shape,
});

/** @see docs/spec/v2.md "List payouts grouped by promoters" */
export const groupParams = z.object({
  q: field(text.optional(), listParams.shape.q),
  filters: field(
    z
      .object(
        {
          status: field(oneOf(PAYOUT_STATUSES), "Only records with this status."),
          campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
          min_payment: field(
            z
              .string("is invalid")
              .trim()
              .regex(/^\d{1,15}$/, "is invalid")
              .transform(Number)
              .meta({ documentedAs: { type: "integer", minimum: 0 } }),
            "Cash payouts of a promoter below this amount wait for the next period.",
            5000,
          ),
          invoiceable: field(oneOf(INVOICEABLE), "Whether the promoter's invoice details are approved."),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Only records that match.",
  ),
  include_payout_method_details: field(
    flag.optional(),
    "`true` shows the accounts and wallets that money goes to.",
  ),
  ...pageParams.shape,
});

/** The filter by the domain's names. */
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

/** The sort orders by the domain's names. */
export function payoutSorting(sorting: z.output<typeof listParams>["sorting"], query: Query): PayoutSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}
