import type { Failure } from "../../failure.ts";
import { leads, type Lead } from "../lead/lead.ts";
import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { findPromoterCampaign, notInCampaign } from "./of-promoter.ts";
import { alreadyInCampaign } from "./joining.ts";
import { requireInUse } from "../promoter/promoter.ts";
import { loadPromoterCampaign, promoterCampaigns } from "./promoter-campaign.ts";
import { loadSelected, type Selection } from "../promoter/selection.ts";
import type { Show } from "../show.ts";

/** Most leads in one commit. */
const LEADS_PER_COMMIT = 500;

/** Which promoter campaign moves, and where to. */
export interface CampaignMove {
  selection: Selection;
  /** null: the promoter's default campaign. */
  fromCampaignId: number | null;
  toCampaignId: number;
  /** Whether its leads move to the new campaign too. */
  movesLeads: boolean;
}

/** The promoter campaign after the move. */
interface Moved {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  /** The error if it had moved before and only its leads still follow. null: it moved now. */
  refusal: Failure | null;
}

/**
 * Moves a promoter from one campaign to another.
 *
 * Choice: the promoter campaign itself moves, so that its links, codes, visitors and leads keep working. Its leads
 * stay with the campaign that they came through, and keep what they earn, unless the request moves them too. The
 * state stays, because a move is no new review.
 *
 * The first leads move in the same commit, which is enough for most promoters. The others follow. A repeated request
 * moves the leads that were left behind, because the first one was interrupted or moved no leads.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
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
