import type { Promoter } from "../promoter/record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { withErasedEmail } from "./values.ts";
import { lockPromoterCampaigns } from "../promoter-campaign/of-promoter.ts";
import { newProfile } from "../promoter/profile.ts";
import { promoters } from "../promoter/promoter.ts";
import { archivedStates } from "../promoter/archiving.ts";
import { removeOwnLinks } from "../referral-link/own-link.ts";
import { promoCodes } from "../promo-code/promo-code.ts";
import { AUTH_TOKEN_LENGTH } from "../promoter/creation.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { forgetRefTokens, refTokens } from "../promoter-campaign/ref-token.ts";

/** A promoter's record without anything personal. */
export function erasedPromoter(
  tx: Transaction,
  { now, chance }: Context,
  promoter: Promoter,
): Promise<Promoter> {
  const { passwordHash: _password, isUnconfirmed: _unconfirmed, ...kept } = promoter;
  return withErasedEmail(tx, promoters, {
    ...kept,
    custId: null,
    note: null,
    tempPasswordHash: null,
    authToken: chance.token(AUTH_TOKEN_LENGTH),
    profile: newProfile({}),
    customFields: null,
    fraudSuspicions: [],
    skipEmailNotification: true,
    lastLoginAt: null,
    archivedAt: promoter.archivedAt ?? now.toISOString(),
  });
}

/**
 * Blocks all promoter campaigns of a promoter, removes names from their links and codes, and returns their
 * ids.
 */
export async function erasePromoterCampaigns(
  tx: Transaction,
  context: Context,
  promoter: Promoter,
): Promise<number[]> {
  const { accountId } = promoter;
  const joined = await lockPromoterCampaigns(tx, promoter);
  for (const promoterCampaign of joined) {
    const { id } = promoterCampaign;
    // Derived tokens never look like this, so it is free.
    const refToken = `erased-${id}-${context.chance.digits(10)}`;
    await erasePromoCodes(tx, context, { accountId, promoterCampaignId: id });
    await removeOwnLinks(tx, promoterCampaign);
    await forgetRefTokens(tx, promoterCampaign);
    await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: id });
    await tx.remove(archivedStates, accountId, id);
    await tx.put(promoterCampaigns, {
      ...promoterCampaign,
      state: "blocked",
      refToken,
      coupon: null,
      displayCoupon: null,
      landingUrl: null,
      usesUrlTracking: false,
    });
  }
  return joined.map(({ id }) => id);
}

async function erasePromoCodes(
  tx: Transaction,
  { now }: Context,
  { accountId, promoterCampaignId }: { accountId: number; promoterCampaignId: number },
): Promise<void> {
  for (const promoCode of await tx.view.list(promoCodes, "promoterCampaign", accountId, [
    promoterCampaignId,
  ])) {
    await tx.put(promoCodes, {
      ...promoCode,
      code: `erased-${promoCode.id}`,
      extId: null,
      description: null,
      metadata: null,
      details: null,
      archivedAt: promoCode.archivedAt ?? now.toISOString(),
    });
  }
}
