import type {
  Account,
  FraudSuspicion,
  Payout,
  PayoutMethod,
  PayoutMethodName,
  PayoutStatus,
  Promoter,
} from "../records.ts";

export const DUE_PERIODS = ["next", "overdue", "custom"] as const;

/** A stretch of time in milliseconds, without its end. null: open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** What listed payouts have in common. Those that are absent do not matter. */
export interface PayoutFilter {
  /** In the promoter's first name, last name or e-mail address, in any case. */
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

/** What the filters of one request are judged by. */
export interface PayoutDay {
  account: Account;
  /** The calendar day of the request, UTC. */
  today: string;
  /** The first due date from today on. null: there is none. */
  nextDueDate: string | null;
}

/** What of a promoter payouts are filtered by. */
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

/** What the payout alone decides. */
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

/** What only the promoter decides. */
export const BY_PAYEE: ByPayee = {
  text: ({ promoter }, text) => isNamed(promoter, text),
  fraudSuspicions: ({ promoter: { fraudSuspicions } }, wanted) =>
    wanted.some((suspicion) =>
      suspicion === "no_suspicion" ? fraudSuspicions.length === 0 : fraudSuspicions.includes(suspicion),
    ),
  onlyPayable: (payee, wanted, { account }) => !wanted || isPayable(payee, account),
};

/** Whether a text is in a promoter's first name, last name, both together, or e-mail address, in any case. */
export function isNamed({ profile, email }: Promoter, text: string): boolean {
  const names = `${profile.firstName ?? ""} ${profile.lastName ?? ""}`;
  return `${names}\n${email}`.toLowerCase().includes(text.trim().toLowerCase());
}

/** Whether a promoter can be paid what is pending. @see docs/spec/v2.md "List payouts" */
export function isPayable({ promoter, selected, pendingCents }: Payee, account: Account): boolean {
  if (selected === null || selected.isDisabled) return false;
  if (account.requiresInvoiceDetails && promoter.invoiceDetailsStatus !== "approved") return false;
  return pendingCents >= account.minPaymentCents;
}

function isWithin(instant: number, { from, before }: Span): boolean {
  return (from === null || instant >= from) && (before === null || instant < before);
}
