import type { H3Event } from "h3";
import { z } from "zod";
import { findRecordId } from "../../domain/program/migration/source-id.ts";
import { findLeadByUsername, type LeadFilter } from "../../domain/people/lead/search.ts";
import {
  ENTRY_SOURCES,
  FRAUD_SUSPICIONS,
  LEAD_STATES,
  type LeadSelector,
  type Split,
} from "../../domain/people/lead/lead.ts";
import { direction, email, flag, id, listOf, oneOf, tenThousandths, text } from "../../input/fields.ts";
import { readPathSegment } from "../../http/path.ts";
import type { Store } from "../../storage/store.ts";
import { idsBody } from "../batch/batch-json.ts";
import { pageParams } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { period, span } from "../range-params.ts";
import { field } from "../../http/fields.ts";
import { referralAnswer } from "./referral-json.ts";

const MAX_SPLITS = 50;
/** No lead has this id. */
const NO_LEAD = 0;

const suspicion = oneOf(["no_suspicion", ...FRAUD_SUSPICIONS]);

/** The query of the list. @see docs/spec/v2.md "List referrals" */
export const listParams = z.object({
  q: field(
    text.optional(),
    "Text to search for in e-mail addresses, uids, names and websites.",
    "sam@example.net",
  ),
  ids: field(listOf(id).optional(), "Ids of the records.", [17, 18]),
  filters: field(
    z
      .object(
        {
          type: field(
            oneOf(["lead", "customer"]),
            "`lead`: not a customer yet. `customer`: has bought something.",
          ),
          promoter_id: field(id, "Id of the promoter.", 17),
          campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
          state: field(
            oneOf([...LEAD_STATES, "not_denied", "moved"]),
            "Only records in this state. `not_set`: in no campaign.",
          ),
          entry_source: field(listOf(oneOf(ENTRY_SOURCES)), "Only leads that came in one of these ways."),
          fraud_check: field(listOf(suspicion), "Only leads with one of these suspicions."),
          customer_since: field(period, "When the lead became a customer."),
          created_at: field(period, "When the lead was recorded."),
          cancelled_at: field(period, "When the lead cancelled."),
          custom_status_id: field(listOf(id), "Only leads with one of these statuses of the company.", [3]),
          plan_id: field(listOf(text), "The sold prices or plans, by your own ids.", ["pro-monthly"]),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Only records that match.",
  ),
  sorting: field(
    z
      .object({ created_at: field(direction, "By the moment when they were earned.") }, "is invalid")
      .partial()
      .default({}),
    "Order of the records. Of several, the first counts most.",
  ),
  ...pageParams.shape,
});

/** The filter by the domain's names. */
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
    customStatusIds: filters.custom_status_id,
  };
}

const split = z
  .object(
    {
      promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
      percentage: field(tenThousandths, "The part of each commission, in percent.", 25),
    },
    "is invalid",
  )
  .transform(({ promoter_campaign_id, percentage }): Split => ({
    promoterCampaignId: promoter_campaign_id,
    percentTenThousandths: percentage,
  }));

/** The parts of a lead's commissions that go to others. A single part may be sent without a list. */
const splits = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : value),
  z.array(split, "is invalid").max(MAX_SPLITS, `is too long (maximum is ${MAX_SPLITS} entries)`),
);

const username = text.trim();

/** The body of a new referral. */
export const createBody = z.object({
  email: field(email.optional(), "The person's e-mail address.", "jane@example.com"),
  uid: field(text.optional(), referralAnswer.shape.uid),
  username: field(username.optional(), "The lead's user name.", "sam"),
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  split_details: field(splits.optional(), "The parts of commissions that go to others."),
});

/** The attributes that the path's value may be matched against. */
const findBy = field(
  oneOf(["id", "email", "uid", "username", "source_id"]),
  "Which attribute the id in the path is matched against. `source_id`: the id in the program that the company came from. Default: `id`.",
);
export type FindBy = z.output<typeof findBy>;
export const findParams = z.object({
  find_by: findBy.optional(),
});

/** The lead's id, or another attribute, in the path. */
export const pathId = field(z.string(), "The lead's id, or the attribute that `find_by` names.", "17");

/** The changes to a referral. Null clears. */
export const updateBody = z
  .object({
    email: field(email.nullable(), createBody.shape.email),
    uid: field(text.nullable(), referralAnswer.shape.uid),
    username: field(username.nullable(), "The lead's user name.", "sam"),
    promoter_campaign_id: field(id, "Id of the promoter campaign that gets the lead.", 31),
    find_by: findBy,
    fraud_check: field(suspicion, "Why the lead is suspected of fraud."),
    custom_status_id: field(id.nullable(), "Id of a custom referral status, or null for none.", 3),
    split_details: field(splits.nullable(), "The parts that go to others. An empty list removes them."),
  })
  .partial();

export const moveBody = idsBody.extend({
  promoter_campaign_id: field(id, "Id of the promoter campaign that gets the leads.", 31),
  move_associated_commissions: field(
    flag.optional(),
    "Whether their unpaid commissions move too. Paid ones never move. Default: `false`.",
  ),
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
  if (by === "source_id") {
    const found = await findRecordId(store, accountId, { kind: "customer", sourceId: value });
    return { ...selector, id: found ?? NO_LEAD };
  }
  if (by !== "username") return { ...selector, id: readPathId(event) };
  return { ...selector, id: (await findLeadByUsername(store, accountId, value))?.id ?? NO_LEAD };
}
