import type { Account } from "../account/record.ts";
import type { FraudSuspicion } from "../lead/record.ts";
import type { Payout, PayoutStatus } from "./record.ts";
import type { PayoutMethod, PayoutMethodName } from "../payout-method/record.ts";
import type { Promoter } from "../promoter/record.ts";

export const DUE_PERIODS = ["next", "overdue", "custom"] as const;

/** A range of numbers, or of time in milliseconds, without its end. null: open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** The conditions for listed payouts. Absent ones do not matter. */
export interface PayoutFilter {
  /** Part of the promoter's first name, last name or e-mail address, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  status?: PayoutStatus | undefined;
  campaignIds?: number[] | undefined;
  paymentsBatchIds?: number[] | undefined;
  duePeriod?: (typeof DUE_PERIODS)[number] | undefined;
  periodStart?: Span | undefined;
  periodEnd?: Span | undefined;
  payoutMethod?: PayoutMethodName | "not_set" | undefined;
  promoterId?: number | undefined;
  onlyPayable?: boolean | undefined;
  groupRef?: string | undefined;
  /** Promoters with any of these. */
  fraudSuspicions?: (FraudSuspicion | "no_suspicion")[] | undefined;
}

/** The request's account and day, which some filters need. */
export interface PayoutDay {
  account: Account;
  /** The calendar day of the request, UTC. */
  today: string;
  /** The first due date from today on. null: there is none. */
  nextDueDate: string | null;
}

/** A promoter with the data that payouts are filtered by. */
export interface Payee {
  promoter: Promoter;
  /** null: none is selected. */
  selected: PayoutMethod | null;
  /** Sum of the pending cash payouts. */
  pendingCents: number;
}

type Filters = Required<{ [F in keyof PayoutFilter]: NonNullable<PayoutFilter[F]> }>;
type ByPayout = { [F in keyof Filters]?: (payout: Payout, wanted: Filters[F], day: PayoutDay) => boolean };
type ByPayee = { [F in keyof Filters]?: (payee: Payee, wanted: Filters[F], day: PayoutDay) => boolean };

/** The conditions on the payout itself. */
export const BY_PAYOUT: ByPayout = {
  ids: ({ id }, ids) => ids.includes(id),
  status: ({ status }, wanted) => status === wanted,
  campaignIds: ({ campaignId }, ids) => ids.includes(campaignId),
  paymentsBatchIds: ({ paymentsBatchId }, ids) => paymentsBatchId !== null && ids.includes(paymentsBatchId),
  promoterId: ({ promoterId }, id) => promoterId === id,
  groupRef: ({ groupRef }, wanted) => groupRef === wanted,
  periodStart: ({ periodStart }, span) => isWithin(Date.parse(periodStart), span),
  periodEnd: ({ periodEnd }, span) => isWithin(Date.parse(periodEnd), span),
  duePeriod: ({ hasOwnTerms, dueDate, status }, period, { today, nextDueDate }) => {
    if (hasOwnTerms || period === "custom") return hasOwnTerms && period === "custom";
    return period === "next" ? dueDate === nextDueDate : status === "pending" && dueDate < today;
  },
};

/** The conditions on the promoter. */
export const BY_PAYEE: ByPayee = {
  text: ({ promoter }, text) => isNamed(promoter, text),
  fraudSuspicions: ({ promoter: { fraudSuspicions } }, wanted) =>
    wanted.some((suspicion) =>
      suspicion === "no_suspicion" ? fraudSuspicions.length === 0 : fraudSuspicions.includes(suspicion),
    ),
  onlyPayable: (payee, wanted, { account }) => !wanted || isPayable(payee, account),
};

/** Whether a text is part of a promoter's name or e-mail address, ignoring case. */
export function isNamed({ profile, email }: Promoter, text: string): boolean {
  const names = `${profile.firstName ?? ""} ${profile.lastName ?? ""}`;
  return `${names}\n${email}`.toLowerCase().includes(text.trim().toLowerCase());
}

/** Why the pending payouts of a promoter can't be paid yet. */
export const UNPAYABLE_REASONS = {
  no_payout_method: "The promoter has chosen no payout method",
  method_disabled: "The payout method is disabled",
  invoice_details: "The invoice details are not approved",
  below_minimum: "The sum is below the minimum payment",
} as const;
export type UnpayableReason = keyof typeof UNPAYABLE_REASONS;

/** Whether a promoter's pending payouts can be paid. @see docs/spec/v2.md "List payouts" */
export function isPayable(payee: Payee, account: Account): boolean {
  return unpayableReason(payee, account) === null;
}

/** Why a promoter's pending payouts can't be paid. null: they can. */
export function unpayableReason(
  { promoter, selected, pendingCents }: Payee,
  account: Account,
): UnpayableReason | null {
  if (selected === null) return "no_payout_method";
  if (selected.isDisabled) return "method_disabled";
  if (account.requiresInvoiceDetails && promoter.invoiceDetailsStatus !== "approved")
    return "invoice_details";
  return pendingCents < account.minPaymentCents ? "below_minimum" : null;
}

/** Whether a number lies in a range. */
export function isWithin(number: number, { from, before }: Span): boolean {
  return (from === null || number >= from) && (before === null || number < before);
}
