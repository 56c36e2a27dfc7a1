import { v1, type Params } from "./calls.ts";
import type { TestApp } from "./app.ts";

/** The fields of a V1 promoter that tests read. */
export interface V1Promoter {
  id: number;
  temp_password: null;
  auth_token: string;
  default_promotion_id: number;
  default_ref_id: string;
  promotions: { campaign_id: number; ref_id: string }[];
}

/** Makes a promoter through V1, and returns them as V1 shows them afterwards. */
export async function createV1Promoter(app: TestApp, params: Params): Promise<V1Promoter> {
  const { body } = await v1(app, "POST", "/promoters/create", params);
  return { ...(body as V1Promoter), temp_password: null };
}

/** A promoter who can be selected in every way. */
export const NAMED = { email: "jane@example.com", cust_id: "cus 1", ref_id: "jane", promo_code: "JANE" };

/** Every way to select them. Their token is random. */
export const SELECTORS: [name: string, selector: (promoter: V1Promoter) => Params][] = [
  ["id", () => ({ id: "1" })],
  ["cust_id", () => ({ cust_id: "cus 1" })],
  ["auth_token", ({ auth_token }) => ({ auth_token })],
  ["promoter_email", () => ({ promoter_email: "JANE@example.com" })],
  ["ref_id", () => ({ ref_id: "Jane" })],
  ["promo_code", () => ({ promo_code: "JANE" })],
];
