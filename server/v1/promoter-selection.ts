import { z } from "zod";
import type { Selection, Selector } from "../domain/promoter-selection.ts";
import { Failure } from "../failure.ts";
import { text } from "../http/fields.ts";
import { describe } from "../http/shape.ts";

/** The parameters that name a promoter. @see docs/spec/v1.md "Selectors" */
export const selectorParams = z
  .object({
    id: text.meta({ documentedAs: { type: "integer", minimum: 1 } }),
    cust_id: text,
    auth_token: text,
    promoter_email: text,
    ref_id: text,
    promo_code: text,
  })
  .partial();

/** Of several that are given, the first decides. */
const SELECTORS: [param: string, by: Selector][] = [
  ["id", "id"],
  ["cust_id", "custId"],
  ["auth_token", "authToken"],
  ["promoter_email", "email"],
  ["ref_id", "refToken"],
  ["email", "email"],
  ["promo_code", "promoCode"],
];

/** A selection with the parameter that it came by. */
export interface NamedSelection extends Selection {
  param: string;
}

/**
 * The promoter that a request names. What is given as a number that no text can mean is refused, as the
 * next selector might be another promoter's.
 *
 * @throws Failure `missing`, `invalid`
 */
export function readSelection(params: Record<string, unknown>): NamedSelection {
  for (const [param, by] of SELECTORS) {
    const value = params[param];
    if (value === undefined || value === null || String(value).trim() === "") continue;
    if (typeof value === "string") return { param, by, value };
    const fields = { [param]: ["is invalid"] };
    throw new Failure("invalid", describe(fields), fields);
  }
  throw new Failure(
    "missing",
    "You need to find the promoter either by id, cust_id, auth_token, ref_id, promoter_email or promo_code",
  );
}

/** Refuses a request that lacks what it means nothing without. @throws Failure `missing` */
export function requireParams(params: Record<string, unknown>, names: string[]): void {
  const absent = names.filter((name) => String(params[name] ?? "").trim() === "");
  if (absent.length > 0) throw new Failure("missing", `${absent.join(", ")} can't be blank`);
}
