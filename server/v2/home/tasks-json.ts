import { z } from "zod";
import type { Tasks } from "../../domain/home/home.ts";

/** The tasks that wait for somebody of the company. */
export const tasksAnswer = z
  .object({
    pending_promoters: z.object({ count: z.int() }),
    proposed_referrals: z.object({ count: z.int() }),
    suspicious_referrals: z.object({ count: z.int() }),
    pending_commissions: z.object({ count: z.int(), amount: z.number() }),
    pending_payouts: z.object({ count: z.int(), promoters_count: z.int(), total_incl_tax: z.number() }),
    failing_webhooks: z.object({ count: z.int() }),
    waiting_events: z.object({ count: z.int(), failed_count: z.int(), currencies: z.array(z.string()) }),
    late_deliveries: z.object({ count: z.int(), oldest_at: z.iso.datetime().nullable() }),
    held_emails: z.object({ count: z.int() }),
  })
  .meta({ id: "Tasks" });

/** Tasks in the interface's names. */
export function tasksJson(tasks: Tasks): z.output<typeof tasksAnswer> {
  const { pendingCommissions, pendingPayouts, waitingEvents: waiting } = tasks;
  const { promotersCount, centsInclTax } = pendingPayouts;
  return {
    pending_promoters: { count: tasks.pendingPromoters.count },
    proposed_referrals: { count: tasks.proposedLeads.count },
    suspicious_referrals: { count: tasks.suspiciousLeads.count },
    pending_commissions: { count: pendingCommissions.count, amount: pendingCommissions.cents },
    pending_payouts: {
      count: pendingPayouts.count,
      promoters_count: promotersCount,
      total_incl_tax: centsInclTax,
    },
    failing_webhooks: { count: tasks.failingWebhooks.count },
    waiting_events: {
      count: waiting.count,
      failed_count: waiting.failedCount,
      currencies: waiting.currencies,
    },
    late_deliveries: { count: tasks.lateDeliveries.count, oldest_at: tasks.lateDeliveries.oldestAt },
    held_emails: { count: tasks.heldEmails.count },
  };
}
