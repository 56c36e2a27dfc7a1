import type { FieldErrors } from "../../failure.ts";
import type { PromoterCampaign } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import { findCodesOfOthers } from "../promo-code/promo-code.ts";
import { promoterCampaigns, requireLandingPage } from "./promoter-campaign.ts";
import { isFreeRefToken, replaceRefToken } from "./ref-token.ts";
import { TAKEN, findTaken } from "../../storage/taken.ts";

/** Changes to a promoter campaign's links and codes. Those left out stay. */
export interface LinkChanges {
  refToken?: string | undefined;
  coupon?: string | null | undefined;
  displayCoupon?: string | null | undefined;
  landingUrl?: string | null | undefined;
  usesUrlTracking?: boolean | undefined;
}

/** A promoter campaign with changes applied, and the fields that another one has taken. */
export async function planLinkChanges(
  tx: Transaction,
  before: PromoterCampaign,
  changes: LinkChanges,
): Promise<{ after: PromoterCampaign; taken: FieldErrors }> {
  const after: PromoterCampaign = {
    ...before,
    refToken: changes.refToken ?? before.refToken,
    coupon: changes.coupon === undefined ? before.coupon : changes.coupon,
    displayCoupon: changes.displayCoupon === undefined ? before.displayCoupon : changes.displayCoupon,
    landingUrl: changes.landingUrl === undefined ? before.landingUrl : changes.landingUrl,
    usesUrlTracking: changes.usesUrlTracking ?? before.usesUrlTracking,
  };
  requireLandingPage(after);
  return { after, taken: await findTakenFields(tx, before, after) };
}

/** Names the fields whose values are taken. `before`: null for a new promoter campaign. */
export async function findTakenFields(
  tx: Transaction,
  before: PromoterCampaign | null,
  after: PromoterCampaign,
): Promise<FieldErrors> {
  const { accountId, refToken } = after;
  const isNamed = refToken !== "" && refToken !== before?.refToken;
  const isTaken = isNamed && !(await isFreeRefToken(tx, accountId, refToken));
  const unique = ["coupon", "displayCoupon", "directUrl"] as const;
  return {
    ...(isTaken && { refToken: [TAKEN] }),
    ...(await findTaken(tx, promoterCampaigns, { record: after, unique })),
    ...(await findCodesOfOthers(tx, before, after)),
  };
}

/** Writes a changed promoter campaign. A ref token that it gives up is retired for ever. */
export async function putPromoterCampaign(
  tx: Transaction,
  before: PromoterCampaign,
  after: PromoterCampaign,
): Promise<void> {
  await tx.put(promoterCampaigns, after);
  if (after.refToken !== before.refToken) await replaceRefToken(tx, before, after.refToken);
}
