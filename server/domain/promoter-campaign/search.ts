import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import { parse } from "../../storage/documents.ts";
import { among, contains, findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import type { PromoterCampaign, PromoterCampaignState } from "./record.ts";

/** The conditions for listed promoter campaigns. Absent ones do not matter. */
export interface PromoterCampaignFilter {
  /** Part of the promoter's name or e-mail address, of the ref token or of a coupon, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  campaignIds?: number[] | undefined;
  promoterId?: number | undefined;
  state?: PromoterCampaignState | undefined;
}

type JoinedSchema = Schema<{ promoter_campaigns: typeof promoterCampaigns; promoters: typeof promoters }>;
type JoinedQuestion = SelectQueryBuilder<JoinedSchema, "promoter_campaigns", object>;

/** A page of the promoter campaigns that pass a filter, oldest first. */
export function findPromoterCampaigns(
  store: View,
  accountId: number,
  { filter, ...window }: { filter: PromoterCampaignFilter } & Window,
): Promise<Found<PromoterCampaign>> {
  const question = promoterCampaignQuestion(store, accountId, filter).orderBy("promoter_campaigns.id");
  return findPage(store, promoterCampaigns, { question, ...window });
}

/** The first promoter campaigns that contain a text. */
export async function searchPromoterCampaigns(
  store: View,
  accountId: number,
  { text, limit }: { text: string; limit: number },
): Promise<PromoterCampaign[]> {
  const question = promoterCampaignQuestion(store, accountId, { text });
  const rows = await store.rows(
    question.select("promoter_campaigns.doc").orderBy("promoter_campaigns.id").limit(limit),
  );
  return rows.map(({ doc }) => parse(promoterCampaigns, doc));
}

function promoterCampaignQuestion(
  view: View,
  accountId: number,
  { text, ids, campaignIds, promoterId, state }: PromoterCampaignFilter,
): JoinedQuestion {
  let question: JoinedQuestion = view
    .question<JoinedSchema>()
    .selectFrom("promoter_campaigns")
    .where("promoter_campaigns.account_id", "=", accountId);
  if (ids !== undefined) question = question.where(among("promoter_campaigns.id", ids));
  if (campaignIds !== undefined)
    question = question.where(among("promoter_campaigns.campaign_id", campaignIds));
  if (promoterId !== undefined) question = question.where("promoter_campaigns.promoter_id", "=", promoterId);
  if (state !== undefined) question = question.where("promoter_campaigns.state", "=", state);
  return text === undefined ? question : question.where(mentions(text.trim()));
}

/** Whether a promoter campaign or its promoter contains a text. */
function mentions(text: string) {
  const promoter = sql`select 1 from promoters where promoters.account_id = promoter_campaigns.account_id
    and promoters.id = promoter_campaigns.promoter_id and ${contains("promoters.words", text)}`;
  return sql<SqlBool>`(${contains("promoter_campaigns.words", text)} or exists (${promoter}))`;
}
