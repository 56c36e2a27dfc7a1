import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { findVisitor, type Visitor } from "../visitor/visitor.ts";
import type { Transaction } from "../../storage/store.ts";
import { findPromoterByEmail, promoters } from "../promoter/promoter.ts";
import { acceptsLeads, promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";

/** The values of a sign-up that can name its promoter. */
export interface ReferralClaim {
  tid: string | null;
  refToken: string | null;
  promoterEmail: string | null;
  /** When the sign-up is recorded. */
  now: Date;
}

/** The promoter who sent a sign-up. */
export interface Referrer {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  /** The visitor with the given tid. null: none was given, or it is not known in this account. */
  visitor: Visitor | null;
}

/**
 * The promoter campaign that a sign-up belongs to, or null. The ref id decides, then the promoter's e-mail, then the
 * tid. In each case the tid adds the data of the visit.
 *
 * Choice: the tid does not replace a ref id that leads to nobody. A request that names a promoter means that
 * promoter, and money must not go to another.
 */
export async function findReferrer(
  tx: Transaction,
  accountId: number,
  claim: ReferralClaim,
): Promise<Referrer | null> {
  const { tid, now } = claim;
  const visitor = tid === null ? null : await findVisitor(tx, accountId, { tid, now });
  const promoterCampaign = await findNamed(tx, accountId, { ...claim, visitor });
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const promoter = await tx.get(promoters, accountId, promoterCampaign.promoterId);
  return promoter === null ? null : { promoterCampaign, promoter, visitor };
}

async function findNamed(
  tx: Transaction,
  accountId: number,
  { refToken, promoterEmail, visitor }: ReferralClaim & { visitor: Visitor | null },
): Promise<PromoterCampaign | null> {
  if (refToken !== null) return findByRefToken(tx, accountId, refToken);
  if (promoterEmail !== null) {
    const promoter = await findPromoterByEmail(tx, accountId, promoterEmail);
    return promoter && tx.get(promoterCampaigns, accountId, promoter.defaultPromoterCampaignId);
  }
  return visitor && tx.get(promoterCampaigns, accountId, visitor.promoterCampaignId);
}
