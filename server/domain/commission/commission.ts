import type { Unit } from "../money/unit.ts";
import type { Commission } from "./record.ts";
import { collection, listCounts, type Count } from "../../storage/collection.ts";
import { digest } from "../../storage/keys.ts";
import type { Key } from "../../storage/keys.ts";
import { balanceCounts } from "./balance.ts";
import { factCounts, type Fact } from "../report/counters.ts";
import { dayCount } from "./day-counts.ts";

export const commissions = collection<Commission>()({
  name: "commission",
  id: (commission) => [commission.id],
  claims: {},
  indexes: {
    promoter: ({ promoterId }) => [promoterId],
    campaign: ({ campaignId }) => [campaignId],
    /** Also sorts by lead. Those without a lead come first. */
    lead: ({ leadId }) => [leadId ?? 0],
    status: ({ status }) => [status],
    amount: ({ amount }) => [amount],
    saleAmount: ({ saleCents }) => [saleCents],
    createdAt: ({ createdAt }) => [Date.parse(createdAt)],
    /** By the client's own id of the event, which may be any text. */
    event: ({ eventId }) => (eventId === null ? null : eventKey(eventId)),
    payout: ({ payoutId }) => (payoutId === null ? null : [payoutId]),
    /** Held commissions, by the instant of their approval. */
    due: ({ status, approveAt }) =>
      status === "pending" && approveAt !== null ? [Date.parse(approveAt)] : null,
    /** Approved commissions that are in no payout, in the order in which a run gathers them. */
    unpaid: (commission) =>
      isUnpaid(commission)
        ? [commission.promoterId, commission.campaignId, commission.unit, Date.parse(commission.createdAt)]
        : null,
  },
  counts: (commission) => [
    ...lengths(commission),
    dayCount(commission),
    ...factCounts(commission, commissionFacts(commission)),
    ...earned(commission),
    ...owedBack(commission),
    ...waiting(commission),
  ],
});

/** The start of the `event` index for one event. */
export function eventKey(eventId: string): [string] {
  return [digest(eventId)];
}

type Named = "accountId" | "id" | "promoterCampaignId" | "promoterId" | "campaignId" | "amount" | "createdAt";

/** A commission with the given fields. By default it is approved cash that no sale has earned. */
export function newCommission(given: Pick<Commission, Named> & Partial<Commission>): Commission {
  return {
    leadId: null,
    status: "approved",
    type: "custom",
    unit: "cash",
    saleId: null,
    origin: null,
    refundId: null,
    takesBackId: null,
    takenBackByIds: [],
    eventId: null,
    saleCents: 0,
    originalSaleAmount: given.saleCents ?? 0,
    originalSaleCurrency: null,
    planId: null,
    billingPeriod: null,
    tierLevel: 1,
    rewardId: null,
    rewardName: null,
    terms: null,
    splitTenThousandths: null,
    suspicion: null,
    isSelfReferral: null,
    approveAt: null,
    payoutId: null,
    isPaidElsewhere: false,
    internalNote: null,
    externalNote: null,
    statusUpdatedAt: null,
    ...given,
  };
}

/** The counts of a commission in the reports. Payouts count their own payments. */
function commissionFacts(commission: Commission): Fact[] {
  const { createdAt: at, amount } = commission;
  const facts: Fact[] = [{ metric: "commissions", at: null }, ...importedFacts(commission)];
  if (commission.status !== "approved" || commission.unit !== "cash") return facts;
  facts.push({ metric: "earningsCents", at, amount });
  if (commission.isPaidElsewhere) facts.push({ metric: "paidCents", at, amount });
  return facts;
}

/** An imported commission has no record of its sale or refund, so one of each event counts that as well. */
function importedFacts({ saleId, isOfCountedSale, saleCents, createdAt: at }: Commission): Fact[] {
  if (saleId !== null || isOfCountedSale || saleCents === 0) return [];
  return saleCents > 0
    ? [
        { metric: "sales", at },
        { metric: "salesCents", at, amount: saleCents },
      ]
    : [
        { metric: "refunds", at },
        { metric: "refundsCents", at, amount: -saleCents },
      ];
}

/** Whether a payout may still take the commission. */
export function isUnpaid({ status, payoutId, isPaidElsewhere }: Commission): boolean {
  return status === "approved" && payoutId === null && !isPaidElsewhere;
}

/** The lengths of lists. Those of promoters and campaigns are counted among their statistics. */
function lengths({ leadId, payoutId, status, campaignId }: Commission): Count[] {
  return listCounts("commission", {
    status: [status],
    statusCampaign: [status, campaignId],
    ...(leadId !== null && { lead: [leadId] }),
    ...(payoutId !== null && { payout: [payoutId] }),
  });
}

/** Counts the amounts that refunds took back in other units than money, until a payout subtracts them. */
function owedBack(commission: Commission): Count[] {
  const isDebt = commission.unit !== "cash" && commission.amount < 0 && isUnpaid(commission);
  return isDebt ? [[debtCounter(commission), commission.amount]] : [];
}

/** The counter of the cash, in cents, that waits for approval. */
export const PENDING_CENTS: Key = ["commission.pendingCents"];

function waiting({ status, promoterId, unit, amount }: Commission): Count[] {
  if (status !== "pending") return [];
  const ofPromoter: Count = [pendingCounter(promoterId, unit), amount];
  return unit === "cash" ? [ofPromoter, [PENDING_CENTS, amount]] : [ofPromoter];
}

/** The counter of a promoter's amounts that wait for approval. */
export function pendingCounter(promoterId: number, unit: Unit): Key {
  return ["commission.pending", promoterId, unit];
}

/** The counter of what refunds took back in other units than money. */
export function debtCounter({ promoterId, campaignId, unit }: Commission): Key {
  return ["unpaid.debt", promoterId, campaignId, unit];
}

function earned(commission: Commission): Count[] {
  const { status, amount, isPaidElsewhere } = commission;
  if (status !== "approved") return [];
  return balanceCounts(commission, { earnings: amount, paid: isPaidElsewhere ? amount : 0 });
}
