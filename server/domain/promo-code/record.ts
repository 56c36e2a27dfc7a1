/** A coupon of the payment processor that belongs to a promoter campaign. */
export interface PromoCode {
  accountId: number;
  id: number;
  /** The code that customers type. Compared without case. */
  code: string;
  rewardId: number;
  promoterCampaignId: number;
  /** The promoter who made the code. Absent: the company did. */
  madeByPromoterId?: number;
  /** The payment processor's id. null: not linked yet. */
  extId: string | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  details: Record<string, unknown> | null;
  createdAt: string;
  /** null: in use. */
  archivedAt: string | null;
}
