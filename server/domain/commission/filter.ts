import type { Suspicion } from "../lead/record.ts";
import type { Unit } from "../money/unit.ts";
import type { DUE_PERIODS } from "../payout/filter.ts";
import { isWithin, type Span } from "../span.ts";
import type { Commission, CommissionStatus } from "./record.ts";

/** The conditions for listed commissions. Absent ones do not matter. */
export interface CommissionFilter {
  /** Part of the event's id, or of the lead's e-mail address or uid, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  status?: CommissionStatus | undefined;
  unit?: Unit | undefined;
  /** true: cash that was paid. false: cash that was not. */
  isPaid?: boolean | undefined;
  /** true: other units that the promoter got. false: those that they did not get. */
  isFulfilled?: boolean | undefined;
  saleCents?: Span | undefined;
  amount?: Span | undefined;
  createdAt?: Span | undefined;
  campaignIds?: number[] | undefined;
  payoutIds?: number[] | undefined;
  /** When its payout is due. */
  duePeriod?: (typeof DUE_PERIODS)[number] | undefined;
  promoterId?: number | undefined;
  /** Whether it belongs to the first event that earned something for its lead. */
  isFirst?: boolean | undefined;
  /** Whether a refund took a part of it back, or made it to take another back. */
  isRefunded?: boolean | undefined;
  suspicions?: Suspicion[] | undefined;
  planIds?: string[] | undefined;
}

type Filters = Required<{ [F in keyof CommissionFilter]: NonNullable<CommissionFilter[F]> }>;
type Tests = { [F in keyof Filters]?: (commission: Commission, wanted: Filters[F]) => boolean };

/** The conditions on the commission alone. The others need its lead or its payout. */
export const BY_COMMISSION: Tests = {
  ids: ({ id }, ids) => ids.includes(id),
  status: ({ status }, wanted) => status === wanted,
  unit: ({ unit }, wanted) => unit === wanted,
  // Choice: `isPaid` only concerns cash, and `isFulfilled` all other units.
  isPaid: ({ unit }) => unit === "cash",
  isFulfilled: ({ unit }) => unit !== "cash",
  saleCents: ({ saleCents }, span) => isWithin(saleCents, span),
  amount: ({ amount }, span) => isWithin(amount, span),
  createdAt: ({ createdAt }, span) => isWithin(Date.parse(createdAt), span),
  campaignIds: ({ campaignId }, ids) => ids.includes(campaignId),
  payoutIds: ({ payoutId }, ids) => payoutId !== null && ids.includes(payoutId),
  promoterId: ({ promoterId }, id) => promoterId === id,
  isRefunded: ({ takenBackByIds, correctedByIds = [], refundId }, wanted) =>
    (takenBackByIds.length > correctedByIds.length || refundId !== null) === wanted,
  suspicions: ({ suspicion }, wanted) => suspicion !== null && wanted.includes(suspicion),
  planIds: ({ planId }, ids) => planId !== null && ids.includes(planId),
};
