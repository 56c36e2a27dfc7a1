import type { H3Event } from "h3";
import { z } from "zod";
import type { Selection, Selector } from "../../domain/people/promoter/search.ts";
import { field } from "../../http/fields.ts";
import { oneOf } from "../../input/fields.ts";
import { readPathSegment } from "../../http/path.ts";

const FIND_BY = {
  id: "id",
  email: "email",
  cust_id: "custId",
  auth_token: "authToken",
  ref_token: "refToken",
  promo_code: "promoCode",
  source_id: "sourceId",
} as const satisfies Record<string, Selector>;

/** The attributes that the path's value may be matched against. @see docs/spec/v2.md "find_by" */
export const findBy = field(
  oneOf(Object.keys(FIND_BY) as (keyof typeof FIND_BY)[]),
  "Which attribute the id in the path is matched against. `source_id`: the id in the program that the company came from. Default: `id`.",
);

/** The promoter's id, or another attribute, in the path. */
export const pathId = field(z.string(), "The promoter's id, or the attribute that `find_by` names.", "17");

/** The promoter that the path names. */
export function readSelection(event: H3Event, by: z.output<typeof findBy> = "id"): Selection {
  return { by: FIND_BY[by], value: readPathSegment(event, "id") };
}
