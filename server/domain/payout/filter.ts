import type { Account } from "../account/record.ts";
import type { FraudSuspicion } from "../lead/record.ts";
import type { Payee } from "./payee.ts";
import type { Payout, PayoutStatus } from "./record.ts";
import type { PayoutMethodName } from "../payout-method/record.ts";
import type { Promoter } from "../promoter/record.ts";
import { isWithin, type Span } from "../span.ts";
import { isPayable } from "./unpayable-reason.ts";

export const DUE_PERIODS = ["next", "overdue", "custom"] as const;

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
  /** The calendar day of the request in the account's time zone. */
  today: string;
  /** The first due date of the wanted payouts from today on. null: there is none. */
  nextDueDate: string | null;
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
