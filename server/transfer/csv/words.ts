import type { Meanings } from "./columns.ts";

// Words of states in the exports of other programs, in snake_case. A word that could mean two things is in no list, so
// that the user is asked. @see docs/spec/v2.md "Coming from another program"

/** The states of a commission. `approved` is owed. */
export const COMMISSION_WORDS = meanings({
  pending:
    "pending, pending_approval, awaiting_approval, waiting_for_approval, hold, on_hold, held, scheduled, in_review, " +
    "under_review, unapproved, not_approved, unconfirmed",
  approved:
    "approved, confirmed, accepted, validated, due, unpaid, not_paid, payable, owed, outstanding, ready_to_pay, " +
    "ready_for_payout",
  denied:
    "denied, rejected, declined, disapproved, void, voided, cancelled, canceled, refunded, reversed, invalid, " +
    "fraud, fraudulent, duplicate, chargeback, charged_back",
  paid: "paid, paid_out, paidout, paid_externally, already_paid, settled",
});

/** The same in a column that only says whether it was paid. */
export const PAYMENT_WORDS: Meanings = {
  ...COMMISSION_WORDS,
  ...meanings({ approved: "no, n, false, 0, none, open", paid: "yes, y, true, 1" }),
};

export const PROMOTER_WORDS = meanings({
  pending:
    "pending, pending_approval, awaiting_approval, waiting_for_approval, in_review, under_review, applied, invited, " +
    "unapproved, not_approved, unconfirmed, not_set",
  accepted: "accepted, approved, active, enabled, confirmed",
  rejected: "rejected, denied, declined, disapproved",
  blocked: "blocked, banned, suspended, disabled, fraud, fraudulent",
  inactive: "inactive, deactivated, archived, paused",
});

export const LEAD_WORDS = meanings({
  pending: "pending",
  signup: "signup, sign_up, signed_up, lead, trial, trialing, registered",
  active: "active, customer, conversion, converted, paying, paid",
  subscribed: "subscribed",
  cancelled: "cancelled, canceled, churned",
  denied: "denied, rejected, declined, disapproved, fraud, fraudulent, duplicate",
  refunded: "refunded",
});

function meanings<const V extends string>(words: Record<V, string>): Meanings {
  const pairs = Object.entries<string>(words).flatMap(([value, list]) =>
    list.split(", ").map((word) => [word, value] as const),
  );
  return Object.fromEntries(pairs);
}
