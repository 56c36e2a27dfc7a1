import { Failure } from "../../failure.ts";
import { parseUrl } from "../../url.ts";
import { among } from "../../storage/query.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import type { UploadedFile } from "../program/account/account.ts";
import { campaigns, type Campaign } from "../program/campaign/campaign.ts";
import type { Context } from "../context.ts";
import { nameKey } from "./origin.ts";
import { linkTo, type PromoterCampaign } from "./promoter-campaign/promoter-campaign.ts";
import { dailyQuery, totalsOf } from "./daily.ts";

export const ASSET_TYPES = ["image", "document", "link", "text"] as const;

export type AssetType = (typeof ASSET_TYPES)[number];

const assetFields = {
  id: integer(),
  name: text(),
  type: text<AssetType>(),
  /** The campaigns whose promoters see it. Empty: all campaigns. */
  campaign_ids: json<number[]>(),
  category_id: integer().nullable(),
  /** The file of an image or document. Null if `url` names it, or if it needs none. */
  file: json<UploadedFile>().nullable(),
  /** The address of an image or a document on another server, or the page of a link. */
  url: text().nullable(),
  /** The content of a text. `{{ref_link}}` is replaced by the promoter's link. */
  content: text().nullable(),
  /** The page that it leads to, or null for the promoter's default page. */
  landing_page_url: text().nullable(),
  created_at: time(),
};

/** Material for promoters: a banner, a document, a page to link to, or a text. */
export type Asset = RowOf<typeof assetFields>;

export const assets = table("asset", assetFields, {
  derived: {
    folded_name: ["text", ({ name }) => name.toLowerCase()],
    /** ` 1 7 `, so that each id has a blank on both sides, or null for all campaigns. */
    campaign_list: ["text", ({ campaign_ids: ids }) => (ids.length === 0 ? null : ` ${ids.join(" ")} `)],
  },
  indexes: { category: { on: ["category_id"], where: "category_id is not null" } },
});

const assetCategoryFields = {
  id: integer(),
  name: text(),
  /** Lower ones come first. */
  position: integer(),
  created_at: time(),
  updated_at: time(),
};

/** A heading above assets. */
export type AssetCategory = RowOf<typeof assetCategoryFields>;

export const assetCategories = table("asset-category", assetCategoryFields, {
  indexes: { position: { on: ["position"] } },
});

/** The fields of an asset that a client sets. */
export type AssetInput = Omit<Asset, "account_id" | "id" | "created_at">;

/**
 * Makes an asset.
 *
 * @throws Failure `invalid` if its type lacks a required field, or an id is unknown
 */
export async function createAsset(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  input: AssetInput,
): Promise<Asset> {
  const id = await tx.nextId("asset");
  const asset: Asset = { account_id: accountId, id, ...input, created_at: now.toISOString() };
  await refuseUnfit(tx, asset);
  await tx.insert(assets, asset);
  return asset;
}

/** Changes to an asset. Undefined fields stay unchanged. */
type AssetChanges = { [Field in keyof AssetInput]?: AssetInput[Field] | undefined };

/**
 * Changes an asset. A new file replaces an address, and a new address a file.
 *
 * @throws Failure `not_found`, and `invalid` like `createAsset`
 */
export async function updateAsset(
  tx: Transaction,
  accountId: number,
  { id, changes }: { id: number; changes: AssetChanges },
): Promise<{ before: Asset; after: Asset }> {
  const before = await loadAsset(tx, accountId, id);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after: Asset = { ...before, ...Object.fromEntries(given) };
  if (changes.file) after.url = null;
  else if (changes.url) after.file = null;
  await refuseUnfit(tx, after);
  await tx.put(assets, after);
  return { before, after };
}

/** Deletes an asset. Its file stays. @throws Failure `not_found` */
export async function deleteAsset(tx: Transaction, accountId: number, id: number): Promise<void> {
  await loadAsset(tx, accountId, id);
  await tx.remove(assets, accountId, id);
}

/** Moves an asset to a category. @throws Failure `not_found` for either */
export async function moveAsset(
  tx: Transaction,
  accountId: number,
  { id, category_id }: { id: number; category_id: number },
): Promise<void> {
  await loadCategory(tx, accountId, category_id);
  await tx.put(assets, { ...(await loadAsset(tx, accountId, id)), category_id });
}

/** @throws Failure `not_found` */
export async function loadAsset(reader: Reader, accountId: number, id: number): Promise<Asset> {
  const asset = await reader.get(assets, accountId, id);
  if (asset === null) throw new Failure("not_found", "Asset not found.");
  return asset;
}

/** The channel of an asset's links. Its clicks are counted like those of any channel. */
export function assetChannel({ id }: Pick<Asset, "id">): string {
  return `asset-${id}`;
}

/** How many clicks the links of these assets have brought, by asset id. Missing ones have none. */
export async function loadAssetClicks(
  view: View,
  accountId: number,
  shown: readonly Asset[],
): Promise<Map<number, number>> {
  const ids = new Map(shown.map((asset) => [nameKey(assetChannel(asset)), asset.id]));
  const rows = await view.rows(
    dailyQuery(view, accountId, "sub-id")
      .where(among("daily.subject_key", [...ids.keys()]))
      .select(["daily.subject_key as key", ...totalsOf(["clicks"])])
      .groupBy("daily.subject_key"),
  );
  return new Map(rows.map(({ key, clicks }) => [ids.get(key)!, Number(clicks)]));
}

/** A promoter's link for an asset. It names the asset as its channel. */
export function assetLink(asset: Asset, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const own = asset.type === "link" ? asset.url : asset.landing_page_url;
  const link = linkTo(
    own ?? promoterCampaign.landing_url ?? campaign.landing_url,
    promoterCampaign,
    campaign,
  );
  const url = parseUrl(link);
  if (url === null) return link;
  url.searchParams.set("sub_id", assetChannel(asset));
  return url.href;
}

/** The maximum of categories in an account. */
const MOST_CATEGORIES = 100;

/** An account's categories, in the order of their positions. */
export function listCategories(view: View, accountId: number): Promise<AssetCategory[]> {
  return view.page(assetCategories, "position", accountId, [], { limit: MOST_CATEGORIES });
}

/** A category to be made (`id` null), changed or removed. */
export interface CategoryChange {
  id: number | null;
  name: string;
  position: number;
  isRemoved: boolean;
}

/**
 * Changes the given categories only. Assets of a removed category have none.
 *
 * @throws Failure `not_found` for an unknown category, `invalid` if there are too many
 */
export async function changeCategories(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  changes: CategoryChange[],
): Promise<AssetCategory[]> {
  const updatedAt = now.toISOString();
  const known = new Map((await listCategories(tx.view, accountId)).map((each) => [each.id, each]));
  for (const { id, name, position, isRemoved } of changes) {
    const before = id === null ? null : await loadCategory(tx, accountId, id);
    if (isRemoved) {
      if (before === null) continue;
      await removeCategory(tx, before);
      known.delete(before.id);
      continue;
    }
    const after = {
      account_id: accountId,
      id: id ?? (await tx.nextId("asset-category")),
      name,
      position,
      created_at: before?.created_at ?? updatedAt,
      updated_at: updatedAt,
    };
    await tx.put(assetCategories, after);
    known.set(after.id, after);
  }
  if (known.size > MOST_CATEGORIES) {
    const fault = `is too long (maximum is ${MOST_CATEGORIES} categories)`;
    throw new Failure("invalid", `Validation failed: ${fault}`, { asset_categories: [fault] });
  }
  return [...known.values()].toSorted((a, b) => a.position - b.position || a.id - b.id);
}

/** @throws Failure `not_found` */
async function loadCategory(reader: Reader, accountId: number, id: number): Promise<AssetCategory> {
  const category = await reader.get(assetCategories, accountId, id);
  if (category === null) throw new Failure("not_found", "Asset category not found.");
  return category;
}

async function removeCategory(tx: Transaction, { account_id, id }: AssetCategory): Promise<void> {
  for (const asset of await tx.view.list(assets, "category", account_id, [id])) {
    await tx.put(assets, { ...asset, category_id: null });
  }
  await tx.remove(assetCategories, account_id, id);
}

/** @throws Failure `invalid` naming each fault */
async function refuseUnfit(tx: Transaction, asset: Asset): Promise<void> {
  const faults: Record<string, string[]> = {};
  const hasSource = asset.file !== null || asset.url !== null;
  if (asset.type === "text" && !asset.content) faults["content"] = ["can't be blank"];
  if (asset.type === "link" && asset.url === null) faults["url"] = ["can't be blank"];
  if ((asset.type === "image" || asset.type === "document") && !hasSource)
    faults["file"] = ["can't be blank"];
  if (asset.type === "image" && asset.file !== null && asset.file.image === null)
    faults["file"] = ["must be an image (PNG, JPEG, GIF or WebP)"];
  for (const id of asset.campaign_ids) {
    if ((await tx.get(campaigns, asset.account_id, id)) === null)
      (faults["campaign_ids"] ??= []).push(`names no campaign: ${id}`);
  }
  const { category_id } = asset;
  if (category_id !== null && (await tx.get(assetCategories, asset.account_id, category_id)) === null)
    faults["category_id"] = [`names no category: ${category_id}`];
  if (Object.keys(faults).length > 0) throw new Failure("invalid", "Validation failed", faults);
}
