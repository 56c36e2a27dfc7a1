import { z } from "zod";
import { PAYOUT_CYCLES, type Account } from "../../domain/account/account.ts";
import { UNITS } from "../../domain/money/money.ts";
import { PAYOUT_METHODS } from "../../domain/payout-method/payout-method.ts";
import { PAYOUT_STATUSES } from "../../domain/payout/payout.ts";
import {
  dueStats,
  payoutStats,
  type DueStats,
  type DueSummary,
  type PayoutSummary,
} from "../../domain/payout/stats.ts";
import { flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";

const filters = z
  .object({ status: oneOf(PAYOUT_STATUSES), campaign_id: listOf(id) }, "is invalid")
  .partial()
  .default({});

const statsParams = z.object({
  stats_by: z
    .object({ paid_period: flag, status: flag, payout_method: flag }, "is invalid")
    .partial()
    .optional(),
  filters,
});
const dueParams = z.object({ q: text.optional(), filters });

/** The terms of payouts. */
export const payoutTermsAnswer = z
  .object({
    net_payout_days: z.int(),
    payout_cycle: z.enum(PAYOUT_CYCLES),
    min_payment: z.int(),
    min_paying_customers: z.int(),
    terms_description: z.string(),
    selected_payout_methods: z.array(z.enum(PAYOUT_METHODS)),
    payout_method_options: z.record(z.string(), z.unknown()),
    managed_payouts: z.boolean(),
  })
  .meta({ id: "PayoutTerms" });

const summary = z.object({
  promoters_count: z.int(),
  amounts: z.object(Object.fromEntries(UNITS.map((unit) => [unit, z.int()]))),
  total_incl_tax: z.number(),
});
const dueSummary = summary.extend({
  due_date: z.iso.date().nullable(),
  period_end: z.iso.date().nullable(),
});

/** Payouts by when they are due. */
export const dueStatsAnswer = z
  .object({
    meta: payoutTermsAnswer,
    data: z.object({ next: dueSummary, overdue: dueSummary, custom: summary }),
  })
  .meta({ id: "DueStats" });

/** `GET /api/v2/company/payouts/stats` @see docs/spec/v2.md "Statistics of payouts" */
export const payoutStatsOperation: V2Operation = {
  summary: "Add up payouts by period, status and method",
  params: statsParams,
  answer: z.object({
    meta: payoutTermsAnswer,
    data: z.object({
      by_paid_period: z.array(
        summary.extend({ period_start: z.iso.datetime(), period_end: z.iso.datetime() }),
      ),
      by_status: z.record(z.string(), summary),
      by_payout_method: z.record(z.string(), summary),
    }),
  }),
  refusals: ["invalid"],
  handle: stats,
};

/** `GET /api/v2/company/payouts/due_stats` @see docs/spec/v2.md "Statistics of payouts" */
export const dueStatsOperation: V2Operation = {
  summary: "Add up payouts by when they are due",
  params: dueParams,
  answer: dueStatsAnswer,
  refusals: ["invalid"],
  handle: due,
};

/** Choice: without `stats_by`, all of them are answered. Those that are not asked for are empty. */
async function stats(request: V2Request) {
  const { account, context } = request;
  const { params } = readListing(request, statsParams);
  const by = params.stats_by ?? { paid_period: true, status: true, payout_method: true };
  const { status, campaign_id: campaignIds } = params.filters;
  const found = await payoutStats(context, account, { status, campaignIds });
  const periods = by.paid_period ? found.byPaidPeriod : [];
  return {
    meta: payoutTermsJson(account),
    data: {
      by_paid_period: periods.map(({ periodStart, periodEnd, ...sums }) => ({
        period_start: periodStart,
        period_end: periodEnd,
        ...summaryJson(sums),
      })),
      by_status: by.status ? summariesJson(found.byStatus) : {},
      by_payout_method: by.payout_method ? summariesJson(found.byMethod) : {},
    },
  };
}

async function due(request: V2Request) {
  const { account, context } = request;
  const { params } = readListing(request, dueParams);
  const { status, campaign_id: campaignIds } = params.filters;
  const found = await dueStats(context, account, { text: params.q, status, campaignIds });
  return { meta: payoutTermsJson(account), data: dueStatsJson(found) };
}

/** Payouts by when they are due. */
export function dueStatsJson({ next, overdue, custom }: DueStats): z.output<typeof dueStatsAnswer>["data"] {
  return { next: dueSummaryJson(next), overdue: dueSummaryJson(overdue), custom: summaryJson(custom) };
}

/** The account's terms. Every method may be chosen, because an account does not restrict them. */
export function payoutTermsJson(account: Account): z.output<typeof payoutTermsAnswer> {
  const { payoutCycle, netPayoutDays } = account;
  return {
    net_payout_days: netPayoutDays,
    payout_cycle: payoutCycle,
    min_payment: account.minPaymentCents,
    min_paying_customers: account.minPayingCustomers,
    terms_description: `Payouts are made ${payoutCycle} and due ${netPayoutDays} days after the period's end.`,
    selected_payout_methods: [...PAYOUT_METHODS],
    payout_method_options: {},
    managed_payouts: false,
  };
}

function summariesJson(summaries: Map<string, PayoutSummary>) {
  return Object.fromEntries([...summaries].map(([key, sums]) => [key, summaryJson(sums)]));
}

function summaryJson({ promotersCount, amounts, centsInclTax }: PayoutSummary) {
  return { promoters_count: promotersCount, amounts, total_incl_tax: centsInclTax };
}

function dueSummaryJson({ due: day, ...sums }: DueSummary) {
  return {
    ...summaryJson(sums),
    due_date: day?.dueDate ?? null,
    period_end: day?.periodEndDate ?? null,
  };
}
