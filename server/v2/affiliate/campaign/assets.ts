import { z } from "zod";
import { assetLink, findAssets, listCategories, type Asset } from "../../../domain/people/asset.ts";
import { listCampaigns } from "../../../domain/program/campaign/campaign.ts";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { field } from "../../../http/fields.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { assetAnswer, assetJson, categoryAnswer, categoryJson } from "../../asset/asset-json.ts";
import { pageParams, readListing } from "../../../resource/listing.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const answer = assetAnswer
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

/** `GET /api/v2/affiliate/assets` */
export const listOwnAssetsOperation: AffiliateOperation = {
  id: "listPortalAssets",
  summary: "List banners, documents, links and texts for the promoter",
  description:
    "Lists what the promoter can use in the campaigns that have accepted them, each with their own link. Texts have the link in them.",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  handle: list,
};

/** `GET /api/v2/affiliate/asset_categories` */
export const listOwnCategoriesOperation: AffiliateOperation = {
  id: "listPortalAssetCategories",
  summary: "List asset categories",
  description: "Lists the headings that assets are listed under, in order.",
  answer: z.array(categoryAnswer),
  handle: async ({ account, context }) => (await listCategories(context.store, account.id)).map(categoryJson),
};

async function list(request: AffiliateRequest): Promise<z.output<typeof answer>[]> {
  const { account, promoter, public_url, context } = request;
  const { store } = context;
  const { page, window } = readListing(request, pageParams);
  const joined = await listPromoterCampaigns(store, account.id, promoter.id);
  const accepted = joined.filter(({ state }) => state === "accepted");
  const [campaigns, categories] = await Promise.all([
    listCampaigns(store, account.id),
    listCategories(store, account.id),
  ]);
  const parts = {
    public_url,
    campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
    categories: new Map(categories.map((category) => [category.id, category])),
  };
  const linksOf = (asset: Asset) =>
    accepted.flatMap((each) => {
      const campaign = parts.campaigns.get(each.campaign_id);
      const isAllowed = asset.campaign_ids.length === 0 || asset.campaign_ids.includes(each.campaign_id);
      return campaign === undefined || !isAllowed
        ? []
        : [{ promoter_campaign_id: each.id, url: assetLink(asset, each, campaign) }];
    });
  const found =
    accepted.length === 0
      ? { records: [], total: 0 }
      : await findAssets(store, account.id, {
          text: null,
          types: [],
          categoryIds: [],
          campaign_ids: accepted.map(({ campaign_id }) => campaign_id),
          created: undefined,
          ...window,
        });
  setPageHeaders(request, page, found.total);
  return found.records.map((asset) => {
    const { category, content, created_at, ...rest } = assetJson(asset, parts);
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
