import { z } from "zod";
import {
  ASSET_TYPES,
  assetCategories,
  assets,
  listCategories,
  type Asset,
  type AssetCategory,
} from "../../domain/people/asset.ts";
import { listCampaigns, type Campaign } from "../../domain/program/campaign/campaign.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { shown } from "../../resource/answer.ts";
import type { View } from "../../storage/store.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../embedded-json.ts";

export const categoryAnswer = shown(assetCategories)("AssetCategory", {
  id: recordId,
  name: field(z.string(), "Name of the category.", "Banners"),
  position: field(z.int(), "Lower ones come first.", 1),
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});

/** The records that an asset is shown with. */
interface AssetParts {
  public_url: string;
  campaigns: ReadonlyMap<number, Campaign>;
  categories: ReadonlyMap<number, AssetCategory>;
  /** How many clicks each asset has brought. Only the company sees it. */
  clicks: ReadonlyMap<number, number>;
}

/** Reads the records that the assets of an account are shown with, but for their clicks. */
export async function assetParts(
  view: View,
  accountId: number,
): Promise<Pick<AssetParts, "campaigns" | "categories">> {
  const [campaigns, categories] = await Promise.all([
    listCampaigns(view, accountId),
    listCategories(view, accountId),
  ]);
  return {
    campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
    categories: new Map(categories.map((category) => [category.id, category])),
  };
}

export const assetAnswer = shown<Asset, AssetParts>(assets)("Asset", {
  id: recordId,
  name: field(z.string(), "Name of the asset.", "Spring banner"),
  allowed_campaign_ids: [
    field(z.array(z.int()), "Ids of the campaigns whose promoters see it. Empty means all campaigns.", [1]),
    ({ campaign_ids }) => campaign_ids,
  ],
  details: [
    field(
      z.object({
        file_format: field(
          z.string().nullable(),
          "Format of the uploaded file, detected from its bytes, or null if no file was uploaded.",
          "png",
        ),
        file_size: field(z.int().nullable(), "Size of the uploaded file, in bytes.", 48_213),
        image_size: field(
          z.object({
            width: field(z.int().nullable(), "Width in pixels, or null if it is not an uploaded image.", 728),
            height: field(
              z.int().nullable(),
              "Height in pixels, or null if it is not an uploaded image.",
              90,
            ),
          }),
          "The size of an uploaded image.",
        ),
      }),
      "Details of the uploaded file.",
    ),
    ({ file }) => ({
      file_format: file?.format ?? null,
      file_size: file?.bytes ?? null,
      image_size: { width: file?.image?.width ?? null, height: file?.image?.height ?? null },
    }),
  ],
  content: field(
    z.string().nullable(),
    "The text. `{{ref_link}}` is replaced by the promoter's link.",
    "Try Acme: {{ref_link}}",
  ),
  landing_page_url: field(
    z.string().nullable(),
    "The page that it leads to, or null for the promoter's usual one.",
    "https://www.example.com/spring",
  ),
  asset_type: [field(z.enum(ASSET_TYPES), "What it is."), ({ type }) => type],
  url: [
    field(
      z.string().nullable(),
      "Where the file is, or the page of a link. Null for a text.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    urlOf,
  ],
  thumbnail_url: [
    field(
      z.string().nullable(),
      "The image itself, or null if it is not an image.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    (asset, parts) => (asset.type === "image" ? urlOf(asset, parts) : null),
  ],
  uploading: [
    field(
      z.boolean(),
      "Whether the file is still being uploaded. Always `false`, because a file is sent with its asset.",
      false,
    ),
    () => false,
  ],
  category: [
    field(
      categoryAnswer.schema.pick({ id: true, name: true, position: true }).nullable(),
      "The heading that it is listed under, or null if it has none.",
    ),
    ({ category_id: id }, { categories }) => headingOf(categories.get(id ?? 0)),
  ],
  allowed_campaigns: [
    field(z.array(embeddedCampaign), "The campaigns of `allowed_campaign_ids`."),
    ({ campaign_ids }, { campaigns }) =>
      campaign_ids.flatMap((id) => campaigns.get(id) ?? []).map(embeddedCampaignJson),
  ],
  clicks_count: [
    field(z.int(), "How many clicks the promoters' links for it have brought.", 31),
    ({ id }, { clicks }) => clicks.get(id) ?? 0,
  ],
  created_at: createdAt,
});

function urlOf({ file, url }: Asset, { public_url }: AssetParts): string | null {
  return file === null ? url : `${public_url}/uploads/${file.name}`;
}

function headingOf(category: AssetCategory | undefined) {
  return category ? { id: category.id, name: category.name, position: category.position } : null;
}
