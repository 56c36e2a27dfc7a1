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
export async function addToCampaign(
  tx: Transaction,
  context: Context,
  accountId: number,
  { selection, campaign_id }: { selection: Selection; campaign_id: number },
): Promise<{ promoter: Promoter; promoterCampaign: PromoterCampaign }> {
  const { promoter } = await loadSelected(tx, accountId, selection);
  requireInUse(promoter);
  const campaign = await loadCampaign(tx, accountId, campaign_id);
  const { first_name } = promoter.profile;
  const refToken = await deriveRefToken(tx, context.chance, {
    account_id: accountId,
    first_name,
    email: promoter.email,
  });
  const id = await tx.nextId("promoter-campaign");
  const promoterCampaign = newPromoterCampaign({
    account_id: accountId,
    id,
    campaign_id: campaign.id,
    promoter_id: promoter.id,
    state: campaign.auto_approve_promoters ? "accepted" : "pending",
    ref_token: refToken,
    created_at: context.now.toISOString(),
  });
  await tx.put(promoterCampaigns, promoterCampaign, { promoter_in_campaign: alreadyInCampaign });
  await tx.put(refTokens, { account_id: accountId, token: refToken, promoter_campaign_id: id });
  await announce(tx, context, { entity: "promoter_campaign", before: null, after: promoterCampaign });
  return { promoter, promoterCampaign };
}

/** Changes to a promoter campaign. Undefined fields stay unchanged. */
export interface PromoterCampaignChanges {
  state?: PromoterCampaignState | undefined;
  ref_token?: string | undefined;
  coupon?: string | null | undefined;
  display_coupon?: string | null | undefined;
  /** A page of the promoter's own, whose visits count as clicks on their link, or null. */
  direct_url?: string | null | undefined;
  rewards_for_promoters?: RewardEntry[] | undefined;
  rewards_for_referrals?: RewardEntry[] | undefined;
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
export async function updatePromoterCampaign(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, changes }: { id: number; changes: PromoterCampaignChanges },
): Promise<PromoterCampaign> {
  const before = await loadPromoterCampaign(tx, accountId, id);
  const { state = before.state } = changes;
  const promoter = await loadPromoter(tx, accountId, before.promoter_id);
  refuseErased(promoter);
  if (state !== before.state) requireInUse(promoter);
  const after: PromoterCampaign = {
    ...before,
    state,
    ref_token: changes.ref_token ?? before.ref_token,
    coupon: changes.coupon === undefined ? before.coupon : changes.coupon,
    display_coupon: changes.display_coupon === undefined ? before.display_coupon : changes.display_coupon,
    ...pageAfter(before, changes.direct_url),
    ...(await rewardsAfter(tx, before, changes)),
  };
  refuseTaken(await findTakenFields(tx, before, after));
  if (after.ref_token !== before.ref_token) await replaceRefToken(tx, before, after.ref_token);
  await tx.put(promoterCampaigns, after);
  if (isBlocking(before, after)) await signOutIfBlocked(tx, promoter);
  await announce(tx, context, { entity: "promoter_campaign", before, after });
  return after;
}

/**
 * Sets the state of a promoter campaign. The same state changes nothing.
 *
 * @throws Failure `not_found` or `refused`
 */
export async function setPromoterCampaignState(
  tx: Transaction,
  context: Context,
  accountId: number,
  { state, ...wanted }: PromoterInCampaign & { state: PromoterCampaignState },
): Promise<void> {
  const promoter = await loadPromoterInUse(tx, accountId, wanted.promoter_id);
  const before = await loadPromoterCampaignOf(tx, accountId, wanted);
  const after = { ...before, state };
  await tx.put(promoterCampaigns, after);
  if (isBlocking(before, after)) await signOutIfBlocked(tx, promoter);
  await announce(tx, context, { entity: "promoter_campaign", before, after });
}

function isBlocking(before: PromoterCampaign, after: PromoterCampaign): boolean {
  return after.state === "blocked" && before.state !== "blocked";
}

/** Changes to a promoter campaign's links and codes. Missing ones stay unchanged. */
export interface LinkChanges {
  ref_token?: string | undefined;
  coupon?: string | null | undefined;
  display_coupon?: string | null | undefined;
  landing_url?: string | null | undefined;
  uses_url_tracking?: boolean | undefined;
}

/** A promoter campaign with changes applied, and its fields that are taken. */
export async function planLinkChanges(
  tx: Transaction,
  before: PromoterCampaign,
  changes: LinkChanges,
): Promise<{ after: PromoterCampaign; taken: FieldErrors }> {
  const after: PromoterCampaign = {
    ...before,
    ref_token: changes.ref_token ?? before.ref_token,
    coupon: changes.coupon === undefined ? before.coupon : changes.coupon,
    display_coupon: changes.display_coupon === undefined ? before.display_coupon : changes.display_coupon,
    landing_url: changes.landing_url === undefined ? before.landing_url : changes.landing_url,
    uses_url_tracking: changes.uses_url_tracking ?? before.uses_url_tracking,
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
  const { account_id, ref_token } = after;
  const isNamed = ref_token !== "" && ref_token !== before?.ref_token;
  const isTaken = isNamed && !(await isFreeRefToken(tx, account_id, ref_token));
  const unique = ["coupon", "display_coupon", "direct_url"] as const;
  return {
    ...(isTaken && { ref_token: [TAKEN] }),
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
  if (after.ref_token !== before.ref_token) await replaceRefToken(tx, before, after.ref_token);
}

/** The promoter campaign to move, and its destination. */
interface CampaignMove {
  selection: Selection;
  /** Null for the promoter's default campaign. */
  fromCampaignId: number | null;
  toCampaignId: number;
  /** Whether its leads move to the new campaign too. */
  moves_leads: boolean;
}

/** Most leads in one commit. */
const LEADS_PER_COMMIT = 500;

/**
 * Moves a promoter from one campaign to another, in several transactions.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
 * @see docs/spec/v2.md "Other promoter operations"
 */
export async function moveToCampaign(context: Context, accountId: number, move: CampaignMove): Promise<void> {
  const moved = await context.store.transact((tx) => beginMove(tx, context, accountId, move));
  await finishMove(context, move, moved);
}

/**
 * The first transaction of a move. The promoter campaign itself moves, so that its links, codes, visitors and leads
 * keep working. Its first leads move too, which are all leads of most promoters.
 */
export async function beginMove(
  tx: Transaction,
  context: Context,
  accountId: number,
  move: CampaignMove,
): Promise<Moved> {
  const moved = await movePromoterCampaign(tx, { context, account_id: accountId }, move);
  if (move.moves_leads && moved.refusal === null) {
    const { id, promoter_id } = moved.promoterCampaign;
    const some = await tx.view.page(leads, "promoter", accountId, [promoter_id], {
      limit: LEADS_PER_COMMIT,
    });
    await fetchLeads(tx, { context, promoter_campaign_id: id }, some);
  }
  return moved;
}

/**
 * Moves the other leads, in transactions of their own. A repeated request moves leads that were left behind, because the
 * first one was interrupted or moved no leads.
 */
export async function finishMove(
  context: Context,
  { moves_leads }: Pick<CampaignMove, "moves_leads">,
  { promoterCampaign, refusal }: Moved,
): Promise<void> {
  const followers = moves_leads ? await fetchOthers(context, promoterCampaign) : 0;
  if (refusal !== null && followers === 0) throw refusal;
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
  { landing_url, uses_url_tracking }: PromoterCampaign,
  direct_url: string | null | undefined,
): Pick<PromoterCampaign, "landing_url" | "uses_url_tracking"> {
  if (direct_url === undefined) return { landing_url, uses_url_tracking };
  if (direct_url !== null) return { landing_url: direct_url, uses_url_tracking: true };
  return { landing_url: uses_url_tracking ? null : landing_url, uses_url_tracking: false };
}

async function rewardsAfter(
  tx: Transaction,
  before: PromoterCampaign,
  changes: PromoterCampaignChanges,
): Promise<Pick<PromoterCampaign, "rewards_for_promoters" | "rewards_for_referrals">> {
  const { account_id } = before;
  const campaign = await loadCampaign(tx, account_id, before.campaign_id);
  const forPromoters = ownRewards({
    own: before.rewards_for_promoters,
    usual: campaign.rewards_for_promoters,
    given: changes.rewards_for_promoters,
    is_own: changes.hasOwnPromoterRewards,
  });
  const forReferrals = ownRewards({
    own: before.rewards_for_referrals,
    usual: campaign.rewards_for_referrals,
    given: changes.rewards_for_referrals,
    is_own: changes.hasOwnReferralRewards,
  });
  await checkRewardEntries(tx, account_id, { scope: "promoters", entries: forPromoters ?? [] });
  await checkRewardEntries(tx, account_id, { scope: "referrals", entries: forReferrals ?? [] });
  return { rewards_for_promoters: forPromoters, rewards_for_referrals: forReferrals };
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
  is_own: boolean | undefined;
}): RewardEntry[] | null {
  const { own, usual, given, is_own = given === undefined ? own !== null : true } = rewards;
  return is_own ? (given ?? own ?? usual) : null;
}

/** The promoter campaign after the move. */
export interface Moved {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  /** The error if it had moved before and only its leads still follow, or null if it moved now. */
  refusal: Failure | null;
}

async function movePromoterCampaign(
  tx: Transaction,
  { context, account_id }: { context: Context; account_id: number },
  { selection, fromCampaignId, toCampaignId, moves_leads }: CampaignMove,
): Promise<Moved> {
  const { promoter } = await loadSelected(tx, account_id, selection);
  requireInUse(promoter);
  const promoterId = promoter.id;
  const destination = await loadCampaign(tx, account_id, toCampaignId);
  const source =
    fromCampaignId === null
      ? await loadPromoterCampaign(tx, account_id, promoter.default_promoter_campaign_id)
      : await findPromoterCampaign(tx, account_id, { promoter_id: promoterId, campaign_id: fromCampaignId });
  if (source !== null && source.campaign_id !== destination.id) {
    const after = { ...source, campaign_id: destination.id };
    await tx.put(promoterCampaigns, after, { promoter_in_campaign: alreadyInCampaign });
    await announce(tx, context, { entity: "promoter_campaign", before: source, after });
    return { promoter, promoterCampaign: after, refusal: null };
  }
  const refusal = source === null ? notInCampaign() : alreadyInCampaign();
  const key = { promoter_id: promoterId, campaign_id: destination.id };
  const promoterCampaign = source ?? (await findPromoterCampaign(tx, account_id, key));
  if (!moves_leads || promoterCampaign === null) throw refusal;
  return { promoter, promoterCampaign, refusal };
}

/** Moves leads to the campaign of their promoter campaign, unless either has changed meanwhile. */
async function fetchLeads(
  tx: Transaction,
  { context, promoter_campaign_id }: { context: Context; promoter_campaign_id: number },
  found: Lead[],
): Promise<number> {
  let count = 0;
  for (const { account_id, id } of found) {
    // Read in every commit, so that of two simultaneous moves the last one decides for the leads.
    const promoterCampaign = await tx.get(promoterCampaigns, account_id, promoter_campaign_id);
    const lead = await tx.get(leads, account_id, id);
    if (promoterCampaign === null || lead?.promoter_campaign_id !== promoter_campaign_id) continue;
    const { campaign_id } = promoterCampaign;
    if (lead.campaign_id === campaign_id) continue;
    const after = { ...lead, campaign_id };
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before: lead, after });
    count += 1;
  }
  return count;
}

/** Moves leads that arrived during the move, or were too many for one commit. */
async function fetchOthers(
  context: Context,
  { account_id, id, promoter_id, campaign_id }: PromoterCampaign,
): Promise<number> {
  const { store } = context;
  let count = 0;
  for await (const chunk of store.scan(leads, "promoter", account_id, [promoter_id])) {
    const others = chunk.filter(
      (lead) => lead.promoter_campaign_id === id && lead.campaign_id !== campaign_id,
    );
    for (let at = 0; at < others.length; at += LEADS_PER_COMMIT) {
      const some = others.slice(at, at + LEADS_PER_COMMIT);
      count += await store.transact((tx) => fetchLeads(tx, { context, promoter_campaign_id: id }, some));
    }
  }
  return count;
}
