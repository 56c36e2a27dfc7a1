import { z } from "zod";
import { ASSET_TYPES, type Asset, type AssetCategory } from "../../domain/people/asset.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../embedded-json.ts";

export const categoryAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the category.", "Banners"),
    position: field(z.int(), "Lower ones come first.", 1),
    created_at: createdAt,
    updated_at: field(z.iso.datetime(), "When the record was last changed."),
  })
  .meta({ id: "AssetCategory" });

export const assetAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the asset.", "Spring banner"),
    allowed_campaign_ids: field(
      z.array(z.int()),
      "Ids of the campaigns whose promoters see it. Empty means all campaigns.",
      [1],
    ),
    details: field(
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
    asset_type: field(z.enum(ASSET_TYPES), "What it is."),
    url: field(
      z.string().nullable(),
      "Where the file is, or the page of a link. Null for a text.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    thumbnail_url: field(
      z.string().nullable(),
      "The image itself, or null if it is not an image.",
      "https://track.example.com/uploads/q3kPz0Yc8Vw1Rb6Xn5Tj2M.png",
    ),
    uploading: field(
      z.boolean(),
      "Whether the file is still being uploaded. Always `false`, because a file is sent with its asset.",
      false,
    ),
    category: field(
      categoryAnswer.pick({ id: true, name: true, position: true }).nullable(),
      "The heading that it is listed under, or null if it has none.",
    ),
    allowed_campaigns: field(z.array(embeddedCampaign), "The campaigns of `allowed_campaign_ids`."),
    clicks_count: field(z.int(), "How many clicks the promoters' links for it have brought.", 31),
    created_at: createdAt,
  })
  .meta({ id: "Asset" });

/** The records that an asset is shown with. */
export interface AssetParts {
  public_url: string;
  campaigns: ReadonlyMap<number, Campaign>;
  categories: ReadonlyMap<number, AssetCategory>;
}

/** An asset without its click count, which only the company sees. */
export function assetJson(
  asset: Asset,
  { public_url, campaigns, categories }: AssetParts,
): Omit<z.output<typeof assetAnswer>, "clicks_count"> {
  const url = asset.file === null ? asset.url : `${public_url}/uploads/${asset.file.name}`;
  const category = asset.category_id === null ? undefined : categories.get(asset.category_id);
  const allowed = asset.campaign_ids.flatMap((id) => campaigns.get(id) ?? []);
  return {
    id: asset.id,
    name: asset.name,
    allowed_campaign_ids: asset.campaign_ids,
    details: {
      file_format: asset.file?.format ?? null,
      file_size: asset.file?.bytes ?? null,
      image_size: {
        width: asset.file?.image?.width ?? null,
        height: asset.file?.image?.height ?? null,
      },
    },
    content: asset.content,
    landing_page_url: asset.landing_page_url,
    asset_type: asset.type,
    url,
    thumbnail_url: asset.type === "image" ? url : null,
    uploading: false,
    category: category ? { id: category.id, name: category.name, position: category.position } : null,
    allowed_campaigns: allowed.map(embeddedCampaignJson),
    created_at: asset.created_at,
  };
}

export function categoryJson(category: AssetCategory): z.output<typeof categoryAnswer> {
  return {
    id: category.id,
    name: category.name,
    position: category.position,
    created_at: category.created_at,
    updated_at: category.updated_at,
  };
}
