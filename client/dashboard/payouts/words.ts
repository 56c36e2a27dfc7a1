import type { Tone } from "../../ui/feedback/badge.tsx";
import type { components } from "../../ui/api/types.ts";

export type Payout = components["schemas"]["Payout"];
export type PaymentsBatch = components["schemas"]["PaymentsBatch"];

/** The states of a payout, in words. */
export const STATUSES: Record<Payout["status"], { words: string; tone: Tone }> = {
  pending: { words: "To pay", tone: "warn" },
  processing: { words: "Being paid", tone: "quiet" },
  completed: { words: "Paid", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  cancelled: { words: "Cancelled", tone: "quiet" },
};

/** The states of a payments batch, in words. */
export const BATCH_STATUSES: Record<PaymentsBatch["status"], { words: string; tone: Tone }> = {
  awaiting_confirmation: { words: "To confirm", tone: "warn" },
  pending: { words: "Confirmed", tone: "quiet" },
  processing: { words: "Being paid", tone: "quiet" },
  completed: { words: "Paid", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
};

/** The ways of payment, in words. */
export const METHODS: Record<PaymentsBatch["method"], string> = {
  bank: "Bank transfer",
  paypal: "PayPal",
  wise: "Wise",
  crypto: "Crypto wallet",
  dots: "Dots",
  custom: "Another way",
};
