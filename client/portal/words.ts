import type { Tone } from "../ui/feedback/badge.tsx";

interface Words {
  tone: Tone;
  children: string;
}

/** The states of a promoter in a campaign. */
export const STATES: Record<"pending" | "accepted" | "rejected" | "blocked" | "inactive", Words> = {
  pending: { tone: "warn", children: "Waiting for approval" },
  accepted: { tone: "good", children: "Accepted" },
  rejected: { tone: "bad", children: "Not accepted" },
  blocked: { tone: "bad", children: "Blocked" },
  inactive: { tone: "quiet", children: "Inactive" },
};

/** The states of a lead. */
export const LEAD_STATES: Record<string, Words> = {
  signup: { tone: "quiet", children: "Signed up" },
  subscribed: { tone: "quiet", children: "Subscribed" },
  active: { tone: "good", children: "Customer" },
  cancelled: { tone: "warn", children: "Cancelled" },
  refunded: { tone: "warn", children: "Refunded" },
  denied: { tone: "bad", children: "Disabled" },
  pending: { tone: "warn", children: "Under review" },
};

/** The states of a commission. */
export const COMMISSION_STATES: Record<string, Words> = {
  pending: { tone: "warn", children: "Waiting" },
  approved: { tone: "good", children: "Approved" },
  denied: { tone: "bad", children: "Denied" },
  paid: { tone: "good", children: "Paid" },
};

/** The states of a payout. */
export const PAYOUT_STATES: Record<string, Words> = {
  pending: { tone: "warn", children: "Due" },
  processing: { tone: "warn", children: "On its way" },
  completed: { tone: "good", children: "Paid" },
  failed: { tone: "bad", children: "Failed" },
  cancelled: { tone: "quiet", children: "Cancelled" },
};

/** The states of a payment. */
export const PAYMENT_STATES = {
  intent: { tone: "warn", children: "Being sent" },
  asked: { tone: "warn", children: "On its way" },
  unclaimed: { tone: "warn", children: "Waits for you" },
  confirmed: { tone: "good", children: "Arrived" },
  failed: { tone: "bad", children: "Failed" },
  returned: { tone: "bad", children: "Came back" },
} satisfies Record<string, Words>;

/** The names of payout methods. */
export const METHODS: Record<string, string> = {
  bank: "Bank transfer",
  paypal: "PayPal",
  wise: "Wise",
  crypto: "Crypto wallet",
  custom: "Other",
  dots: "Dots",
};

/** Labels of invoice details. */
export const INVOICE_WORDS = {
  company_name: "Company",
  company_number: "Registration number",
  vat_id: "VAT id",
  address: "Address",
  country: "Country",
};
