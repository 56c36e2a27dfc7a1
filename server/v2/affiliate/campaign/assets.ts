import { z } from "zod";
import { assetLink, assets, listCategories, type Asset } from "../../../domain/people/asset.ts";
import { isForCampaigns } from "../../../domain/program/campaign/campaign.ts";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { field } from "../../../http/fields.ts";
import { assetAnswer, assetParts, categoryAnswer } from "../../asset/asset-json.ts";
import { listed } from "../../../resource/list.ts";
import { anyOf } from "../../../storage/query.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const answer = assetAnswer.schema
  .omit({ category: true, clicks_count: true })
  .extend({
    category: field(
      z.string().nullable(),
      "The heading that it is listed under, or null if it has none.",
      "Banners",
    ),
    links: field(
      z.array(
        z.object({
          promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
          url: field(
            z.string(),
            "The promoter's link for it. Clicks by it are counted as the channel `asset-` with its id.",
            "https://www.example.com/?via=jane&sub_id=asset-17",
          ),
        }),
      ),
      "The promoter's links for it, one for each of their campaigns that has it.",
    ),
  })
  .meta({ id: "PortalAsset" });

const assetList = listed(assets, { isNewestFirst: true })();

export const listOwnAssetsOperation: AffiliateOperation = {
  id: "listPortalAssets",
  summary: "List banners, documents, links and texts for the promoter",
  description:
    "Lists what the promoter can use in the campaigns that have accepted them, each with their own link. Texts have the link in them.",
  params: assetList.params,
  answer: z.array(answer),
  isPaged: true,
  handle: list,
};

export const listOwnCategoriesOperation: AffiliateOperation = {
  id: "listPortalAssetCategories",
  summary: "List asset categories",
  description: "Lists the headings that assets are listed under, in order.",
  answer: z.array(categoryAnswer.schema),
  handle: async ({ account, context: { store } }) =>
    categoryAnswer.showAll(store, await listCategories(store, account.id)),
};

async function list(request: AffiliateRequest): Promise<z.output<typeof answer>[]> {
  const { account, promoter, public_url, context } = request;
  const { store } = context;
  const joined = await listPromoterCampaigns(store, account.id, promoter.id);
  const accepted = joined.filter(({ state }) => state === "accepted");
  const parts = { ...(await assetParts(store, account.id)), public_url, clicks: new Map<number, number>() };
  const linksOf = (asset: Asset) =>
    accepted.flatMap((each) => {
      const campaign = parts.campaigns.get(each.campaign_id);
      const isAllowed = asset.campaign_ids.length === 0 || asset.campaign_ids.includes(each.campaign_id);
      return campaign === undefined || !isAllowed
        ? []
        : [{ promoter_campaign_id: each.id, url: assetLink(asset, each, campaign) }];
    });
  const isSeen = isForCampaigns(
    "assets.campaign_list",
    accepted.map(({ campaign_id }) => campaign_id),
  );
  const found = await assetList.read(request, [accepted.length === 0 ? anyOf([]) : isSeen]);
  return found.map((asset) => {
    const { category, content, created_at, clicks_count: _, ...rest } = assetAnswer.json(asset, parts);
    const links = linksOf(asset);
    // Promoters may not see campaigns that they have not joined.
    const isKnown = (id: number) => accepted.some(({ campaign_id }) => campaign_id === id);
    return {
      ...rest,
      allowed_campaign_ids: rest.allowed_campaign_ids.filter(isKnown),
      allowed_campaigns: rest.allowed_campaigns.filter(({ id }) => isKnown(id)),
      content: content?.replaceAll("{{ref_link}}", links[0]?.url ?? "") ?? null,
      category: category?.name ?? null,
      created_at,
      links,
    };
  });
}
