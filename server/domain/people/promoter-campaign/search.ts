import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import {
  allOf,
  among,
  contains,
  findPage,
  type Found,
  type Schema,
  type Window,
} from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import { promoters, signedOut, type Promoter } from "../promoter/promoter.ts";
import {
  promoterCampaigns,
  findByRefToken,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "./promoter-campaign.ts";

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

/** The conditions for listed promoter campaigns. Absent ones are ignored. */
interface PromoterCampaignFilter {
  /** Part of the promoter's name or e-mail address, of the ref token or of a coupon, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  campaign_ids?: number[] | undefined;
  promoter_id?: number | undefined;
  state?: PromoterCampaignState | undefined;
}

/** A page of the promoter campaigns that match a filter, oldest first. */
export function findPromoterCampaigns(
  store: View,
  accountId: number,
  { filter, ...window }: { filter: PromoterCampaignFilter } & Window,
): Promise<Found<PromoterCampaign>> {
  const query = promoterCampaignQuery(store, accountId, filter).orderBy("promoter_campaigns.id");
  return findPage(store, promoterCampaigns, { query, ...window });
}

/** The first promoter campaigns that contain a text. */
export async function searchPromoterCampaigns(
  store: View,
  accountId: number,
  { text, limit }: { text: string; limit: number },
): Promise<PromoterCampaign[]> {
  const query = promoterCampaignQuery(store, accountId, { text });
  const rows = await store.rows(
    query.select(allOf(promoterCampaigns)).orderBy("promoter_campaigns.id").limit(limit),
  );
  return rows.map((row) => store.record(promoterCampaigns, row)!);
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

type JoinedQuery = SelectQueryBuilder<JoinedSchema, "promoter_campaigns", object>;

type JoinedSchema = Schema<{ promoter_campaigns: typeof promoterCampaigns; promoters: typeof promoters }>;

function promoterCampaignQuery(
  view: View,
  accountId: number,
  { text, ids, campaign_ids, promoter_id, state }: PromoterCampaignFilter,
): JoinedQuery {
  let query: JoinedQuery = view
    .query<JoinedSchema>()
    .selectFrom("promoter_campaigns")
    .where("promoter_campaigns.account_id", "=", accountId);
  if (ids !== undefined) query = query.where(among("promoter_campaigns.id", ids));
  if (campaign_ids !== undefined) query = query.where(among("promoter_campaigns.campaign_id", campaign_ids));
  if (promoter_id !== undefined) query = query.where("promoter_campaigns.promoter_id", "=", promoter_id);
  if (state !== undefined) query = query.where("promoter_campaigns.state", "=", state);
  return text === undefined ? query : query.where(mentions(text.trim()));
}

/** Whether a promoter campaign or its promoter contains a text. */
function mentions(text: string) {
  const promoter = sql`select 1 from promoters where promoters.account_id = promoter_campaigns.account_id
    and promoters.id = promoter_campaigns.promoter_id and ${contains("promoters.words", text)}`;
  return sql<SqlBool>`(${contains("promoter_campaigns.words", text)} or exists (${promoter}))`;
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
