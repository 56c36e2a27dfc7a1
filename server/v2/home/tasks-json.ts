import { z } from "zod";
import type { Tasks } from "../../domain/home.ts";
import { field } from "../../http/fields.ts";

/** The tasks that wait for the company. */
export const tasksAnswer = z
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

/** Tasks by the API's names. */
export function tasksJson(tasks: Tasks): z.output<typeof tasksAnswer> {
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
      failed_count: waiting.failedCount,
      currencies: waiting.currencies,
    },
    late_deliveries: { count: tasks.lateDeliveries.count, oldest_at: tasks.lateDeliveries.oldestAt },
    undecided_payments: { count: tasks.undecidedPayments.count },
    held_payouts: { count: tasks.heldPayouts.count },
    held_emails: { count: tasks.heldEmails.count },
  };
}
