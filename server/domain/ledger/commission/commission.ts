import { digest } from "../../../storage/digests.ts";
import { table } from "../../../storage/table.ts";
import type { Creator } from "../../context.ts";
import type { Suspicion } from "../../people/lead/lead.ts";
import type { Unit } from "../../money.ts";
import type { Origin } from "../../people/origin.ts";
import type { Payout } from "../payout/payout.ts";
import { dailySums, type Count } from "../../people/daily.ts";
import type { TIER_REWARD_MODES } from "../../program/reward/reward.ts";
import type { BillingPeriod } from "../sale/sale.ts";

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;

export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

export const COMMISSION_TYPES = ["sale", "custom"] as const;

/** A promoter's earnings from one event. V1 calls it a reward. */
export interface Commission {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  /** null: it does not belong to a lead. */
  leadId: number | null;
  status: CommissionStatus;
  type: CommissionType;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. Negative: a refund takes it back. */
  amount: number;
  /** The sale that earned it. null: it was imported, or made by hand. */
  saleId: number | null;
  /** How the lead came. null: without a visit, or it does not belong to a lead. */
  origin: Origin | null;
  /** The refund that made it, if it takes back another commission. */
  refundId: number | null;
  /** The commission that it takes back. null: it takes back none. */
  takesBackId: number | null;
  /** The commissions that take this one back, a few for each refund. */
  takenBackByIds: number[];
  /** Those of them that only correct it, because its sale's amount became known better. Absent: none. */
  correctedByIds?: number[];
  /** The client's own id of the sale. */
  eventId: string | null;
  /** The sale's amount. */
  saleCents: number;
  /** The sale's amount before it was converted, in the minor unit of its own currency. */
  originalSaleAmount: number;
  /** null: the account's currency. */
  originalSaleCurrency: string | null;
  /** The sold price or plan, by the client's own id. */
  planId: string | null;
  billingPeriod: BillingPeriod | null;
  tierLevel: number;
  /** The reward that it was earned by. null: it was imported, or made by hand. */
  rewardId: number | null;
  rewardName: string | null;
  /** The rule that made its amount. null: as for `rewardId`. */
  terms: CommissionTerms | null;
  /** An earlier sale that arrived later has got its reward, so all of it was taken back. Absent: it was not. */
  isReplaced?: true;
  /** The rules of the target that was reached, if it is the bonus for that. Absent: it is none, or older than this mark. */
  targetRules?: unknown[];
  /** The promoter's part of a split commission, in ten-thousandths of a percent. null: it is not split. */
  splitTenThousandths: number | null;
  /**
   * Another promoter than the lead's own earned it, so it stays with them when the lead moves. Absent: the tier decides.
   */
  staysOnMove?: true;
  suspicion: Suspicion | null;
  /** Whether promoter and lead are the same person. null: not judged. */
  isSelfReferral: boolean | null;
  /** When a held commission is approved by itself. null: it is not held. */
  approveAt: string | null;
  /** The payout that it belongs to. null: none yet. */
  payoutId: number | null;
  /** Whether another program paid it before the import. Such a commission goes into no payout. */
  isPaidElsewhere: boolean;
  /** Another commission already counts the imported sale or refund in the reports. Absent: none does. */
  isOfCountedSale?: true;
  /** The promoter gets no e-mail about it. Absent: they do, if their campaign sends it. */
  isSilent?: true;
  /** Absent: nobody gave it by hand in the dashboard. */
  createdByUser?: Creator;
  /** The company's own remark. */
  internalNote: string | null;
  /** A remark that the promoter sees. */
  externalNote: string | null;
  /** null: its status was never changed. */
  statusUpdatedAt: string | null;
  createdAt: string;
}

/** The cause of a commission: a sale, or something else that the company rewards. */
type CommissionType = (typeof COMMISSION_TYPES)[number];

/** The company's notes on a commission that it gives by hand. */
export type CommissionNotes = Pick<Commission, "internalNote" | "externalNote" | "createdByUser">;

/** The rule that made a commission. Later changes of rewards never change it. */
export interface CommissionTerms {
  /** In ten-thousandths: of a percent, or of a unit if it is flat. */
  amountTenThousandths: number;
  /** false: a percentage. */
  isFlat: boolean;
  /** The share of a tier. null: not a tier reward. */
  tierRewardMode: (typeof TIER_REWARD_MODES)[number] | null;
  /** The amount that a percentage was taken of. */
  base: number;
}

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
  sums: dailySums(commissionCounts),
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

/** Whether a payout may still take the commission. */
export function isUnpaid({ status, payoutId, isPaidElsewhere }: Commission): boolean {
  return status === "approved" && payoutId === null && !isPaidElsewhere;
}

/** Whether the promoter was paid, or got what is not money. `payout`: the one that the commission is in. */
export function isPaid({ isPaidElsewhere }: Commission, payout: Pick<Payout, "status"> | null): boolean {
  return isPaidElsewhere || payout?.status === "completed";
}

/** What made a commission that no sale earned. Whoever sends it again makes no second one. */
export interface Source {
  accountId: number;
  /** Of the line of an import, or of the event that a commission was given by hand for. */
  sourceHash: string;
  commissionId: number;
}

/** The name is older than commissions that are given by hand for an event. */
export const commissionSources = table<Source>()({
  name: "imported-commission",
  key: ["source_hash"],
  columns: { source_hash: "text", commission_id: "integer" },
});

/** Whether a refund took a part of it back, or made it to take another back. */
function isOfRefund({
  takenBackByIds,
  correctedByIds = [],
  refundId,
}: Pick<Commission, "takenBackByIds" | "correctedByIds" | "refundId">): boolean {
  return takenBackByIds.length > correctedByIds.length || refundId !== null;
}

/** The counts of a commission in the reports. Payouts count their own payments. */
function commissionCounts(commission: Commission): Count[] {
  const { createdAt: at, amount } = commission;
  const counts: Count[] = [{ metric: "commissions", at }, ...importedCounts(commission)];
  if (commission.status !== "approved" || commission.unit !== "cash") return counts;
  counts.push({ metric: "earningsCents", at, amount });
  if (commission.isPaidElsewhere) counts.push({ metric: "paidCents", at, amount });
  return counts;
}

/** An imported commission has no record of its sale or refund, so one of each event counts that as well. */
function importedCounts({ saleId, isOfCountedSale, saleCents, createdAt: at }: Commission): Count[] {
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
