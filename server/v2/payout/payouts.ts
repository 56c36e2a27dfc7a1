import { z } from "zod";
import { groupPayouts, UNPAYABLE_REASONS, type PayoutGroup } from "../../domain/ledger/payout/groups.ts";
import { listPayouts, type PayoutParts } from "../../domain/ledger/payout/search.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { INVOICE_DETAILS_STATUSES } from "../../domain/people/promoter/promoter.ts";
import { invoiceDetailFaults } from "../../domain/people/vat-number.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { payoutAnswer, payoutJson } from "./payout-json.ts";
import { NO_DETAILS, payoutMethodAnswer, payoutMethodJson } from "./payout-method-json.ts";
import { groupParams, listParams, payoutFilter, payoutSorting } from "./payout-params.ts";
import { field } from "../../http/fields.ts";

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
      campaignIds: filters.campaign_id,
      minPaymentCents: filters.min_payment,
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
      due_date: found.due?.dueDate ?? null,
      period_end: found.due?.periodEndDate ?? null,
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
      invoice_details_status: promoter.invoiceDetailsStatus,
      fraud_suspicions: promoter.fraudSuspicions,
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
    const method = payout.payoutMethodId === null ? selected : used;
    return [payoutJson({ payout, promoter, campaign, method })];
  });
}
