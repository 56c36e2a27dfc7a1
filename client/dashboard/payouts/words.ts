import type { Shown } from "../../ui/feedback/badge.tsx";
import type { components } from "../../ui/api/types.ts";

export type Payout = components["schemas"]["Payout"];
export type PaymentsBatch = components["schemas"]["PaymentsBatch"];
type Group = Pick<components["schemas"]["PayoutGroup"], "not_payable_because"> & {
  payouts: Pick<Payout, "unit" | "payments_batch_id">[];
};

/** The names of a payout's states. */
export const STATUSES: Record<Payout["status"], Shown> = {
  pending: { words: "To pay", tone: "warn" },
  processing: { words: "Being paid", tone: "quiet" },
  completed: { words: "Paid", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  cancelled: { words: "Cancelled", tone: "quiet" },
};

/** The names of a payments batch's states. */
export const BATCH_STATUSES: Record<PaymentsBatch["status"], Shown> = {
  awaiting_confirmation: { words: "To confirm", tone: "warn" },
  pending: { words: "Confirmed", tone: "quiet" },
  processing: { words: "Being paid", tone: "quiet" },
  completed: { words: "Paid", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
};

/** The names of payout methods. */
export const METHODS: Record<PaymentsBatch["method"], string> = {
  bank: "Bank transfer",
  paypal: "PayPal",
  wise: "Wise",
  crypto: "Crypto wallet",
  dots: "Dots",
  custom: "Another way",
};

/** The names of payment providers. */
export const PROVIDERS: Record<components["schemas"]["PaymentPlan"]["provider"], string> = {
  paypal: "PayPal",
  stripe: "Stripe",
  wise: "Wise",
  tremendous: "Tremendous",
};

/** Whether the payouts of a promoter can go into a batch, or why not. */
export function readinessOf({ payouts, not_payable_because: why }: Group): Shown {
  const inMoney = payouts.filter(({ unit }) => unit === "cash");
  if (inMoney.length === 0) return { words: "Rewards other than money", tone: "quiet" };
  if (inMoney.every(({ payments_batch_id: batch }) => batch !== null))
    return { words: "In a batch already", tone: "quiet" };
  return why === null ? { words: "Now", tone: "good" } : { words: why, tone: "warn" };
}
