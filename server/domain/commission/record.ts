import type { Unit } from "../money/unit.ts";

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;

export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

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
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. */
  amount: number;
  /** The client's own id of the sale. */
  eventId: string | null;
  /** The sale's amount. */
  conversionCents: number;
  tierLevel: number;
  /** Whether another program paid it before the import. Such a commission goes into no payout. */
  isPaidElsewhere: boolean;
  createdAt: string;
}
