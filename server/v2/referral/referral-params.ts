import type { H3Event } from "h3";
import { z } from "zod";
import { findLeadByUsername, type LeadFilter } from "../../domain/lead/search.ts";
import {
  ENTRY_SOURCES,
  FRAUD_SUSPICIONS,
  LEAD_STATES,
  type LeadSelector,
  type Split,
} from "../../domain/lead/lead.ts";
import { direction, email, flag, id, listOf, oneOf, tenThousandths, text } from "../../input/fields.ts";
import { readPathSegment } from "../../http/path.ts";
import type { Store } from "../../storage/store.ts";
import { idsBody } from "../batch/batch-json.ts";
import { pageParams } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { period, span } from "../range-params.ts";

const MAX_SPLITS = 50;
/** No lead has this id. */
const NOBODY = 0;

const suspicion = oneOf(["no_suspicion", ...FRAUD_SUSPICIONS]);

/** The query of the list. @see docs/spec/v2.md "List referrals" */
export const listParams = z.object({
  q: text.optional(),
  ids: listOf(id).optional(),
  filters: z
    .object(
      {
        type: oneOf(["lead", "customer"]),
        promoter_id: id,
        campaign_id: listOf(id),
        state: oneOf([...LEAD_STATES, "not_denied", "moved"]),
        entry_source: listOf(oneOf(ENTRY_SOURCES)),
        fraud_check: listOf(suspicion),
        customer_since: period,
        created_at: period,
        cancelled_at: period,
        plan_id: listOf(text),
      },
      "is invalid",
    )
    .partial()
    .default({}),
  sorting: z.object({ created_at: direction }, "is invalid").partial().default({}),
  ...pageParams.shape,
});

/** The filter in the domain's words. */
export function leadFilter({ q, ids, filters }: z.output<typeof listParams>): LeadFilter {
  return {
    text: q,
    ids,
    isCustomer: filters.type && filters.type === "customer",
    promoterId: filters.promoter_id,
    campaignIds: filters.campaign_id,
    state: filters.state,
    entrySources: filters.entry_source,
    suspicions: filters.fraud_check,
    customerSince: span(filters.customer_since),
    createdAt: span(filters.created_at),
    cancelledAt: span(filters.cancelled_at),
    planIds: filters.plan_id,
  };
}

const split = z
  .object({ promoter_campaign_id: id, percentage: tenThousandths }, "is invalid")
  .transform(({ promoter_campaign_id, percentage }): Split => ({
    promoterCampaignId: promoter_campaign_id,
    percentTenThousandths: percentage,
  }));

/** The parts of a lead's commissions that go to others. A single part may come without a list. */
const splits = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : value),
  z.array(split, "is invalid").max(MAX_SPLITS, `is too long (maximum is ${MAX_SPLITS} entries)`),
);

const username = text.trim();

/** The body of a new referral. */
export const createBody = z.object({
  email: email.optional(),
  uid: text.optional(),
  username: username.optional(),
  promoter_campaign_id: id,
  split_details: splits.optional(),
});

/** The attributes that the path's value may be matched against. */
const findBy = oneOf(["id", "email", "uid", "username"]);
export type FindBy = z.output<typeof findBy>;
export const findParams = z.object({ find_by: findBy.optional() });

/** The changes to a referral. Null clears. */
export const updateBody = z
  .object({
    email: email.nullable(),
    uid: text.nullable(),
    username: username.nullable(),
    promoter_campaign_id: id,
    find_by: findBy,
    fraud_check: suspicion,
    split_details: splits.nullable(),
  })
  .partial();

export const moveBody = idsBody.extend({
  promoter_campaign_id: id,
  move_associated_commissions: flag.optional(),
});

/** The lead that the path names. */
export async function readSelector(
  event: H3Event,
  by: FindBy | undefined,
  { store, accountId }: { store: Store; accountId: number },
): Promise<LeadSelector> {
  const selector = { id: null, uid: null, email: null };
  const value = readPathSegment(event, "id").trim();
  if (by === "email" || by === "uid") return { ...selector, [by]: value };
  if (by !== "username") return { ...selector, id: readPathId(event) };
  return { ...selector, id: (await findLeadByUsername(store, accountId, value))?.id ?? NOBODY };
}
