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
  /** Null if it does not belong to a lead. */
  leadId: number | null;
  status: CommissionStatus;
  type: CommissionType;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. Negative if it takes back another one. */
  amount: number;
  /** The sale that earned it, or null if it was imported or made by hand. */
  saleId: number | null;
  /** The lead's origin. Null without a visit, or without a lead. */
  origin: Origin | null;
  /** The refund that made it, if it takes back another commission. */
  refundId: number | null;
  /** The commission that it takes back, or null. */
  takesBackId: number | null;
  /** The commissions that take this one back, a few for each refund. */
  takenBackByIds: number[];
  /** Those of them that only correct it, because its sale's amount was corrected. Absent: none. */
  correctedByIds?: number[];
  /** The client's own id of the sale. */
  eventId: string | null;
  /** The sale's amount. */
  saleCents: number;
  /** The sale's amount before it was converted, in the minor unit of its own currency. */
  originalSaleAmount: number;
  /** Null for the account's currency. */
  originalSaleCurrency: string | null;
  /** The sold price or plan, by the client's own id. */
  planId: string | null;
  billingPeriod: BillingPeriod | null;
  tierLevel: number;
  /** The reward that gave it, or null if it was imported or made by hand. */
  rewardId: number | null;
  rewardName: string | null;
  /** The rule that determined its amount. Null like `rewardId`. */
  terms: CommissionTerms | null;
  /**
   * The rules of the target if it is a bonus for reaching one. Absent: it is none, or older than this field.
   */
  targetRules?: unknown[];
  /** The promoter's share of a split commission, in ten-thousandths of a percent. Null: not split. */
  splitTenThousandths: number | null;
  /**
   * Whether a promoter other than the lead's own earned it, so that it stays with them when the lead moves.
   * Absent: the tier decides.
   */
  staysOnMove?: true;
  suspicion: Suspicion | null;
  /** Whether promoter and lead are the same person. Null: not judged. */
  isSelfReferral: boolean | null;
  /** When a held commission is approved automatically. Null: not held. */
  approveAt: string | null;
  /** The payout that it belongs to, or null. */
  payoutId: number | null;
  /** Whether another program paid it before the import. Such a commission joins no payout. */
  isPaidElsewhere: boolean;
  /** Whether reports already count the imported sale or refund by another commission. Absent: no. */
  isOfCountedSale?: true;
  /**
   * The other campaign, if it sets a debt off: negative in the campaign that pays, positive in the one that owed.
   * Absent: it does not.
   */
  setOff?: { campaignId: number };
  /** Whether the promoter gets no e-mail about it. Absent: they do, if their campaign sends it. */
  isSilent?: true;
  /** Absent unless a user gave it by hand in the dashboard. */
  createdByUser?: Creator;
  /** The company's own remark. */
  internalNote: string | null;
  /** A remark that the promoter sees. */
  externalNote: string | null;
  /** Null if its status was never changed. */
  statusUpdatedAt: string | null;
  createdAt: string;
}

/** The cause of a commission: a sale, or anything else that the company rewards. */
type CommissionType = (typeof COMMISSION_TYPES)[number];

/** The company's notes on a commission that it gives by hand. */
export type CommissionNotes = Pick<Commission, "internalNote" | "externalNote" | "createdByUser">;

/** The rule that determined a commission. Later changes of rewards never change it. */
export interface CommissionTerms {
  /** In ten-thousandths: of a percent, or of a unit if it is flat. */
  amountTenThousandths: number;
  /** False for a percentage. */
  isFlat: boolean;
  /** The base of a tier reward's share. Null: no tier reward. */
  tierRewardMode: (typeof TIER_REWARD_MODES)[number] | null;
  /** The amount on which a percentage is based. */
  base: number;
}

export const commissions = table<Commission>()({
  name: "commission",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    /** 0 without a lead, so that these come first in both engines when sorted by lead. */
    lead_id: ["integer", ({ leadId }) => leadId ?? 0],
    status: "text",
    type: "text",
    unit: "text",
    amount: "integer",
    sale_id: "integer",
    sale_cents: "integer",
    /**
     * The client's event id, for searches. The end of a very long one is cut off, because indexes have
     * limits.
     */
    words: ["text", ({ eventId }) => eventId?.slice(0, 255).toLowerCase()],
    /** Clients' event ids may be too long for an index. */
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
    /**
     * Lists read it instead of the commissions, which are far larger. It contains the columns that lists
     * filter or sort by; a filter by another one works, but reads the commissions.
     */
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
    /** An erasure of their promoter removes the notes. */
    noted: { on: ["promoter_id"], where: "has_note = 1" },
    /** Sums a promoter's earnings and pending commissions without reading the commissions themselves. */
    balance: { on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"] },
    /** The same without cash; it is mostly empty. */
    otherUnits: {
      on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"],
      where: "unit <> 'cash'",
    },
    pending: { on: ["unit", "amount"], where: "status = 'pending'" },
    /** Held commissions, by the instant of their approval. */
    due: { on: ["approve_at"], where: "status = 'pending' and approve_at is not null" },
    /**
     * Approved commissions without a payout, in the order in which a run gathers them, with all columns that
     * it sums.
     */
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

/** A commission with the given fields. By default it is approved cash without a sale. */
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

/** Whether a payout may still include the commission. */
export function isUnpaid({ status, payoutId, isPaidElsewhere }: Commission): boolean {
  return status === "approved" && payoutId === null && !isPaidElsewhere;
}

/**
 * Whether the promoter was paid, or got the non-cash reward. `payout` is the one that includes the
 * commission.
 */
export function isPaid({ isPaidElsewhere }: Commission, payout: Pick<Payout, "status"> | null): boolean {
  return isPaidElsewhere || payout?.status === "completed";
}

/** The origin of a commission without a sale. A repeated request finds it and makes no second commission. */
export interface CommissionSource {
  accountId: number;
  /** The hash of an imported line, or of the event for which a commission was given by hand. */
  sourceHash: string;
  commissionId: number;
}

/** The name is older than commissions that are given by hand for an event. */
export const commissionSources = table<CommissionSource>()({
  name: "imported-commission",
  key: ["source_hash"],
  columns: { source_hash: "text", commission_id: "integer" },
});

/** Whether a refund took back a part of it, or made it to take back another. */
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
  // Both of a pair are the same promoter's, so nothing was earned.
  if (commission.setOff !== undefined) return [];
  const counts: Count[] = [{ metric: "commissions", at }, ...importedCounts(commission)];
  if (commission.status !== "approved" || commission.unit !== "cash") return counts;
  counts.push({ metric: "earningsCents", at, amount });
  if (commission.isPaidElsewhere) counts.push({ metric: "paidCents", at, amount });
  return counts;
}

/**
 * An imported commission has no record of its sale or refund, so one commission of each event counts that as
 * well.
 */
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
