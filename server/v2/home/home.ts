import { z } from "zod";
import { countTasks, type Tasks } from "../../domain/home.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import { IN_USE } from "../../domain/people/lead/search.ts";
import { compareRanges, type Comparison, type RangeFigures } from "../../domain/reports/chart.ts";
import { calendarDay } from "../../input/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { referralAnswer } from "../referral/referral-json.ts";
import { field } from "../../http/fields.ts";
import { GROUPINGS, type Figure } from "../../domain/reports/figures.ts";

const LATEST_LEADS = 6;

const params = z.object({
  start_date: field(calendarDay, "First day, in the account's time zone.", "2026-02-01"),
  end_date: field(calendarDay, "Last day, included.", "2026-02-28"),
});

const point = z
  .object({
    date: field(z.iso.date(), "First day of the point.", "2026-02-01"),
    value: field(z.number(), "The figure.", 12),
  })
  .meta({ id: "HomePoint" });
const figure = z
  .object({
    total: field(z.number(), "The figure over the range.", 320),
    previous_total: field(z.number(), "The figure over the range before.", 256),
    change_percent: field(
      z.number().nullable(),
      "The change, in percent. Null if the range before had nothing.",
      25,
    ),
    points: field(z.array(point), "The figure over time, oldest first."),
    previous_points: field(z.array(point), "The figure over the range before."),
  })
  .meta({ id: "HomeFigure" });

/** A range of days compared with the previous range. */
export const comparisonAnswer = z.object({
  start_date: field(z.iso.date(), "First day, in the account's time zone.", "2026-02-01"),
  end_date: field(z.iso.date(), "Last day, included.", "2026-02-28"),
  previous_start_date: field(z.iso.date(), "First day of the range before, which is as long.", "2026-01-04"),
  previous_end_date: field(z.iso.date(), "Last day of the range before.", "2026-01-31"),
  group_by: field(z.enum(GROUPINGS), "How the days are grouped into points."),
  figures: field(
    z.object({
      clicks_count: field(figure, "Clicks, with the range before."),
      referrals_count: field(figure, "Leads, with the range before."),
      customers_count: field(figure, "Customers won, with the range before."),
      revenue_amount: field(figure, "Sum of the sales, in cents, with the range before."),
      owed_amount: field(
        figure,
        "What promoters are owed at the end of each point, in cents, with the range before.",
      ),
    }),
    "Figures of the range, each with the range before.",
  ),
  rates: field(
    z.object({
      clicks_to_referrals_cr: field(z.number(), "Leads of a hundred clicks.", 8.5),
      referrals_to_customers_cr: field(z.number(), "Customers of a hundred leads.", 24.5),
      clicks_to_customers_cr: field(z.number(), "Customers of a hundred clicks.", 2.1),
    }),
    "Shares, in percent.",
  ),
});

/** The tasks that wait for the company. */
const tasksAnswer = z
  .object({
    pending_promoters: field(
      z.object({ count: field(z.int(), "How many.", 2) }),
      "Promoters who wait to be accepted in a campaign.",
    ),
    proposed_referrals: field(
      z.object({ count: field(z.int(), "How many.", 2) }),
      "Leads that promoters added by hand, and that wait for your approval.",
    ),
    suspicious_referrals: field(
      z.object({ count: field(z.int(), "How many.", 3) }),
      "Suspicious leads that are not disabled.",
    ),
    pending_commissions: field(
      z.object({
        count: field(z.int(), "How many.", 14),
        amount: field(z.number(), "Their sum in money, in cents.", 42000),
      }),
      "Commissions that wait for approval, held ones included.",
    ),
    pending_payouts: field(
      z.object({
        count: field(z.int(), "How many, in money or not.", 5),
        promoters_count: field(z.int(), "How many promoters wait for money.", 3),
        amount: field(z.number(), "Their sum in money without tax, in cents.", 103700),
        total_incl_tax: field(z.number(), "Their sum in money with tax, in cents.", 123400),
      }),
      "Payouts that wait to be paid.",
    ),
    failing_webhooks: field(
      z.object({ count: field(z.int(), "How many.", 1) }),
      "Active webhooks whose latest attempt failed.",
    ),
    waiting_events: field(
      z.object({
        count: field(z.int(), "How many, with those that failed.", 3),
        failed_count: field(
          z.int(),
          "How many were refused although there was a rate. `GET /api/v2/company/waiting_events` says why.",
          0,
        ),
        currencies: field(z.array(z.string()), "The currencies whose rates are missing.", ["EUR", "KRW"]),
      }),
      "Sales and refunds that wait for exchange rates. Store the rates (`POST /api/v2/company/rates`, or `tidemark rates import`), and they are recorded within a minute.",
    ),
    late_deliveries: field(
      z.object({
        count: field(z.int(), "How many, at most 10,000.", 3),
        oldest_at: field(
          z.iso.datetime().nullable(),
          "When the oldest of them was made, or null if none is late.",
        ),
      }),
      "Events and e-mails that have waited for more than five minutes.",
    ),
    undecided_payments: field(
      z.object({ count: field(z.int(), "How many.", 1) }),
      "Payments that may or may not have been paid.",
    ),
    held_payouts: field(
      z.object({ count: field(z.int(), "How many.", 1) }),
      "Promoters who say that someone else has changed their payout method. They are not paid until you release their payouts.",
    ),
    held_emails: field(
      z.object({ count: field(z.int(), "How many.", 24) }),
      "E-mails that wait until mail is set up.",
    ),
  })
  .meta({ id: "Tasks" });

export const homeOperation: V2Operation = {
  id: "showHome",
  summary: "Show how the program is doing",
  description:
    "Shows a range of days beside the one before it, what needs attention, and the latest leads. Ranges under two months are shown by day, under a year by week, under four years by month, and longer ones by year.",
  params,
  answer: comparisonAnswer.extend({
    tasks: field(tasksAnswer, "What needs attention, independent of the range."),
    latest_referrals: field(z.array(referralAnswer.schema), "The newest leads."),
  }),
  refusals: ["invalid"],
  handle: showHome,
};

const newestLeads = listed(leads, { only: IN_USE, isNewestFirst: true })();

async function showHome({ event, account, context: { store, now } }: V2Request) {
  const { start_date: from, end_date: to } = shapeInput(params, readQuery(event));
  const [comparison, tasks, latest] = await Promise.all([
    compareRanges(store, account.id, { range: { from, to }, figures: SHOWN_FIGURES }),
    countTasks(store, account.id, now),
    newestLeads.find(store, account.id, { where: [], limit: LATEST_LEADS, offset: 0 }),
  ]);
  return {
    ...comparisonJson(comparison),
    tasks: tasksJson(tasks),
    latest_referrals: await referralAnswer.showAll(store, latest.records),
  };
}

/** The figures of the start page, by their names in the API. */
const FIGURES = {
  clicks_count: "clicks",
  referrals_count: "referrals",
  customers_count: "customers",
  revenue_amount: "revenueCents",
  owed_amount: "owedCents",
} as const satisfies Record<string, Figure>;

type Name = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Name[];
const RATES = {
  clicks_to_referrals_cr: "clicksToReferralsPercent",
  referrals_to_customers_cr: "referralsToCustomersPercent",
  clicks_to_customers_cr: "clicksToCustomersPercent",
} as const satisfies Record<string, Figure>;

/** All figures that are read. */
export const SHOWN_FIGURES: Figure[] = [...Object.values(FIGURES), ...Object.values(RATES)];

/** A comparison by the API's names. */
export function comparisonJson({
  groupBy,
  current,
  previous,
}: Comparison): z.output<typeof comparisonAnswer> {
  const figures = NAMES.map((name) => [name, figureJson(FIGURES[name], current, previous)]);
  return {
    start_date: current.range.from,
    end_date: current.range.to,
    previous_start_date: previous.range.from,
    previous_end_date: previous.range.to,
    group_by: groupBy,
    figures: Object.fromEntries(figures) as Record<Name, z.output<typeof figure>>,
    rates: {
      clicks_to_referrals_cr: current.total[RATES.clicks_to_referrals_cr] ?? 0,
      referrals_to_customers_cr: current.total[RATES.referrals_to_customers_cr] ?? 0,
      clicks_to_customers_cr: current.total[RATES.clicks_to_customers_cr] ?? 0,
    },
  };
}

function figureJson(name: Figure, current: RangeFigures, previous: RangeFigures): z.output<typeof figure> {
  const [total, earlier] = [current.total[name] ?? 0, previous.total[name] ?? 0];
  return {
    total,
    previous_total: earlier,
    change_percent: changePercent(earlier, total),
    points: points(name, current),
    previous_points: points(name, previous),
  };
}

function points(name: Figure, { rows }: RangeFigures): z.output<typeof point>[] {
  return rows.map(({ period, figures }) => ({ date: period.from, value: figures[name] ?? 0 }));
}

/** The change in percent, rounded to a tenth, or null if the previous range had nothing. */
function changePercent(before: number, now: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 1_000) / 10;
}

/** Tasks by the API's names. */
function tasksJson(tasks: Tasks): z.output<typeof tasksAnswer> {
  const { pendingCommissions, pendingPayouts, waitingEvents: waiting } = tasks;
  const { promotersCount, cents, centsInclTax } = pendingPayouts;
  return {
    pending_promoters: { count: tasks.pendingPromoters.count },
    proposed_referrals: { count: tasks.proposedLeads.count },
    suspicious_referrals: { count: tasks.suspiciousLeads.count },
    pending_commissions: { count: pendingCommissions.count, amount: pendingCommissions.cents },
    pending_payouts: {
      count: pendingPayouts.count,
      promoters_count: promotersCount,
      amount: cents,
      total_incl_tax: centsInclTax,
    },
    failing_webhooks: { count: tasks.failingWebhooks.count },
    waiting_events: {
      count: waiting.count,
      failed_count: waiting.failed_count,
      currencies: waiting.currencies,
    },
    late_deliveries: { count: tasks.lateDeliveries.count, oldest_at: tasks.lateDeliveries.oldestAt },
    undecided_payments: { count: tasks.undecidedPayments.count },
    held_payouts: { count: tasks.heldPayouts.count },
    held_emails: { count: tasks.heldEmails.count },
  };
}
