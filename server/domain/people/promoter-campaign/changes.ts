import { Failure, type FieldErrors } from "../../../failure.ts";
import { type Transaction, findTaken, refuseTaken, TAKEN } from "../../../storage/store.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import { refuseErased } from "../erased.ts";
import { announce } from "../../events/event.ts";
import { leads, type Lead } from "../lead/lead.ts";
import { findCodesOfOthers } from "../promo-code/promo-code.ts";
import { loadPromoter, loadPromoterInUse, requireInUse, type Promoter } from "../promoter/promoter.ts";
import { loadSelected, type Selection } from "../promoter/search.ts";
import { checkRewardEntries, type RewardEntry } from "../../program/reward/reward.ts";
import type { Show } from "../../show.ts";
import {
  loadPromoterCampaign,
  newPromoterCampaign,
  promoterCampaigns,
  requireLandingPage,
  deriveRefToken,
  isFreeRefToken,
  refTokens,
  replaceRefToken,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "./promoter-campaign.ts";
import {
  findPromoterCampaign,
  loadPromoterCampaignOf,
  notInCampaign,
  signOutIfBlocked,
  type PromoterInCampaign,
} from "./search.ts";

/**
 * Adds a promoter to one more campaign, with a ref token of its own. The state is `pending` unless the
 * campaign approves automatically.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
 * @see docs/spec/v2.md "Other promoter operations"
 */
export async function addToCampaign<T>(
  context: Context,
  accountId: number,
  { selection, campaignId, andThen, show }: Addition<T>,
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
    await andThen?.(tx, promoterCampaign);
    return show(tx.view, promoter);
  });
}

/** A further campaign for a promoter. */
interface Addition<T> {
  selection: Selection;
  campaignId: number;
  /** Runs in the same commit. */
  andThen?: (tx: Transaction, promoterCampaign: PromoterCampaign) => Promise<void>;
  show: Show<Promoter, T>;
}

/** Changes to a promoter campaign. Undefined fields stay unchanged. */
export interface PromoterCampaignChanges {
  state?: PromoterCampaignState | undefined;
  refToken?: string | undefined;
  coupon?: string | null | undefined;
  displayCoupon?: string | null | undefined;
  /** A page of the promoter's own, whose visits count as clicks on their link, or null. */
  directUrl?: string | null | undefined;
  rewardsForPromoters?: RewardEntry[] | undefined;
  rewardsForReferrals?: RewardEntry[] | undefined;
  /** Whether the promoter campaign has its own rewards instead of the campaign's. */
  hasOwnPromoterRewards?: boolean | undefined;
  hasOwnReferralRewards?: boolean | undefined;
}

/**
 * Changes a promoter campaign. The state may change from any to any other. A replaced ref token then leads to
 * no promoter.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter or for the state of an archived one,
 * `rule_broken`, `taken` naming every unique field that belongs to another
 * @see docs/spec/v2.md "Update a promoter campaign"
 */
export function updatePromoterCampaign<T>(
  context: Context,
  accountId: number,
  input: { id: number; changes: PromoterCampaignChanges; show: Show<PromoterCampaign, T> },
): Promise<T> {
  const { id, changes, show } = input;
  return context.store.transact(async (tx) => {
    const before = await loadPromoterCampaign(tx, accountId, id);
    const { state = before.state } = changes;
    const promoter = await loadPromoter(tx, accountId, before.promoterId);
    refuseErased(promoter);
    if (state !== before.state) requireInUse(promoter);
    const after: PromoterCampaign = {
      ...before,
      state,
      refToken: changes.refToken ?? before.refToken,
      coupon: changes.coupon === undefined ? before.coupon : changes.coupon,
      displayCoupon: changes.displayCoupon === undefined ? before.displayCoupon : changes.displayCoupon,
      ...pageAfter(before, changes.directUrl),
      ...(await rewardsAfter(tx, before, changes)),
    };
    refuseTaken(await findTakenFields(tx, before, after));
    if (after.refToken !== before.refToken) await replaceRefToken(tx, before, after.refToken);
    await tx.put(promoterCampaigns, after);
    if (isBlocking(before, after)) await signOutIfBlocked(tx, promoter);
    await announce(tx, context, { entity: "promoter_campaign", before, after });
    return show(tx.view, after);
  });
}

/**
 * Sets the state of a promoter campaign. The same state changes nothing.
 *
 * @throws Failure `not_found` or `refused`
 */
export async function setPromoterCampaignState(
  context: Context,
  accountId: number,
  { state, ...wanted }: PromoterInCampaign & { state: PromoterCampaignState },
): Promise<void> {
  await context.store.transact(async (tx) => {
    const promoter = await loadPromoterInUse(tx, accountId, wanted.promoterId);
    const before = await loadPromoterCampaignOf(tx, accountId, wanted);
    const after = { ...before, state };
    await tx.put(promoterCampaigns, after);
    if (isBlocking(before, after)) await signOutIfBlocked(tx, promoter);
    await announce(tx, context, { entity: "promoter_campaign", before, after });
  });
}

function isBlocking(before: PromoterCampaign, after: PromoterCampaign): boolean {
  return after.state === "blocked" && before.state !== "blocked";
}

/** Changes to a promoter campaign's links and codes. Missing ones stay unchanged. */
export interface LinkChanges {
  refToken?: string | undefined;
  coupon?: string | null | undefined;
  displayCoupon?: string | null | undefined;
  landingUrl?: string | null | undefined;
  usesUrlTracking?: boolean | undefined;
}

/** A promoter campaign with changes applied, and its fields that are taken. */
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

/** Names the fields whose values are taken. `before` is null for a new promoter campaign. */
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

/** Writes a changed promoter campaign. A ref token that it no longer has is retired for ever. */
export async function putPromoterCampaign(
  tx: Transaction,
  before: PromoterCampaign,
  after: PromoterCampaign,
): Promise<void> {
  await tx.put(promoterCampaigns, after);
  if (after.refToken !== before.refToken) await replaceRefToken(tx, before, after.refToken);
}

/** The promoter campaign to move, and its destination. */
interface CampaignMove {
  selection: Selection;
  /** Null for the promoter's default campaign. */
  fromCampaignId: number | null;
  toCampaignId: number;
  /** Whether its leads move to the new campaign too. */
  movesLeads: boolean;
}

/** Most leads in one commit. */
const LEADS_PER_COMMIT = 500;

/**
 * Moves a promoter from one campaign to another. The promoter campaign itself moves, so that its links,
 * codes, visitors and leads keep working.
 *
 * The first leads move in the same commit, which is enough for most promoters. The others follow. A repeated
 * request moves leads that were left behind, because the first one was interrupted or moved no leads.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
 * @see docs/spec/v2.md "Other promoter operations"
 */
export async function moveToCampaign<T>(
  context: Context,
  accountId: number,
  { show, ...move }: CampaignMove & { show: Show<Promoter, T> },
): Promise<T> {
  const { store } = context;
  const { promoterCampaign, refusal, shown } = await store.transact(async (tx) => {
    const moved = await movePromoterCampaign(tx, { context, accountId }, move);
    if (move.movesLeads && moved.refusal === null) {
      const { id, promoterId } = moved.promoterCampaign;
      const some = await tx.view.page(leads, "promoter", accountId, [promoterId], {
        limit: LEADS_PER_COMMIT,
      });
      await fetchLeads(tx, { context, promoterCampaignId: id }, some);
    }
    return { ...moved, shown: await show(tx.view, moved.promoter) };
  });
  const followers = move.movesLeads ? await fetchOthers(context, promoterCampaign) : 0;
  if (refusal !== null && followers === 0) throw refusal;
  return shown;
}

/** The error for adding a promoter to the same campaign twice. */
function alreadyInCampaign(): Failure {
  return new Failure("refused", "Promoter is already in this campaign.");
}

/**
 * V1 can set a landing page without tracking. This field does not show it, so clearing the field keeps that
 * page.
 */
function pageAfter(
  { landingUrl, usesUrlTracking }: PromoterCampaign,
  directUrl: string | null | undefined,
): Pick<PromoterCampaign, "landingUrl" | "usesUrlTracking"> {
  if (directUrl === undefined) return { landingUrl, usesUrlTracking };
  if (directUrl !== null) return { landingUrl: directUrl, usesUrlTracking: true };
  return { landingUrl: usesUrlTracking ? null : landingUrl, usesUrlTracking: false };
}

async function rewardsAfter(
  tx: Transaction,
  before: PromoterCampaign,
  changes: PromoterCampaignChanges,
): Promise<Pick<PromoterCampaign, "rewardsForPromoters" | "rewardsForReferrals">> {
  const { accountId } = before;
  const campaign = await loadCampaign(tx, accountId, before.campaignId);
  const forPromoters = ownRewards({
    own: before.rewardsForPromoters,
    usual: campaign.rewardsForPromoters,
    given: changes.rewardsForPromoters,
    isOwn: changes.hasOwnPromoterRewards,
  });
  const forReferrals = ownRewards({
    own: before.rewardsForReferrals,
    usual: campaign.rewardsForReferrals,
    given: changes.rewardsForReferrals,
    isOwn: changes.hasOwnReferralRewards,
  });
  await checkRewardEntries(tx, accountId, { scope: "promoters", entries: forPromoters ?? [] });
  await checkRewardEntries(tx, accountId, { scope: "referrals", entries: forReferrals ?? [] });
  return { rewardsForPromoters: forPromoters, rewardsForReferrals: forReferrals };
}

/**
 * The promoter campaign's own rewards.
 *
 * @see docs/spec/v2.md "Update a promoter campaign"
 */
function ownRewards(rewards: {
  own: RewardEntry[] | null;
  usual: RewardEntry[];
  given: RewardEntry[] | undefined;
  isOwn: boolean | undefined;
}): RewardEntry[] | null {
  const { own, usual, given, isOwn = given === undefined ? own !== null : true } = rewards;
  return isOwn ? (given ?? own ?? usual) : null;
}

/** The promoter campaign after the move. */
interface Moved {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  /** The error if it had moved before and only its leads still follow, or null if it moved now. */
  refusal: Failure | null;
}

async function movePromoterCampaign(
  tx: Transaction,
  { context, accountId }: { context: Context; accountId: number },
  { selection, fromCampaignId, toCampaignId, movesLeads }: CampaignMove,
): Promise<Moved> {
  const { promoter } = await loadSelected(tx, accountId, selection);
  requireInUse(promoter);
  const promoterId = promoter.id;
  const destination = await loadCampaign(tx, accountId, toCampaignId);
  const source =
    fromCampaignId === null
      ? await loadPromoterCampaign(tx, accountId, promoter.defaultPromoterCampaignId)
      : await findPromoterCampaign(tx, accountId, { promoterId, campaignId: fromCampaignId });
  if (source !== null && source.campaignId !== destination.id) {
    const after = { ...source, campaignId: destination.id };
    await tx.put(promoterCampaigns, after, { promoterInCampaign: alreadyInCampaign });
    await announce(tx, context, { entity: "promoter_campaign", before: source, after });
    return { promoter, promoterCampaign: after, refusal: null };
  }
  const refusal = source === null ? notInCampaign() : alreadyInCampaign();
  const key = { promoterId, campaignId: destination.id };
  const promoterCampaign = source ?? (await findPromoterCampaign(tx, accountId, key));
  if (!movesLeads || promoterCampaign === null) throw refusal;
  return { promoter, promoterCampaign, refusal };
}

/** Moves leads to the campaign of their promoter campaign, unless either has changed meanwhile. */
async function fetchLeads(
  tx: Transaction,
  { context, promoterCampaignId }: { context: Context; promoterCampaignId: number },
  found: Lead[],
): Promise<number> {
  let count = 0;
  for (const { accountId, id } of found) {
    // Read in every commit, so that of two simultaneous moves the last one decides for the leads.
    const promoterCampaign = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
    const lead = await tx.get(leads, accountId, id);
    if (promoterCampaign === null || lead?.promoterCampaignId !== promoterCampaignId) continue;
    const { campaignId } = promoterCampaign;
    if (lead.campaignId === campaignId) continue;
    const after = { ...lead, campaignId };
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before: lead, after });
    count += 1;
  }
  return count;
}

/** Moves leads that arrived during the move, or were too many for one commit. */
async function fetchOthers(
  context: Context,
  { accountId, id, promoterId, campaignId }: PromoterCampaign,
): Promise<number> {
  const { store } = context;
  let count = 0;
  for await (const chunk of store.scan(leads, "promoter", accountId, [promoterId])) {
    const others = chunk.filter((lead) => lead.promoterCampaignId === id && lead.campaignId !== campaignId);
    for (let at = 0; at < others.length; at += LEADS_PER_COMMIT) {
      const some = others.slice(at, at + LEADS_PER_COMMIT);
      count += await store.transact((tx) => fetchLeads(tx, { context, promoterCampaignId: id }, some));
    }
  }
  return count;
}
