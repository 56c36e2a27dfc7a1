import { Failure } from "../../failure.ts";
import type { PromoCode } from "./record.ts";
import { table } from "../../storage/table.ts";
import { indexed } from "../../storage/digests.ts";
import type { Reader, Store, Transaction, View } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import { loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { loadReward } from "../reward/reward.ts";
import type { Show } from "../show.ts";
import { TAKEN } from "../../storage/taken.ts";

/** A code is unique among the account's codes in use. An archived code may be made again. */
export const promoCodes = table<PromoCode>()({
  name: "promo-code",
  columns: {
    id: "integer",
    code: "text",
    claimed_code: ["text", ({ code, archivedAt }) => (archivedAt === null ? claimedCode(code) : null)],
    promoter_campaign_id: "integer",
    reward_id: "integer",
    made_by_promoter_id: "integer",
    ext_id: "text",
    created_at: "text",
    archived_at: "text",
  },
  unique: { code: ["claimed_code"] },
  indexes: {
    promoterCampaign: { on: ["promoter_campaign_id"] },
    inUse: { on: ["promoter_campaign_id"], where: "archived_at is null" },
    /** The codes in use that a promoter made. */
    own: {
      on: ["promoter_campaign_id"],
      where: "archived_at is null and made_by_promoter_id is not null",
    },
  },
});

const REFUSALS = {
  code: () => new Failure("taken", "The record breaks a rule", { code: [TAKEN] }),
};

/** The input for a new promo code. */
export type NewPromoCode = Pick<
  PromoCode,
  "code" | "rewardId" | "promoterCampaignId" | "description" | "metadata" | "details"
>;

/** Changes to a promo code. undefined: unchanged. */
export type PromoCodeChanges = {
  [F in Exclude<keyof NewPromoCode, "rewardId">]?: NewPromoCode[F] | undefined;
};

/**
 * Makes a promo code for a promoter campaign.
 *
 * @throws Failure `not_found` for an unknown promoter campaign or reward, `refused` for an erased promoter, `taken`
 */
export async function createPromoCode<T>(
  context: Context,
  accountId: number,
  { show, ...input }: NewPromoCode & { show: Show<PromoCode, T> },
): Promise<T> {
  const { store } = context;
  const id = await store.nextId("promo-code");
  return store.transact(async (tx) => {
    const promoterCampaign = await loadPromoterCampaign(tx, accountId, input.promoterCampaignId);
    refuseErased(await loadPromoter(tx, accountId, promoterCampaign.promoterId));
    const reward = await loadReward(tx, accountId, input.rewardId);
    return show(tx.view, await addPromoCode(tx, context, { ...input, accountId, id, rewardId: reward.id }));
  });
}

/** Writes a new promo code as part of a larger change. @throws Failure `taken` */
export async function addPromoCode(
  tx: Transaction,
  context: Context,
  input: NewPromoCode & Pick<PromoCode, "accountId" | "id" | "madeByPromoterId">,
): Promise<PromoCode> {
  const createdAt = context.now.toISOString();
  const promoCode: PromoCode = { ...input, extId: null, createdAt, archivedAt: null };
  await tx.put(promoCodes, promoCode, REFUSALS);
  await announce(tx, context, { entity: "promo_code", before: null, after: promoCode });
  return promoCode;
}

/** Stops changes to some codes. It reads within the transaction that makes the change. @throws Failure */
type Guard = (tx: Transaction, promoCode: PromoCode) => Promise<void>;

/**
 * Changes a promo code.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter, `taken`, `rule_broken` if it is archived and has an
 * `extId`
 * @see docs/spec/states.md "Promoters and promoter campaigns", 1
 */
export function updatePromoCode<T>(
  context: Context,
  accountId: number,
  {
    id,
    changes,
    guard,
    show,
  }: { id: number; changes: PromoCodeChanges; guard?: Guard; show: Show<PromoCode, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadPromoCode(tx, accountId, id);
    await guard?.(tx, before);
    if (before.archivedAt !== null && before.extId !== null) {
      const fields = { archivedAt: ["is set: an archived promo code with an ext_id can't be updated"] };
      throw new Failure("rule_broken", "The record breaks a rule", fields);
    }
    const { promoterCampaignId = before.promoterCampaignId } = changes;
    const owner = await loadPromoterCampaign(tx, accountId, promoterCampaignId);
    refuseErased(await loadPromoter(tx, accountId, owner.promoterId));
    const after: PromoCode = {
      ...before,
      code: changes.code ?? before.code,
      promoterCampaignId: owner.id,
      description: changes.description === undefined ? before.description : changes.description,
      metadata: changes.metadata === undefined ? before.metadata : changes.metadata,
      details: changes.details === undefined ? before.details : changes.details,
    };
    await tx.put(promoCodes, after, REFUSALS);
    await announce(tx, context, { entity: "promo_code", before, after });
    return show(tx.view, after);
  });
}

/** Archives a promo code. An archived one stays unchanged. @throws Failure `not_found` */
export function archivePromoCode<T>(
  context: Context,
  accountId: number,
  { id, guard, show }: { id: number; guard?: Guard; show: Show<PromoCode, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadPromoCode(tx, accountId, id);
    await guard?.(tx, before);
    if (before.archivedAt !== null) return show(tx.view, before);
    const after = { ...before, archivedAt: context.now.toISOString() };
    await tx.put(promoCodes, after);
    await announce(tx, context, { entity: "promo_code", before, after });
    return show(tx.view, after);
  });
}

/** Promo codes, archived ones included, oldest first. May be limited to one promoter campaign. */
export function findPromoCodes(
  store: Store,
  accountId: number,
  { promoterCampaignId, ...window }: { promoterCampaignId: number | null } & Window,
): Promise<Found<PromoCode>> {
  const all = store
    .question<Schema<{ promo_codes: typeof promoCodes }>>()
    .selectFrom("promo_codes")
    .where("account_id", "=", accountId)
    .orderBy("id");
  const question =
    promoterCampaignId === null ? all : all.where("promoter_campaign_id", "=", promoterCampaignId);
  return findPage(store, promoCodes, { question, ...window });
}

/** The promo codes in use of a promoter campaign, oldest first. */
export async function listCodesInUse(
  view: View,
  accountId: number,
  promoterCampaignId: number,
): Promise<string[]> {
  const codes: string[] = [];
  for await (const chunk of view.scan(promoCodes, "inUse", accountId, [promoterCampaignId])) {
    codes.push(...chunk.map(({ code }) => code));
  }
  return codes;
}

/** The promo code in use with this code, in any case. null: none. */
export function findCodeInUse(reader: Reader, accountId: number, code: string): Promise<PromoCode | null> {
  return reader.find(promoCodes, "code", accountId, [claimedCode(code)]);
}

/** The form in which codes are compared. */
function claimedCode(code: string): string {
  return indexed(code.trim().toLowerCase());
}

/** @throws Failure `not_found` */
export async function loadPromoCode(reader: Reader, accountId: number, id: number): Promise<PromoCode> {
  const promoCode = await reader.get(promoCodes, accountId, id);
  if (promoCode === null) throw new Failure("not_found", "Promo code not found.");
  return promoCode;
}
