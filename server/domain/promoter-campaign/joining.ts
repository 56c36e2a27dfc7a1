import { Failure, type FieldErrors } from "../../failure.ts";
import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign, PromoterCampaignState } from "./record.ts";
import type { Store, Transaction, View } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { loadOwnedRecords } from "../../storage/transaction/owned-records.ts";
import { announce } from "../event/event.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import { newPromoterCampaign, promoterCampaigns, requireLandingPage } from "./promoter-campaign.ts";
import { loadSelected, type Selection } from "../promoter/selection.ts";
import { deriveRefToken, isFreeRefToken, refTokens, replaceRefToken } from "./ref-token.ts";
import type { Show } from "../show.ts";
import { TAKEN, findTaken } from "../../storage/transaction/taken-claims.ts";

/** No promoter is in more campaigns than this. */
const MOST_CAMPAIGNS = 10_000;

/** Changes to a promoter campaign's links and codes. Those left out stay. */
export interface LinkChanges {
  refToken?: string | undefined;
  coupon?: string | null | undefined;
  displayCoupon?: string | null | undefined;
  landingUrl?: string | null | undefined;
  usesUrlTracking?: boolean | undefined;
}

/** Names a promoter campaign by its promoter and its campaign. */
export interface PromoterInCampaign {
  promoterId: number;
  campaignId: number;
}

/** All promoter campaigns of a promoter, oldest first. */
export function listPromoterCampaigns(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<PromoterCampaign[]> {
  return view.page(promoterCampaigns, "promoter", accountId, [promoterId], { limit: MOST_CAMPAIGNS });
}

/** All promoter campaigns of a promoter. The commit fails if one is added meanwhile. */
export function lockPromoterCampaigns(
  tx: Transaction,
  store: Store,
  { accountId, id }: { accountId: number; id: number },
): Promise<PromoterCampaign[]> {
  return loadOwnedRecords([tx, store], promoterCampaigns, { accountId, index: "promoter", ownerId: id });
}

/** The promoter's campaign with this campaign id. @throws Failure `not_found` */
export async function loadPromoterCampaignOf(
  tx: Transaction,
  accountId: number,
  wanted: PromoterInCampaign,
): Promise<PromoterCampaign> {
  const promoterCampaign = await findPromoterCampaign(tx, accountId, wanted);
  if (promoterCampaign === null) throw notInCampaign();
  return promoterCampaign;
}

/** The same, or null. @throws Failure `not_found` for the campaign */
export async function findPromoterCampaign(
  tx: Transaction,
  accountId: number,
  { promoterId, campaignId }: PromoterInCampaign,
): Promise<PromoterCampaign | null> {
  const campaign = await loadCampaign(tx, accountId, campaignId);
  return tx.find(promoterCampaigns, "promoterInCampaign", accountId, [promoterId, campaign.id]);
}

/** Sets the state of a promoter campaign. The same state changes nothing. @throws Failure `not_found` or `refused` */
export async function setPromoterCampaignState(
  context: Context,
  accountId: number,
  { state, ...wanted }: PromoterInCampaign & { state: PromoterCampaignState },
): Promise<void> {
  await context.store.transact(async (tx) => {
    await loadPromoterInUse(tx, accountId, wanted.promoterId);
    const before = await loadPromoterCampaignOf(tx, accountId, wanted);
    const after = { ...before, state };
    await tx.put(promoterCampaigns, after);
    await announce(tx, context, { entity: "promoter_campaign", before, after });
  });
}

/**
 * Adds a promoter to one more campaign, with a ref token of its own.
 *
 * Choice: the state is `pending` if the campaign does not approve automatically, as for new promoters.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
 */
export async function addToCampaign<T>(
  context: Context,
  accountId: number,
  { selection, campaignId, show }: { selection: Selection; campaignId: number; show: Show<Promoter, T> },
): Promise<T> {
  const { store, chance, now } = context;
  const id = await store.nextId("promoter-campaign");
  return store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, selection);
    requireInUse(promoter);
    const campaign = await loadCampaign(tx, accountId, campaignId);
    const { firstName } = promoter.profile;
    const refToken = await deriveRefToken(tx, chance, { accountId, firstName, email: promoter.email });
    const promoterCampaign = newPromoterCampaign({
      accountId,
      id,
      campaignId: campaign.id,
      promoterId: promoter.id,
      state: campaign.autoApprovePromoters ? "accepted" : "pending",
      refToken,
      createdAt: now.toISOString(),
    });
    await tx.put(promoterCampaigns, promoterCampaign, { promoterInCampaign: alreadyInCampaign });
    await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: id });
    await announce(tx, context, { entity: "promoter_campaign", before: null, after: promoterCampaign });
    return show(tx.view, promoter);
  });
}

/** Loads a promoter who is not archived. @throws Failure `not_found` or `refused` */
export async function loadPromoterInUse(tx: Transaction, accountId: number, id: number): Promise<Promoter> {
  const promoter = await loadPromoter(tx, accountId, id);
  requireInUse(promoter);
  return promoter;
}

/** @throws Failure `refused` for an archived promoter */
export function requireInUse({ archivedAt }: Promoter): void {
  if (archivedAt !== null) throw new Failure("refused", "Promoter is archived.");
}

/** The error for adding a promoter to the same campaign twice. */
export function alreadyInCampaign(): Failure {
  return new Failure("refused", "Promoter is already in this campaign.");
}

/** The error for a promoter who is not in the campaign. */
export function notInCampaign(): Failure {
  return new Failure("not_found", "Promoter is not in this campaign.");
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
  const claims = ["coupon", "displayCoupon", "directUrl"] as const;
  return {
    ...(isTaken && { refToken: [TAKEN] }),
    ...(await findTaken(tx, promoterCampaigns, { record: after, claims })),
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
