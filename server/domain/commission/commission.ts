import type { Payout } from "../payout/record.ts";
import { isOfRefund, type Commission } from "./record.ts";
import { table } from "../../storage/table.ts";
import { digest } from "../../storage/digests.ts";
import { dailySums, type Fact } from "../report/daily.ts";

export const commissions = table<Commission>()({
  name: "commission",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    /** 0: it has no lead. So these come first in both engines when they are sorted by lead. */
    lead_id: ["integer", ({ leadId }) => leadId ?? 0],
    status: "text",
    type: "text",
    unit: "text",
    amount: "integer",
    sale_id: "integer",
    sale_cents: "integer",
    /** What the client calls the event, for searches. Choice: without the end of a very long one, as indexes have limits. */
    words: ["text", ({ eventId }) => eventId?.slice(0, 255).toLowerCase()],
    /** The client's own ids of events may be too long for an index. */
    event_hash: ["text", ({ eventId }) => (eventId === null ? null : digest(eventId))],
    plan_id: "text",
    reward_id: "integer",
    refund_id: "integer",
    takes_back_id: "integer",
    is_of_refund: ["integer", isOfRefund],
    suspicion: "text",
    payout_id: "integer",
    is_paid_elsewhere: "integer",
    has_note: ["integer", ({ internalNote, externalNote }) => (internalNote ?? externalNote) !== null],
    approve_at: "text",
    created_at: "text",
  },
  few: ["campaign_id", "status", "unit"],
  indexes: {
    /** Lists read it instead of the commissions, which take far longer. It holds whatever they are filtered or sorted by. */
    list: {
      on: ["id"],
      covers: [
        "status",
        "campaign_id",
        "unit",
        "suspicion",
        "is_of_refund",
        "payout_id",
        "is_paid_elsewhere",
        "amount",
        "sale_cents",
        "lead_id",
        "plan_id",
        "created_at",
        "words",
      ],
    },
    createdAt: { on: ["created_at", "id", "status", "campaign_id", "unit", "suspicion"] },
    lead: { on: ["lead_id", "id", "sale_id"] },
    event: { on: ["event_hash"], where: "event_hash is not null" },
    payout: { on: ["payout_id"], where: "payout_id is not null" },
    /** An erasure of their promoter takes the notes away. */
    noted: { on: ["promoter_id"], where: "has_note = 1" },
    /** Adds up what a promoter has earned, and what waits for approval, without reading the commissions themselves. */
    balance: { on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"] },
    /** The same without cash, of which there is mostly nothing. */
    otherUnits: {
      on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"],
      where: "unit <> 'cash'",
    },
    pending: { on: ["unit", "amount"], where: "status = 'pending'" },
    /** Held commissions, by the instant of their approval. */
    due: { on: ["approve_at"], where: "status = 'pending' and approve_at is not null" },
    /** Approved commissions that are in no payout, in the order in which a run gathers them, with all that it adds up. */
    unpaid: {
      on: [
        "promoter_id",
        "campaign_id",
        "unit",
        "created_at",
        "id",
        "amount",
        "status",
        "payout_id",
        "is_paid_elsewhere",
      ],
      where: "status = 'approved' and payout_id is null and is_paid_elsewhere = 0",
    },
  },
  sums: dailySums(commissionFacts),
});

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
  const facts: Fact[] = [{ metric: "commissions", at }, ...importedFacts(commission)];
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

/** Whether the promoter was paid, or got what is not money. `payout`: the one that the commission is in. */
export function isPaid({ isPaidElsewhere }: Commission, payout: Pick<Payout, "status"> | null): boolean {
  return isPaidElsewhere || payout?.status === "completed";
}
