import { z } from "zod";
import type { BelongingFilter } from "../domain/people/promoter-campaign/search.ts";
import type { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { id, text } from "../input/fields.ts";
import { pageParams, readPage, type Page } from "../http/pages.ts";
import { field } from "../http/fields.ts";
import { refToken } from "../input/common-fields.ts";

/** The maximum page size. @see docs/spec/common.md "Pages" */
export const MOST_PER_PAGE = 500;

/** The filters of the lists of leads and rewards. */
export const belongingParams = z
  .object({
    promotion_id: field(id, "Id of the promotion (V2: promoter campaign).", 31),
    ref_id: field(text, refToken),
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(id, "Id of the campaign.", 1),
  })
  .partial();

/** The filters by the domain's names. */
export function readBelongingFilter(params: z.output<typeof belongingParams>): BelongingFilter {
  return {
    promoterCampaignId: params.promotion_id ?? null,
    refToken: params.ref_id ?? null,
    promoterId: params.promoter_id ?? null,
    campaignId: params.campaign_id ?? null,
  };
}

/** A list's own parameters and the page parameters. */
export function listParams<S extends z.ZodObject>(params: S, usual: number) {
  return params.extend(pageParams({ usual, most: MOST_PER_PAGE }).shape);
}

/** The requested page of a V1 list. */
export function readListPage(params: Record<string, unknown>, usual: number): Page {
  return readPage(params, { usual, most: MOST_PER_PAGE });
}

/** The statuses for which `listError` differs from other errors of V1. */
export const LIST_STATUSES = { not_found: 422 } as const;

/** Like other errors of V1, but 422 if a filter names a missing record, because the list itself exists. */
export function listError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind === "not_found") return json({ error: failure.message }, headers, LIST_STATUSES.not_found);
  return v1Error(failure, headers);
}
