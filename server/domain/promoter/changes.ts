import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { table } from "../../storage/table.ts";
import { refuseTaken } from "../../storage/taken.ts";
import type { Context } from "../context.ts";
import { isErased, refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { promoterAddresses } from "../lead/suspicion.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import { promoCodes } from "../promo-code/promo-code.ts";
import { planLinkChanges, putPromoterCampaign, type LinkChanges } from "../promoter-campaign/changes.ts";
import {
  loadPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../promoter-campaign/promoter-campaign.ts";
import { refTokens } from "../promoter-campaign/ref-token.ts";
import { loadPromoterCampaignOf, lockPromoterCampaigns } from "../promoter-campaign/search.ts";
import { removeOwnLinks } from "../referral-link/referral-link.ts";
import { loadStats } from "../report/daily.ts";
import type { Show } from "../show.ts";
import { AUTH_TOKEN_LENGTH, refuseCircle, unknownParent } from "./creation.ts";
import {
  findPromoterByEmail,
  findTakenPromoter,
  isSharedMailbox,
  loadPromoter,
  promoters,
  type InvoiceDetailsStatus,
  type ProfileChanges,
  type Promoter,
} from "./promoter.ts";
import { loadSelected, type Selected, type Selection } from "./search.ts";

/** Changes to a promoter. Fields left out stay. null: cleared. */
export interface PromoterChanges {
  email?: string | undefined;
  custId?: string | null | undefined;
  note?: string | null | undefined;
  tempPasswordHash?: string | undefined;
  customFields?: Record<string, unknown> | null | undefined;
  parentPromoterEmail?: string | null | undefined;
  invoiceDetailsStatus?: InvoiceDetailsStatus | undefined;
  /** null: the account's. */
  netPayoutDays?: number | null | undefined;
  taxRateHundredths?: number | undefined;
  profile?: ProfileChanges | undefined;
  /** The campaign to change. Left out: the one that the selection named, otherwise the default one. */
  campaignId?: number | undefined;
  promoterCampaign?: LinkChanges | undefined;
}

/**
 * Changes a promoter and one of their promoter campaigns.
 *
 * @throws Failure `not_found` for an unknown promoter, parent or promoter campaign, `refused` for an erased one,
 * `invalid`, or `taken` naming every unique field that belongs to another
 */
export function updatePromoter<T>(
  context: Context,
  accountId: number,
  { selection, changes, show }: { selection: Selection; changes: PromoterChanges; show: Show<Promoter, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const selected = await loadSelected(tx, accountId, selection);
    refuseErased(selected.promoter);
    const promoter = await changedPromoter(tx, selected.promoter, changes);
    const before = await chosenPromoterCampaign(tx, selected, changes.campaignId);
    const { after, taken } = await planLinkChanges(tx, before, changes.promoterCampaign ?? {});
    refuseTaken({ ...(await findTakenPromoter(tx, promoter)), ...taken });
    await tx.put(promoters, promoter);
    // Choice: the former mailbox stays theirs too, so that a second account behind it is noticed.
    if (promoter.email !== selected.promoter.email) await isSharedMailbox(tx, promoter);
    await putPromoterCampaign(tx, before, after);
    await announce(tx, context, { entity: "promoter", before: selected.promoter, after: promoter });
    await announce(tx, context, { entity: "promoter_campaign", before, after });
    return show(tx.view, promoter);
  });
}

/** Gives a promoter a new auth token. The old one stops working. @throws Failure `not_found` or `refused` */
export function refreshAuthToken(
  { store, chance }: Context,
  accountId: number,
  selection: Selection,
): Promise<Promoter> {
  return store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, selection);
    refuseErased(promoter);
    const refreshed = { ...promoter, authToken: chance.token(AUTH_TOKEN_LENGTH) };
    await tx.put(promoters, refreshed);
    return refreshed;
  });
}

/** The state of a promoter campaign before its promoter was archived, for the day when they are restored. */
interface ArchivedState {
  accountId: number;
  promoterCampaignId: number;
  state: PromoterCampaignState;
}

export const archivedStates = table<ArchivedState>()({
  name: "archived-state",
  key: ["promoter_campaign_id"],
  columns: { promoter_campaign_id: "integer", state: "text" },
});

/** Archives a promoter and blocks them in every campaign until they are restored. @throws Failure `not_found` */
export async function archivePromoter(context: Context, accountId: number, id: number): Promise<void> {
  const { store, now } = context;
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt !== null) return;
    const after = { ...promoter, archivedAt: now.toISOString() };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
    for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
      const { id: promoterCampaignId, state } = promoterCampaign;
      await tx.put(archivedStates, { accountId, promoterCampaignId, state });
      await putState(tx, context, { before: promoterCampaign, state: "blocked" });
    }
  });
}

/**
 * Restores an archived promoter.
 *
 * Choice: promoter campaigns get back the state from before, because restoring undoes archiving. If the state was
 * changed meanwhile, it stays.
 *
 * @throws Failure `not_found`, or `refused` for an erased promoter
 */
export async function restorePromoter(context: Context, accountId: number, id: number): Promise<void> {
  const { store } = context;
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt === null) return;
    refuseErased(promoter);
    const after = { ...promoter, archivedAt: null };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
    for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
      const archived = await tx.get(archivedStates, accountId, promoterCampaign.id);
      await tx.remove(archivedStates, accountId, promoterCampaign.id);
      if (archived === null || promoterCampaign.state !== "blocked") continue;
      await putState(tx, context, { before: promoterCampaign, state: archived.state });
    }
  });
}

/**
 * Deletes a promoter with their promoter campaigns, payout methods and addresses.
 *
 * Choice: a promoter with earnings can't be deleted, because money must remain accounted for, nor one with sales,
 * because a refund may take back what others earned by them. Leads stay, because those people did sign up. Promo codes
 * are archived, because the payment processor may know them. Ref tokens are retired, so that old links can never lead
 * to another promoter. Child promoters lose their parent. Whatever is added for the promoter meanwhile reads their
 * record or their promoter campaign. So it is either found here or refused.
 *
 * @throws Failure `not_found`, or `refused` for a promoter with commissions, sales or payouts
 */
export async function deletePromoter(
  context: Context,
  accountId: number,
  selection: Selection,
): Promise<Promoter> {
  const { store } = context;
  return store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, selection);
    const joined = await lockPromoterCampaigns(tx, promoter);
    await refuseEarner(tx, promoter, joined);
    await removePromoterCampaigns(tx, context, joined);
    const { id } = promoter;
    for (const child of await tx.view.list(promoters, "parent", accountId, [id])) {
      const orphan = { ...child, parentPromoterId: null };
      await tx.put(promoters, orphan);
      await announce(tx, context, { entity: "promoter", before: child, after: orphan });
    }
    for (const method of await tx.view.list(payoutMethods, "promoter", accountId, [id])) {
      await tx.remove(payoutMethods, accountId, method.id);
      await announce(tx, context, { entity: "payout_method", before: method, after: null });
    }
    for (const { addressHash } of await tx.view.list(promoterAddresses, "id", accountId, [id]))
      await tx.remove(promoterAddresses, accountId, id, addressHash);
    await tx.remove(promoters, accountId, id);
    await announce(tx, context, { entity: "promoter", before: promoter, after: null });
    return promoter;
  });
}

async function changedPromoter(
  tx: Transaction,
  before: Promoter,
  changes: PromoterChanges,
): Promise<Promoter> {
  const { profile = {} } = changes;
  const given = Object.entries(profile).filter(([, value]) => value !== undefined);
  return {
    ...before,
    email: changes.email ?? before.email,
    custId: changes.custId === undefined ? before.custId : changes.custId,
    note: changes.note === undefined ? before.note : changes.note,
    tempPasswordHash: changes.tempPasswordHash ?? before.tempPasswordHash,
    customFields: changes.customFields === undefined ? before.customFields : changes.customFields,
    invoiceDetailsStatus: changes.invoiceDetailsStatus ?? before.invoiceDetailsStatus,
    netPayoutDays: changes.netPayoutDays === undefined ? before.netPayoutDays : changes.netPayoutDays,
    taxRateHundredths: changes.taxRateHundredths ?? before.taxRateHundredths,
    parentPromoterId: await newParentId(tx, before, changes.parentPromoterEmail),
    profile: { ...before.profile, ...Object.fromEntries(given) },
  };
}

async function newParentId(
  tx: Transaction,
  promoter: Promoter,
  email: string | null | undefined,
): Promise<number | null> {
  if (email === undefined) return promoter.parentPromoterId;
  if (email === null) return null;
  const parent = await findPromoterByEmail(tx, promoter.accountId, email);
  if (parent === null || isErased(parent)) throw unknownParent();
  await refuseCircle(tx, promoter, parent);
  return parent.id;
}

function chosenPromoterCampaign(
  tx: Transaction,
  { promoter, promoterCampaign }: Selected,
  campaignId: number | undefined,
): Promise<PromoterCampaign> {
  const { accountId, id } = promoter;
  if (campaignId !== undefined) return loadPromoterCampaignOf(tx, accountId, { promoterId: id, campaignId });
  return loadPromoterCampaign(tx, accountId, promoterCampaign?.id ?? promoter.defaultPromoterCampaignId);
}

async function putState(
  tx: Transaction,
  context: Context,
  { before, state }: { before: PromoterCampaign; state: PromoterCampaignState },
): Promise<void> {
  const after = { ...before, state };
  await tx.put(promoterCampaigns, after);
  await announce(tx, context, { entity: "promoter_campaign", before, after });
}

/** The promoter and their promoter campaigns are locked, so that nothing is earned meanwhile. */
async function refuseEarner(
  tx: Transaction,
  { accountId, id }: Promoter,
  joined: PromoterCampaign[],
): Promise<void> {
  let count = await tx.view.count(payouts, "promoter", accountId, [id]);
  for (const promoterCampaign of joined) {
    const stats = await loadStats(tx.view, promoterCampaign);
    count += stats.commissions + stats.sales;
  }
  if (count > 0) {
    throw new Failure(
      "refused",
      "Promoter has rewards, sales or payouts and can't be removed; archive them instead.",
    );
  }
}

async function removePromoterCampaigns(
  tx: Transaction,
  context: Context,
  joined: PromoterCampaign[],
): Promise<void> {
  for (const promoterCampaign of joined) {
    const { accountId, id, refToken, moreRefTokens = [] } = promoterCampaign;
    for (const promoCode of await tx.view.list(promoCodes, "promoterCampaign", accountId, [id])) {
      if (promoCode.archivedAt !== null) continue;
      const archived = { ...promoCode, archivedAt: context.now.toISOString() };
      await tx.put(promoCodes, archived);
      await announce(tx, context, { entity: "promo_code", before: promoCode, after: archived });
    }
    await removeOwnLinks(tx, promoterCampaign);
    for (const token of [refToken, ...moreRefTokens])
      await tx.put(refTokens, { accountId, token, promoterCampaignId: null });
    await tx.remove(archivedStates, accountId, id);
    await tx.remove(promoterCampaigns, accountId, id);
    await announce(tx, context, { entity: "promoter_campaign", before: promoterCampaign, after: null });
  }
}
