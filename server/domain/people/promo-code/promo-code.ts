import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure, type FieldErrors } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import { findOwned } from "../../../storage/query.ts";
import { type Reader, type Transaction, type View, TAKEN } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { accounts } from "../../program/account/account.ts";
import { SYSTEM } from "../../context.ts";
import { promoterCampaigns, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { foldedCoupon, rewards } from "../../program/reward/reward.ts";

const fields = {
  id: integer(),
  /** The code that customers enter. Compared without case. */
  code: text().personal(),
  reward_id: integer(),
  promoter_campaign_id: integer(),
  /** The promoter who made the code. Absent: the company did. */
  made_by_promoter_id: integer().optional(),
  /** The payment processor's id, or null if not linked yet. */
  ext_id: text().nullable().personal(),
  description: text().nullable().personal(),
  metadata: json<Record<string, unknown>>().nullable().personal(),
  details: json<Record<string, unknown>>().nullable().personal(),
  created_at: time(),
  /** Null while in use. */
  archived_at: time().nullable(),
};

/** A coupon of the payment processor that belongs to a promoter campaign. */
export type PromoCode = RowOf<typeof fields>;

/** A code is unique among the account's codes in use. An archived code may be made again. */
export const promoCodes = table("promo-code", fields, {
  derived: {
    claimed_code: ["text", ({ code, archived_at }) => (archived_at === null ? claimedCode(code) : null)],
  },
  unique: { code: ["claimed_code"] },
  indexes: {
    promoter_campaign: { on: ["promoter_campaign_id"] },
    in_use: { on: ["promoter_campaign_id"], where: "archived_at is null" },
    /** Promoters' own codes in use. */
    own: {
      on: ["promoter_campaign_id"],
      where: "archived_at is null and made_by_promoter_id is not null",
    },
  },
});

/** The promo codes in use of each of some promoter campaigns, oldest first. */
export function listCodesInUse(
  view: View,
  accountId: number,
  promoterCampaignIds: readonly number[],
): Promise<(promoterCampaignId: number) => PromoCode[]> {
  return findOwned(view, promoCodes, {
    account_id: accountId,
    index: "in_use",
    ids: promoterCampaignIds,
  });
}

/** Whether a promo code is in use. */
export const IN_USE = sql<SqlBool>`promo_codes.archived_at is null`;

/** Whether a promo code belongs to this promoter. */
export function ofPromoter(accountId: number, promoterId: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`promo_codes.promoter_campaign_id in (select promoter_campaigns.id
    from promoter_campaigns where promoter_campaigns.account_id = ${accountId}
    and promoter_campaigns.promoter_id = ${promoterId})`;
}

/** The promo code in use with this code, in any case, or null. */
export function findCodeInUse(reader: Reader, accountId: number, code: string): Promise<PromoCode | null> {
  return reader.find(promoCodes, "code", accountId, [claimedCode(code)]);
}

/** @throws Failure `not_found` */
export async function loadPromoCode(reader: Reader, accountId: number, id: number): Promise<PromoCode> {
  const promoCode = await reader.get(promoCodes, accountId, id);
  if (promoCode === null) throw new Failure("not_found", "Promo code not found.");
  return promoCode;
}

/**
 * The promoter campaign that a code leads to, in any state, or null. A promoter's own code comes last,
 * because it must never take customers from the company's codes.
 *
 * @see docs/spec/v2.md "Promo codes"
 */
export async function findCodeOwner(
  reader: Reader,
  accountId: number,
  text: string,
): Promise<PromoterCampaign | null> {
  const code = text.trim();
  const promoCode = await findCodeInUse(reader, accountId, code);
  const owner = promoCode && (await reader.get(promoterCampaigns, accountId, promoCode.promoter_campaign_id));
  if (owner !== null && promoCode?.made_by_promoter_id === undefined) return owner;
  return (await findByCoupon(reader, accountId, code)) ?? owner;
}

/**
 * Serialises the transactions of an account that assign codes: promoters' own promo codes, and the coupons of
 * promoter campaigns and of rewards, must differ in any letter case, and no constraint spans them all.
 */
export async function lockCodes(tx: Transaction, accountId: number): Promise<void> {
  await tx.lock(accounts, SYSTEM, accountId);
}

/**
 * Prevents a reward from using a promoter's own code as its coupon, because customers of every promoter may
 * enter it.
 *
 * @throws Failure `taken`
 */
export async function refuseOwnCode(
  tx: Transaction,
  accountId: number,
  coupon: string | null,
): Promise<void> {
  if (coupon === null) return;
  await lockCodes(tx, accountId);
  const promoCode = await findCodeInUse(tx, accountId, coupon);
  if (promoCode?.made_by_promoter_id === undefined) return;
  throw new Failure("taken", "The record breaks a rule", { coupon: [TAKEN] });
}

/**
 * Prevents a promoter from making a code that the company uses, in any letter case.
 *
 * @throws Failure `taken`
 */
export async function refuseGivenCode(tx: Transaction, accountId: number, code: string): Promise<void> {
  await lockCodes(tx, accountId);
  const isTaken =
    (await tx.find(promoterCampaigns, "display_coupon", accountId, [foldedCoupon(code)])) !== null ||
    (await tx.view.count(promoterCampaigns, "folded_coupon", accountId, [foldedCoupon(code)])) > 0 ||
    (await tx.view.count(rewards, "folded_coupon", accountId, [foldedCoupon(code)])) > 0;
  if (isTaken) throw new Failure("taken", "The record breaks a rule", { code: [TAKEN] });
}

/**
 * Names the new coupons of a promoter campaign that are another promoter's own codes or, in another letter
 * case, the coupon of another promoter campaign. `before` is null for a new one.
 *
 * @see docs/spec/v2.md "Promo codes"
 */
export async function findCodesOfOthers(
  tx: Transaction,
  before: PromoterCampaign | null,
  after: PromoterCampaign,
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  const isChanged = after.coupon !== before?.coupon || after.display_coupon !== before?.display_coupon;
  if (isChanged && (after.coupon ?? after.display_coupon) !== null) await lockCodes(tx, after.account_id);
  for (const field of ["coupon", "display_coupon"] as const) {
    const coupon = after[field];
    if (coupon === null || coupon === before?.[field]) continue;
    const madeBy = (await findCodeInUse(tx, after.account_id, coupon))?.made_by_promoter_id;
    if (madeBy !== undefined && madeBy !== after.promoter_id) fields[field] = [TAKEN];
  }
  if (await isCouponOfOthers(tx, before, after)) fields["coupon"] = [TAKEN];
  return fields;
}

/** The form in which codes are compared. */
function claimedCode(code: string): string {
  return indexed(code.trim().toLowerCase());
}

async function findByCoupon(reader: Reader, accountId: number, code: string) {
  return (
    (await reader.find(promoterCampaigns, "display_coupon", accountId, [foldedCoupon(code)])) ??
    (await reader.find(promoterCampaigns, "coupon", accountId, [indexed(code)]))
  );
}

async function isCouponOfOthers(
  tx: Transaction,
  before: PromoterCampaign | null,
  { account_id, coupon }: PromoterCampaign,
): Promise<boolean> {
  if (coupon === null || coupon === before?.coupon) return false;
  const known = await tx.view.count(promoterCampaigns, "folded_coupon", account_id, [foldedCoupon(coupon)]);
  const ownCount = coupon.toLowerCase() === before?.coupon?.toLowerCase() ? 1 : 0;
  return known > ownCount;
}
