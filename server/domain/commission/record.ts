import type { Creator } from "../context.ts";
import type { Origin } from "../origin/origin.ts";
import type { Suspicion } from "../lead/record.ts";
import type { Unit } from "../money/money.ts";
import type { TIER_REWARD_MODES } from "../reward/record.ts";
import type { BillingPeriod } from "../sale/record.ts";

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;

export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

export const COMMISSION_TYPES = ["sale", "custom"] as const;

/** The cause of a commission: a sale, or something else that the company rewards. */
export type CommissionType = (typeof COMMISSION_TYPES)[number];

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

/** Whether a refund took a part of it back, or made it to take another back. */
export function isOfRefund({
  takenBackByIds,
  correctedByIds = [],
  refundId,
}: Pick<Commission, "takenBackByIds" | "correctedByIds" | "refundId">): boolean {
  return takenBackByIds.length > correctedByIds.length || refundId !== null;
}

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
