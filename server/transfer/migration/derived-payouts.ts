import type { SourceCommission, SourceRecord } from "./model.ts";

type Payout = Extract<SourceRecord, { kind: "payout" }>;

/** Payouts of a source that only mentions them in commissions. Each is the sum of its commissions. */
export interface DerivedPayouts {
  add(commission: SourceCommission): void;
  all(): Payout[];
}

export function newDerivedPayouts(): DerivedPayouts {
  const payouts = new Map<string, Payout>();
  return {
    add({ payoutId, promoterId, amount, currency, status, isPaid, createdAt, paidAt }) {
      if (payoutId === null || status === "denied") return;
      const before = payouts.get(payoutId);
      payouts.set(payoutId, {
        kind: "payout",
        id: payoutId,
        promoterId,
        campaignId: null,
        unit: "cash",
        amount: (before?.amount ?? 0) + amount,
        currency,
        status: isPaid && before?.status !== "pending" ? "completed" : "pending",
        method: null,
        error: null,
        periodStart: null,
        periodEnd: null,
        createdAt: before && before.createdAt > createdAt ? before.createdAt : createdAt,
        paidAt: paidAt ?? before?.paidAt ?? null,
      });
    },
    all: () => [...payouts.values()],
  };
}
