import { z } from "zod";
import { PAYOUT_CYCLES, type Account } from "../../domain/program/account/account.ts";
import { PAYOUT_METHODS } from "../../domain/ledger/payout-method/payout-method.ts";
import { PAYOUT_STATUSES } from "../../domain/ledger/payout/payout.ts";
import type { Unit } from "../../domain/money.ts";
import {
  dueStats,
  payoutStats,
  type DueStats,
  type DueSummary,
  type PayoutSummary,
} from "../../domain/ledger/payout/stats.ts";
import { flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../../resource/listing.ts";
import { field, second, wholeSecond } from "../../http/fields.ts";
import { payoutAnswer } from "./payouts.ts";

const filters = field(
  z
    .object(
      {
        status: field(oneOf(PAYOUT_STATUSES), "Only records with this status."),
        campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      },
      "is invalid",
    )
    .partial()
    .default({}),
  "Only records that match.",
);

const statsParams = z.object({
  stats_by: field(
    z
      .object(
        {
          paid_period: field(flag, "`true`: by the period that was paid for."),
          status: field(flag, "`true`: by status."),
          payout_method: field(flag, "`true`: by way of payment."),
        },
        "is invalid",
      )
      .partial()
      .optional(),
    "Which sums to return. Default: all.",
  ),
  filters,
});
const dueParams = z.object({
  q: field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"),
  filters,
});

/** The terms of payouts. */
export const payoutTermsAnswer = z
  .object({
    net_payout_days: field(z.int(), "Days from the end of a payout's period to its due date.", 30),
    payout_cycle: field(z.enum(PAYOUT_CYCLES), "The period of a payout."),
    min_payment: field(z.int(), "Smallest payment, in cents.", 5000),
    min_paying_customers: field(z.int(), "Promoters with fewer active customers are not paid yet.", 1),
    terms_description: field(
      z.string(),
      "The same in words.",
      "Payouts are made monthly and due 30 days after the period's end.",
    ),
    selected_payout_methods: field(
      z.array(z.enum(PAYOUT_METHODS)),
      "Ways of payment that promoters may choose.",
      ["bank", "paypal"],
    ),
    payout_method_options: field(
      z.record(z.string(), z.unknown()),
      "Further data on the ways of payment.",
      {},
    ),
    managed_payouts: field(z.boolean(), "Whether the provider pays the promoter automatically."),
  })
  .meta({ id: "PayoutTerms" });

const summary = z.object({
  promoters_count: field(z.int(), "How many promoters there are.", 8),
  amounts: field(
    z.object({
      cash: field(z.int(), "Money, in cents.", 2000),
      credits: field(z.int(), "Credits.", 0),
      points: field(z.int(), "Points.", 0),
      free_months: field(z.int(), "Free months.", 0),
      mon_discount: field(z.int(), "Monthly discount.", 0),
      discount_per: field(z.int(), "Discount in percent.", 0),
    } satisfies Record<Unit, z.ZodInt>),
    "Sum of each unit, without tax.",
  ),
  total_incl_tax: field(z.number(), "The amount with tax.", 2380),
});
const dueSummary = summary.extend({
  due_date: field(z.iso.date().nullable(), "The next due date, or null if there is none."),
  period_end: field(z.iso.date().nullable(), "Last day of its period, or null if there is none."),
});

/** Payouts by due date. */
export const dueStatsAnswer = z
  .object({
    meta: field(payoutTermsAnswer, "Further data."),
    data: field(
      z.object({
        next: field(dueSummary, "Payouts that are due next."),
        overdue: field(
          dueSummary.extend({
            due_date: field(
              z.iso.date().nullable(),
              "The oldest due date that has passed, or null if there is none.",
            ),
          }),
          "Pending payouts whose due date has passed.",
        ),
        custom: field(
          dueSummary,
          "Payouts with a due date of their own: by a promoter's terms, or made by hand.",
        ),
      }),
      "The records.",
    ),
  })
  .meta({ id: "DueStats" });

/** @see docs/spec/v2.md "Statistics of payouts" */
export const payoutStatsOperation: V2Operation = {
  id: "getPayoutStats",
  summary: "Add up payouts by period, status and method",
  description: "Adds up payouts by period, by status and by payout method. `stats_by` chooses among them.",
  params: statsParams,
  answer: z.object({
    meta: field(payoutTermsAnswer, "Further data."),
    data: field(
      z.object({
        by_paid_period: field(
          z.array(
            summary.extend({
              period_start: field(second, payoutAnswer.schema.shape.period_start),
              period_end: field(second, payoutAnswer.schema.shape.period_end),
            }),
          ),
          "Sums of completed payouts, by the period that was paid for, newest first.",
        ),
        by_status: field(z.record(z.string(), summary), "Sums by status.", {
          pending: {
            promoters_count: 8,
            amounts: { cash: 2000, credits: 0, points: 0, free_months: 0, mon_discount: 0, discount_per: 0 },
            total_incl_tax: 2380,
          },
        }),
        by_payout_method: field(z.record(z.string(), summary), "Sums by way of payment.", {
          bank: {
            promoters_count: 8,
            amounts: { cash: 2000, credits: 0, points: 0, free_months: 0, mon_discount: 0, discount_per: 0 },
            total_incl_tax: 2380,
          },
        }),
      }),
      "The records.",
    ),
  }),
  refusals: ["invalid"],
  handle: stats,
};

/** @see docs/spec/v2.md "Statistics of payouts" */
export const dueStatsOperation: V2Operation = {
  id: "getPayoutDueStats",
  summary: "Add up payouts by due date",
  description: "Adds up pending payouts: those due next, those overdue, and those with their own due dates.",
  params: dueParams,
  answer: dueStatsAnswer,
  refusals: ["invalid"],
  handle: due,
};

/** @see docs/spec/v2.md "Statistics of payouts" */
async function stats(request: V2Request) {
  const { account, context } = request;
  const { params } = readListing(request, statsParams);
  const by = params.stats_by ?? { paid_period: true, status: true, payout_method: true };
  const { status, campaign_id: campaignIds } = params.filters;
  const found = await payoutStats(context, account, { status, campaign_ids: campaignIds });
  const periods = by.paid_period ? found.byPaidPeriod : [];
  return {
    meta: payoutTermsJson(account),
    data: {
      by_paid_period: periods.map(({ period_start, period_end, ...sums }) => ({
        period_start: wholeSecond(period_start),
        period_end: wholeSecond(period_end),
        ...summaryJson(sums),
      })),
      by_status: by.status ? payoutSummariesJson(found.byStatus) : {},
      by_payout_method: by.payout_method ? payoutSummariesJson(found.byMethod) : {},
    },
  };
}

async function due(request: V2Request) {
  const { account, context } = request;
  const { params } = readListing(request, dueParams);
  const { status, campaign_id: campaignIds } = params.filters;
  const found = await dueStats(context, account, { text: params.q, status, campaign_ids: campaignIds });
  return { meta: payoutTermsJson(account), data: dueStatsJson(found) };
}

/** Payouts by due date. */
export function dueStatsJson({ next, overdue, custom }: DueStats): z.output<typeof dueStatsAnswer>["data"] {
  return { next: dueSummaryJson(next), overdue: dueSummaryJson(overdue), custom: dueSummaryJson(custom) };
}

/** The account's payout terms. All payout methods are allowed, because an account can't restrict them. */
export function payoutTermsJson(account: Account): z.output<typeof payoutTermsAnswer> {
  const { payout_cycle, net_payout_days } = account;
  return {
    net_payout_days,
    payout_cycle,
    min_payment: account.min_payment_cents,
    min_paying_customers: account.min_paying_customers,
    terms_description: `Payouts are made ${payout_cycle} and due ${net_payout_days} days after the period's end.`,
    selected_payout_methods: [...PAYOUT_METHODS],
    payout_method_options: {},
    managed_payouts: false,
  };
}

/** Sums of payouts by what they have in common. */
export const payoutSummariesAnswer = field(z.record(z.string(), summary), "Sums by status.", {
  pending: {
    promoters_count: 8,
    amounts: { cash: 2000, credits: 0, points: 0, free_months: 0, mon_discount: 0, discount_per: 0 },
    total_incl_tax: 2380,
  },
});

export function payoutSummariesJson(summaries: Map<string, PayoutSummary>) {
  return Object.fromEntries([...summaries].map(([key, sums]) => [key, summaryJson(sums)]));
}

function summaryJson({ promotersCount, amounts, centsInclTax }: PayoutSummary) {
  return { promoters_count: promotersCount, amounts, total_incl_tax: centsInclTax };
}

function dueSummaryJson({ due: day, ...sums }: DueSummary) {
  return {
    ...summaryJson(sums),
    due_date: day?.due_date ?? null,
    period_end: day?.period_end_date ?? null,
  };
}
