import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { PAGE_LENGTH, type Rows } from "../../ui/table/list.ts";

export type Asset = components["schemas"]["Asset"];
export type AssetType = Asset["asset_type"];
export type Category = components["schemas"]["AssetCategory"];

/** The names of the types, in the order of the list. */
export const TYPES: [type: AssetType, words: string][] = [
  ["image", "Banner or other image"],
  ["text", "Text"],
  ["link", "Page to link to"],
  ["document", "Document"],
];

/** A page of assets, newest first. */
export function loadAssets(number: number, signal: AbortSignal): Promise<Rows<Asset>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  return page(api.GET("/api/v2/company/assets", { params: { query }, signal }));
}

export function loadCategories(): Promise<Category[]> {
  return answer(api.GET("/api/v2/company/assets/categories"));
}

/** Makes a category that comes after the others, and returns its id. */
export async function addCategory(name: string, known: Category[]): Promise<number> {
  const position = Math.max(0, ...known.map((category) => category.position)) + 1;
  const body = { asset_categories: [{ name, position }] };
  const all = await answer(api.PUT("/api/v2/company/assets/categories", { body }));
  return all.find((category) => category.name === name && category.position === position)?.id ?? 0;
}
