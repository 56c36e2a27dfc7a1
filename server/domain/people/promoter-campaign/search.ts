import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { allOf, among, contains, findMany, findOwned, type Schema } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { campaigns, loadCampaign, type Campaign } from "../../program/campaign/campaign.ts";
import { readRewards, type FullRewardEntry } from "../../program/reward/reward.ts";
import { readStats, type Stats } from "../daily.ts";
import { listCodesInUse, type PromoCode } from "../promo-code/promo-code.ts";
import { promoters, signedOut, type Promoter } from "../promoter/promoter.ts";
import { promoterCampaigns, findByRefToken, type PromoterCampaign } from "./promoter-campaign.ts";

/** Identifies a promoter campaign by its promoter and its campaign. */
export interface PromoterInCampaign {
  promoter_id: number;
  campaign_id: number;
}

/** All promoter campaigns of a promoter, oldest first. */
export function listPromoterCampaigns(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<PromoterCampaign[]> {
  return view.list(promoterCampaigns, "promoter", accountId, [promoterId]);
}

/** All promoter campaigns of each of some promoters, oldest first. */
export function readPromoterCampaigns(
  view: View,
  accountId: number,
  promoterIds: readonly number[],
): Promise<(promoterId: number) => PromoterCampaign[]> {
  return findOwned(view, promoterCampaigns, { account_id: accountId, index: "promoter", ids: promoterIds });
}

/**
 * All promoter campaigns of a promoter, locked until the transaction has ended. None can be added either:
 * every transaction that adds a record for the promoter reads the promoter or the promoter campaign.
 */
export async function lockPromoterCampaigns(
  tx: Transaction,
  { account_id, id }: { account_id: number; id: number },
): Promise<PromoterCampaign[]> {
  await tx.lock(promoters, account_id, id);
  const found: PromoterCampaign[] = [];
  for (const listed of await listPromoterCampaigns(tx.view, account_id, id)) {
    const locked = await tx.lock(promoterCampaigns, account_id, listed.id);
    if (locked !== null) found.push(locked);
  }
  return found;
}

/**
 * Signs a promoter out everywhere once they are blocked in every campaign. The caller has just blocked one.
 *
 * @see docs/spec/common.md "Authentication", 6
 */
export async function signOutIfBlocked(tx: Transaction, promoter: Promoter): Promise<void> {
  const all = await lockPromoterCampaigns(tx, promoter);
  if (all.every(({ state }) => state === "blocked")) await tx.put(promoters, signedOut(promoter));
}

/**
 * The promoter's promoter campaign in this campaign.
 *
 * @throws Failure `not_found`
 */
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
  { promoter_id, campaign_id }: PromoterInCampaign,
): Promise<PromoterCampaign | null> {
  const campaign = await loadCampaign(tx, accountId, campaign_id);
  return tx.find(promoterCampaigns, "promoter_in_campaign", accountId, [promoter_id, campaign.id]);
}

/** The error for a promoter who is not in the campaign. */
export function notInCampaign(): Failure {
  return new Failure("not_found", "Promoter is not in this campaign.");
}

/** The first promoter campaigns that contain a text. */
export async function searchPromoterCampaigns(
  view: View,
  accountId: number,
  { text, limit }: { text: string; limit: number },
): Promise<PromoterCampaign[]> {
  const rows = await view.rows(
    view
      .query<Schema<{ promoter_campaigns: typeof promoterCampaigns }>>()
      .selectFrom("promoter_campaigns")
      .select(allOf(promoterCampaigns))
      .where("promoter_campaigns.account_id", "=", accountId)
      .where(mentions(text))
      .orderBy("promoter_campaigns.id")
      .limit(limit),
  );
  return rows.map((row) => view.record(promoterCampaigns, row)!);
}

/** Whether a promoter campaign, or its promoter's name or e-mail address, contains a text in any case. */
export function mentions(text: string): RawBuilder<SqlBool> {
  const promoter = sql`select 1 from promoters where promoters.account_id = promoter_campaigns.account_id
    and promoters.id = promoter_campaigns.promoter_id and ${contains("promoters.words", text.trim())}`;
  return sql<SqlBool>`(${contains("promoter_campaigns.words", text.trim())} or exists (${promoter}))`;
}

/** What a promoter campaign offers. */
export interface Offer {
  campaign: Campaign;
  /** The rewards that apply: its own or, if it has none, the campaign's. */
  rewards_for_promoters: FullRewardEntry[];
  rewards_for_referrals: FullRewardEntry[];
}

/** Reads what each of some promoter campaigns offers, all at once. Null: the promoter campaign is gone. */
export async function readOffers(view: View, records: PromoterCampaign[]): Promise<(Offer | null)[]> {
  const accountId = records[0]?.account_id ?? 0;
  const campaignIds = records.map(({ campaign_id }) => campaign_id);
  const known = await findMany(view, campaigns, accountId, campaignIds);
  const found = await Promise.all(
    records.map(async (record) => known.get(record.campaign_id) ?? movedTo(view, record)),
  );
  const chosen = records.map((record, at) => {
    const campaign = found[at] ?? null;
    return (
      campaign && {
        campaign,
        rewards_for_promoters: record.rewards_for_promoters ?? campaign.rewards_for_promoters,
        rewards_for_referrals: record.rewards_for_referrals ?? campaign.rewards_for_referrals,
      }
    );
  });
  const entries = chosen.flatMap((offer) =>
    offer === null ? [] : [...offer.rewards_for_promoters, ...offer.rewards_for_referrals],
  );
  const completed = await readRewards(view, accountId, entries);
  return chosen.map(
    (offer) =>
      offer && {
        campaign: offer.campaign,
        rewards_for_promoters: completed(offer.rewards_for_promoters),
        rewards_for_referrals: completed(offer.rewards_for_referrals),
      },
  );
}

/** The records that a promoter campaign is shown with. */
export interface PromoterCampaignParts extends Offer {
  stats: Stats;
  /** Those in use, oldest first. */
  promoCodes: PromoCode[];
}

/** Reads the records that promoter campaigns are shown with, all at once. Null: the promoter campaign is gone. */
export async function promoterCampaignParts(
  view: View,
  records: PromoterCampaign[],
): Promise<(PromoterCampaignParts | null)[]> {
  const ids = records.map(({ id }) => id);
  const [offers, stats, promoCodes] = await Promise.all([
    readOffers(view, records),
    readStats(view, records),
    listCodesInUse(view, records[0]?.account_id ?? 0, ids),
  ]);
  return offers.map((offer, at) => {
    const id = ids[at]!;
    return offer && { ...offer, stats: stats(id), promoCodes: promoCodes(id) };
  });
}

/** The number of promoters in each of some campaigns. */
export async function countPromoters(
  view: View,
  accountId: number,
  campaignIds: number[],
): Promise<(campaignId: number) => number> {
  const rows = await view.rows(
    view
      .query<Schema<{ promoter_campaigns: typeof promoterCampaigns }>>()
      .selectFrom("promoter_campaigns")
      .where("account_id", "=", accountId)
      .where(among("campaign_id", campaignIds))
      .groupBy("campaign_id")
      .select(["campaign_id", sql<number>`count(*)`.as("total")]),
  );
  const totals = new Map(rows.map((row) => [Number(row.campaign_id), Number(row.total)]));
  return (id) => totals.get(id) ?? 0;
}

/** The campaign of a promoter campaign that has moved since it was read. Null: the promoter campaign is gone. */
async function movedTo(view: View, { account_id, id }: PromoterCampaign): Promise<Campaign | null> {
  const moved = await view.get(promoterCampaigns, account_id, id);
  return moved && view.get(campaigns, account_id, moved.campaign_id);
}

/**
 * Limits a list to records of a promoter campaign, promoter or campaign. If all are null, the list is
 * unlimited.
 */
export interface BelongingFilter {
  promoter_campaign_id: number | null;
  ref_token: string | null;
  promoter_id: number | null;
  campaign_id: number | null;
}

/** The same as conditions of a list. Absent ones are ignored. */
interface Scope {
  promoter_campaign_id?: number;
  promoter_id?: number;
  campaign_id?: number;
}

/**
 * Finds the records that a filter names, or null if its parts contradict each other. A record stays with the
 * campaign in which it was earned, even if the promoter moves on.
 *
 * @throws Failure `not_found` for an unknown promotion. A promoter or campaign that does not exist has an
 * empty list.
 * @see docs/spec/v1.md
 */
export async function findScope(
  reader: Reader,
  accountId: number,
  filter: BelongingFilter,
): Promise<Scope | null> {
  const named = await namedPromoterCampaigns(reader, accountId, filter);
  const [first = null] = named;
  const promoterId = filter.promoter_id ?? first?.promoter_id ?? null;
  const fits =
    named.every(({ id }) => id === first?.id) && (first === null || first.promoter_id === promoterId);
  if (!fits) return null;
  return {
    ...(first !== null && { promoter_campaign_id: first.id }),
    ...(promoterId !== null && { promoter_id: promoterId }),
    ...(filter.campaign_id !== null && { campaign_id: filter.campaign_id }),
  };
}

async function namedPromoterCampaigns(
  reader: Reader,
  accountId: number,
  { promoter_campaign_id, ref_token }: BelongingFilter,
): Promise<PromoterCampaign[]> {
  const named: (PromoterCampaign | null)[] = [];
  if (promoter_campaign_id !== null)
    named.push(await reader.get(promoterCampaigns, accountId, promoter_campaign_id));
  if (ref_token !== null) named.push(await findByRefToken(reader, accountId, ref_token));
  return named.map((one) => {
    if (one === null) throw new Failure("not_found", "Promotion not found.");
    return one;
  });
}
