import { Failure, type FieldErrors } from "../../failure.ts";
import { indexed } from "../../storage/digests.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { TAKEN } from "../../storage/taken.ts";
import { accounts, SYSTEM } from "../account/account.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { rewards } from "../reward/reward.ts";
import { foldedCoupon } from "./coupons.ts";
import { findCodeInUse } from "./promo-code.ts";

/**
 * The promoter campaign that a code leads to, whatever its state. null: none.
 *
 * Choice: the company's promo codes come first, then the codes that customers type, then the codes at the payment
 * processor, which alone are compared as they are written. A code that a promoter made comes last, because it must never take customers from what the company set up.
 */
export async function findCodeOwner(
  reader: Reader,
  accountId: number,
  text: string,
): Promise<PromoterCampaign | null> {
  const code = text.trim();
  const promoCode = await findCodeInUse(reader, accountId, code);
  const owner = promoCode && (await reader.get(promoterCampaigns, accountId, promoCode.promoterCampaignId));
  if (owner !== null && promoCode?.madeByPromoterId === undefined) return owner;
  return (await findByCoupon(reader, accountId, code)) ?? owner;
}

async function findByCoupon(reader: Reader, accountId: number, code: string) {
  return (
    (await reader.find(promoterCampaigns, "displayCoupon", accountId, [foldedCoupon(code)])) ??
    (await reader.find(promoterCampaigns, "coupon", accountId, [indexed(code)]))
  );
}

/**
 * Lets only one transaction of an account give out codes: promo codes that promoters make, and the coupons of promoter
 * campaigns and of rewards, must differ in any letter case, and no constraint spans them all.
 */
export async function lockCodes(tx: Transaction, accountId: number): Promise<void> {
  await tx.lock(accounts, SYSTEM, accountId);
}

/**
 * Stops a promoter from making a code that the company has given to anybody, in any letter case.
 *
 * @throws Failure `taken`
 */
export async function refuseGivenCode(tx: Transaction, accountId: number, code: string): Promise<void> {
  await lockCodes(tx, accountId);
  const isTaken =
    (await tx.find(promoterCampaigns, "displayCoupon", accountId, [foldedCoupon(code)])) !== null ||
    (await tx.view.count(promoterCampaigns, "foldedCoupon", accountId, [foldedCoupon(code)])) > 0 ||
    (await tx.view.count(rewards, "foldedCoupon", accountId, [foldedCoupon(code)])) > 0;
  if (isTaken) throw new Failure("taken", "The record breaks a rule", { code: [TAKEN] });
}

/**
 * Names the new coupons of a promoter campaign that are codes which another promoter made, or, in another letter case, the
 * coupon of another promoter campaign. `before`: null for a new one.
 *
 * Choice: a promo code that the company made may be a coupon too, and so may the coupon of a reward.
 */
export async function findCodesOfOthers(
  tx: Transaction,
  before: PromoterCampaign | null,
  after: PromoterCampaign,
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  const isChanged = after.coupon !== before?.coupon || after.displayCoupon !== before?.displayCoupon;
  if (isChanged && (after.coupon ?? after.displayCoupon) !== null) await lockCodes(tx, after.accountId);
  for (const field of ["coupon", "displayCoupon"] as const) {
    const coupon = after[field];
    if (coupon === null || coupon === before?.[field]) continue;
    const madeBy = (await findCodeInUse(tx, after.accountId, coupon))?.madeByPromoterId;
    if (madeBy !== undefined && madeBy !== after.promoterId) fields[field] = [TAKEN];
  }
  if (await isCouponOfOthers(tx, before, after)) fields["coupon"] = [TAKEN];
  return fields;
}

async function isCouponOfOthers(
  tx: Transaction,
  before: PromoterCampaign | null,
  { accountId, coupon }: PromoterCampaign,
): Promise<boolean> {
  if (coupon === null || coupon === before?.coupon) return false;
  const known = await tx.view.count(promoterCampaigns, "foldedCoupon", accountId, [foldedCoupon(coupon)]);
  const ownCount = coupon.toLowerCase() === before?.coupon?.toLowerCase() ? 1 : 0;
  return known > ownCount;
}
