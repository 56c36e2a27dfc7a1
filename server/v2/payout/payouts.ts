import { z } from "zod";
import {
  groupPayouts,
  UNPAYABLE_REASONS,
  INVOICEABLE,
  type PayoutGroup,
} from "../../domain/ledger/payout/groups.ts";
import {
  listPayouts,
  DUE_PERIODS,
  type PayoutParts,
  type PayoutFilter,
  type PayoutSort,
} from "../../domain/ledger/payout/search.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { INVOICE_DETAILS_STATUSES, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { invoiceDetailFaults } from "../../domain/people/vat-number.ts";
import {
  embeddedPromoter,
  embeddedPromoterJson,
  embeddedCampaign,
  embeddedCampaignJson,
} from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing, pageParams, sortsOf, period, span } from "../../resource/listing.ts";
import { NO_DETAILS, payoutMethodAnswer, payoutMethodJson } from "./payout-methods.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../http/fields.ts";
import { direction, flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../domain/ledger/payout-method/payout-method.ts";
import { PAYOUT_STATUSES, type Payout } from "../../domain/ledger/payout/payout.ts";
import { UNITS } from "../../domain/money.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";

/** What a payout pays back of debts in other campaigns. */
export const setOffAnswer = field(
  z.array(
    z.object({
      campaign_id: field(z.int(), "Id of the campaign in which the promoter owed.", 2),
      amount: field(z.int(), "What was paid back, in the unit of the payout.", 500),
    }),
  ),
  "What the payout pays back of debts in other campaigns. Its amount is less by it. Missing: nothing.",
).optional();

export function setOffJson({ set_offs }: Payout): { set_off?: z.output<typeof setOffAnswer> } {
  return set_offs === undefined
    ? {}
    : { set_off: set_offs.map(({ campaign_id, amount }) => ({ campaign_id, amount })) };
}

/** @see docs/spec/v2.md "Payout" */
export const payoutAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
    amount: field(z.number(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    set_off: setOffAnswer,
    payments_batch_id: field(
      z.int().nullable(),
      "Id of the payments batch that it is part of, or null if it is in none.",
      null,
    ),
    tax_rate: field(z.number(), "Tax in percent.", 19),
    unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
    period_start: field(second, "First moment of the period that is paid for."),
    period_end: field(second, "Last moment of the period that is paid for."),
    paid_at: field(second.nullable(), "When it was paid, or null if it was not yet."),
    processing_started_at: field(second.nullable(), "When the payment began, or null if it has not."),
    failed_at: field(second.nullable(), "When the payment failed, or null if it did not."),
    error: field(z.string().nullable(), "Why the payment failed, how much of it came back, or null.", null),
    total_incl_tax: field(z.number(), "The amount with tax.", 2380),
    created_at: createdSecond,
    payout_method: field(
      payoutMethodAnswer.nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
    ),
    promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
  })
  .meta({ id: "Payout" });

/** @see docs/spec/v2.md "List payouts" */
const listParams = z.object({
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

/** `GET /api/v2/company/payouts` @see docs/spec/v2.md "List payouts" */
export const listPayoutsOperation: V2Operation = {
  id: "listPayouts",
  summary: "List payouts",
  description:
    "Lists payouts, with filters and sorting. A payout is what a promoter is paid for one campaign and period.",
  params: listParams,
  answer: z.array(payoutAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** @see docs/spec/v2.md "Grouped payouts" */
const groupAnswer = z
  .object({
    promoter: field(
      embeddedPromoter.extend({
        invoice_details_status: field(
          z.enum(INVOICE_DETAILS_STATUSES),
          "Whether the promoter's invoice details are approved.",
        ),
        fraud_suspicions: field(
          z.array(z.string()),
          "Why the promoter is suspected of fraud. Empty if they are not.",
          ["same_ip_suspicion"],
        ),
        profile: field(
          z.object({
            invoice_details_validation_errors: field(
              z.record(z.string(), z.unknown()),
              "Errors in the invoice details, by field.",
              {},
            ),
          }),
          "The part of the promoter's profile that matters for invoices.",
        ),
      }),
      "The promoter, or null if they were deleted.",
    ),
    payout_method: field(
      payoutMethodAnswer.nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
    ),
    payouts: field(z.array(payoutAnswer), "The promoter's payouts."),
    is_amount_payable: field(z.boolean(), "Whether the promoter can be paid now."),
    not_payable_because: field(
      z.string().nullable(),
      "Why the payouts can't be paid yet, or null if they can.",
      "The payout method is disabled",
    ),
    payout_ids: field(z.array(z.int()), "Ids of the promoter's payouts.", [88]),
    amount: field(z.number(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    total_incl_tax: field(z.number(), "The amount with tax.", 2380),
  })
  .meta({ id: "PayoutGroup" });

/** @see docs/spec/v2.md "List payouts grouped by promoters" */
const groupParams = z.object({
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

/** `GET /api/v2/company/payouts/group_by_promoters` @see docs/spec/v2.md "List payouts grouped by promoters" */
export const groupPayoutsOperation: V2Operation = {
  id: "groupPayoutsByPromoters",
  summary: "List payouts by promoter",
  description:
    "Lists payouts promoter by promoter, with sums. `meta` covers every payout that matches the filters, not only the page.",
  params: groupParams,
  answer: z.object({
    data: field(z.array(groupAnswer), "The records."),
    meta: field(
      z.object({
        total: field(z.number(), "Sum of the cash amounts, in cents.", 2000),
        promoters_count: field(z.int(), "How many promoters they belong to.", 8),
        total_incl_tax: field(z.number(), "Sum of the cash amounts with tax, in cents.", 2380),
        due_date: field(z.iso.date().nullable(), "Day by which it must be paid, or null if there is none."),
        period_end: field(
          z.iso.date().nullable(),
          "Last day of the next period that is paid for, or null if there is none.",
        ),
      }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: group,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, query, page, window } = readListing(request, listParams);
  const found = await listPayouts(context, account, {
    filter: payoutFilter(params),
    sorting: payoutSorting(params.sorting, query),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  return showPayouts(found.records);
}

async function group(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, groupParams);
  const { q, filters, include_payout_method_details: withDetails } = params;
  const found = await groupPayouts(context, account, {
    filter: {
      text: q,
      status: filters.status,
      campaign_ids: filters.campaign_id,
      min_payment_cents: filters.min_payment,
      invoiceable: filters.invoiceable,
    },
    ...window,
  });
  setPageHeaders(request, page, found.promotersCount);
  return {
    data: found.groups.map((each) => groupJson(each, withDetails)),
    meta: {
      total: found.cents,
      promoters_count: found.promotersCount,
      total_incl_tax: found.centsInclTax,
      due_date: found.due?.due_date ?? null,
      period_end: found.due?.period_end_date ?? null,
    },
  };
}

function groupJson(each: PayoutGroup, withDetails = false): z.output<typeof groupAnswer> {
  const { promoter, selected } = each.payee;
  const method = selected && payoutMethodJson(selected);
  const payouts = showPayouts(each.payouts);
  return {
    promoter: {
      ...embeddedPromoterJson(promoter),
      invoice_details_status: promoter.invoice_details_status,
      fraud_suspicions: promoter.fraud_suspicions,
      profile: { invoice_details_validation_errors: invoiceDetailFaults(promoter.profile) },
    },
    payout_method: withDetails ? method : withoutDetails(method),
    payouts: withDetails
      ? payouts
      : payouts.map((payout) => ({ ...payout, payout_method: withoutDetails(payout.payout_method) })),
    is_amount_payable: each.unpayableReason === null,
    not_payable_because: each.unpayableReason && UNPAYABLE_REASONS[each.unpayableReason],
    payout_ids: payouts.map(({ id }) => id),
    amount: each.cents,
    total_incl_tax: each.centsInclTax,
  };
}

/** Details are shown only with `include_payout_method_details`. */
function withoutDetails<M extends z.output<typeof payoutMethodAnswer> | null>(method: M): M {
  return method && { ...method, details: NO_DETAILS };
}

/** Skips payouts whose promoter or campaign was deleted during the read. */
export function showPayouts(payouts: PayoutParts[]): z.output<typeof payoutAnswer>[] {
  return payouts.flatMap(({ payout, promoter, campaign, used, selected }) => {
    if (promoter === null || campaign === null) return [];
    const method = payout.payout_method_id === null ? selected : used;
    return [payoutJson({ payout, promoter, campaign, method })];
  });
}

/** The filter by the domain's names. */
function payoutFilter({ q, ids, filters }: z.output<typeof listParams>): PayoutFilter {
  return {
    text: q,
    ids,
    status: filters.status,
    campaign_ids: filters.campaign_id,
    paymentsBatchIds: filters.payments_batch_id,
    duePeriod: filters.due_period,
    period_start: span(filters.period_start),
    period_end: span(filters.period_end),
    payoutMethod: filters.payout_method,
    promoter_id: filters.promoter_id,
    onlyPayable: filters.only_payable || undefined,
    group_ref: filters.group_ref,
    fraud_suspicions: filters.fraud_suspicions,
  };
}

const SORT_NAMES = { amount: "amount", period_start: "period_start", period_end: "period_end" } as const;

/** The sort orders by the domain's names. */
function payoutSorting(sorting: z.output<typeof listParams>["sorting"], query: Query): PayoutSort[] {
  return sortsOf(sorting, query, SORT_NAMES);
}

/** A payout with its related records. */
export interface PayoutRecords {
  payout: Payout;
  promoter: Promoter;
  campaign: Campaign;
  /** Null if the promoter has selected none. */
  method: PayoutMethod | null;
}

/** A payout. Amounts are cents of `cash`, or whole units otherwise. */
export function payoutJson({
  payout,
  promoter,
  campaign,
  method,
}: PayoutRecords): z.output<typeof payoutAnswer> {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    ...setOffJson(payout),
    payments_batch_id: payout.payments_batch_id,
    tax_rate: payout.tax_rate_hundredths / 100,
    unit: payout.unit,
    period_start: wholeSecond(payout.period_start),
    period_end: wholeSecond(payout.period_end),
    paid_at: wholeSecond(payout.paid_at),
    processing_started_at: wholeSecond(payout.processing_started_at),
    failed_at: wholeSecond(payout.failed_at),
    error: payout.error,
    total_incl_tax: payout.total_incl_tax,
    created_at: wholeSecond(payout.created_at),
    payout_method: method && payoutMethodJson(method),
    promoter: embeddedPromoterJson(promoter),
    campaign: embeddedCampaignJson(campaign),
  };
}
