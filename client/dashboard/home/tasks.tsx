import { dateTime, money, several } from "../../ui/format.ts";
import { listAddress } from "../../ui/fragment.ts";
import type { HomeAnswer } from "./home-answer.ts";

interface Task {
  words: string;
  /** A sum of money, if any. */
  cents?: number;
  count: number;
  /** Absent if there is no list of them; then the words say what to do. */
  link?: string;
}

/** Tasks that wait for the team, each with a link to its list. */
export function TaskList({ tasks, owedCents }: { tasks: HomeAnswer["tasks"]; owedCents: number }) {
  const waiting = tasksOf(tasks).filter(({ count }) => count > 0);
  return (
    <section class="card stack">
      <h2>To do</h2>
      {waiting.length === 0 && <p class="soft">Nothing waits for you.</p>}
      <ul class="plain-list">
        {waiting.map(({ words, cents, link }) => (
          <li key={words}>
            {link === undefined ? <span>{words}</span> : <a href={link}>{words}</a>}
            {cents !== undefined && <span class="number">{money(cents)}</span>}
          </li>
        ))}
      </ul>
      <Sums tasks={tasks} owedCents={owedCents} />
    </section>
  );
}

/** Explains how owed, payable and pending sums add up. */
function Sums({ tasks, owedCents }: { tasks: HomeAnswer["tasks"]; owedCents: number }) {
  const { amount, total_incl_tax: withTax } = tasks.pending_payouts;
  const tax = withTax - amount;
  const { amount: pending } = tasks.pending_commissions;
  if (owedCents === 0 && withTax === 0 && pending === 0) return null;
  const rest = owedCents - amount;
  return (
    <p class="small soft">
      Owed is what is approved and not paid: {money(owedCents)}.{" "}
      {amount > 0 &&
        `${money(amount)} of it can be paid now${tax === 0 ? "" : `, with ${money(tax)} of tax`}. `}
      {rest > 0 && (
        <>
          {money(rest)} <a href="/admin/payouts#tab=next">goes into later payouts</a>.{" "}
        </>
      )}
      {pending !== 0 && `${money(pending)} waits for approval and will be added then.`}
    </p>
  );
}

function tasksOf(tasks: HomeAnswer["tasks"]): Task[] {
  const { pending_promoters, proposed_referrals, suspicious_referrals } = tasks;
  const { pending_commissions, pending_payouts, failing_webhooks } = tasks;
  const { waiting_events, late_deliveries, held_emails } = tasks;
  const rates_missing = waiting_events.count - waiting_events.failed_count;
  return [
    {
      // A promoter may wait in several campaigns.
      words: `${several(pending_promoters.count, "application")} to review`,
      count: pending_promoters.count,
      link: listAddress("/admin/promoters", { state: "pending" }),
    },
    {
      words: `${several(proposed_referrals.count, "lead")} to approve`,
      count: proposed_referrals.count,
      link: listAddress("/admin/leads", { state: "pending" }),
    },
    {
      words: several(suspicious_referrals.count, "suspicious lead"),
      count: suspicious_referrals.count,
      link: listAddress("/admin/leads", { state: "not_denied", suspicion: "any" }),
    },
    {
      words: `${several(pending_commissions.count, "commission")} to approve`,
      cents: pending_commissions.amount,
      count: pending_commissions.count,
      link: listAddress("/admin/commissions", { status: "pending" }),
    },
    {
      words: `${several(pending_payouts.promoters_count, "promoter")} to pay`,
      cents: pending_payouts.total_incl_tax,
      count: pending_payouts.promoters_count,
      link: "/admin/payouts",
    },
    ...paymentTasks(tasks),
    {
      words: failing_webhooks.count === 1 ? "1 webhook fails" : `${failing_webhooks.count} webhooks fail`,
      count: failing_webhooks.count,
      link: "/admin/settings/webhooks",
    },
    {
      words: `${several(rates_missing, "sale or refund", "sales or refunds")} without an exchange rate of ${waiting_events.currencies.join(", ")}`,
      count: rates_missing,
      link: "/admin/settings/rates",
    },
    {
      words: `${several(waiting_events.failed_count, "sale or refund", "sales or refunds")} that can't be recorded. tidemark doctor says why`,
      count: waiting_events.failed_count,
    },
    {
      words: `${several(late_deliveries.count, "event")} not sent since ${dateTime(late_deliveries.oldest_at)}`,
      count: late_deliveries.count,
      link: "/admin/settings/webhooks",
    },
    {
      words: `${several(held_emails.count, "e-mail")} held until mail is set up`,
      count: held_emails.count,
      link: "/admin/settings/mail",
    },
  ];
}

function paymentTasks({ undecided_payments: undecided, held_payouts: held }: HomeAnswer["tasks"]): Task[] {
  return [
    {
      words: `${several(undecided.count, "payment")} that may be paid or not: look at the provider`,
      count: undecided.count,
      link: "/admin/payouts",
    },
    {
      words: `${several(held.count, "promoter says", "promoters say")} that someone else has changed their payout method`,
      count: held.count,
      link: "/admin/payouts",
    },
  ];
}
