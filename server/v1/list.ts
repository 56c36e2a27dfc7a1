import { z } from "zod";
import type { BelongingFilter } from "../domain/scope.ts";
import type { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { id, text } from "../http/fields.ts";
import { pageParams, readPage, type Page } from "../http/pages.ts";

/** How many records a page may hold. @see docs/spec/common.md "Pages" */
export const MOST_PER_PAGE = 500;

/** The filters that leads and rewards are listed by. */
export const scopeParams = z
  .object({ promotion_id: id, ref_id: text, promoter_id: id, campaign_id: id })
  .partial();

/** The inner form of those filters. */
export function readScope(params: z.output<typeof scopeParams>): BelongingFilter {
  return {
    promoterCampaignId: params.promotion_id ?? null,
    refToken: params.ref_id ?? null,
    promoterId: params.promoter_id ?? null,
    campaignId: params.campaign_id ?? null,
  };
}

/** A list's own parameters, with those that ask for a page. */
export function listParams<S extends z.ZodObject>(params: S, usual: number) {
  return params.extend(pageParams({ usual, most: MOST_PER_PAGE }).shape);
}

/** The page that a V1 list is asked for. */
export function readListPage(params: Record<string, unknown>, usual: number): Page {
  return readPage(params, { usual, most: MOST_PER_PAGE });
}

/** Where `listError` differs from other errors of V1. */
export const LIST_STATUSES = { not_found: 422 } as const;

/** As all errors of V1, but 422 where a filter names what does not exist: the list itself is there. */
export function listError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind === "not_found") return json({ error: failure.message }, headers, LIST_STATUSES.not_found);
  return v1Error(failure, headers);
}
