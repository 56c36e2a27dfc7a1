import { z } from "zod";
import {
  loadOwnLead,
  proposeLead,
  removeProposal,
  updateProposal,
} from "../../../domain/people/lead/creation.ts";
import { IN_USE, isOfType } from "../../../domain/people/lead/search.ts";
import {
  LEAD_STATES,
  ENTRY_SOURCES,
  isProposed,
  leads,
  type Lead,
} from "../../../domain/people/lead/lead.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf, text, word, subId } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import { having, list } from "../../../resource/list.ts";
import { pageParams, readListing, readPathId, period } from "../../../resource/listing.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../../http/fields.ts";
import { v2FieldError } from "../../../http/errors.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { shapeChanges, shapeInput } from "../../../input/shape.ts";
import { recordError } from "../../operation.ts";
import { mailAddress, site } from "../own-fields.ts";
import type { View } from "../../../storage/store.ts";
import { ownCampaignAnswer, showOwnCampaign } from "../own-campaign.ts";

const filters = z
  .object(
    {
      state: field(oneOf(LEAD_STATES), "Only records in this state. `not_set`: in no campaign."),
      type: field(
        oneOf(["lead", "customer"]),
        "`lead`: not a customer yet. `customer`: has bought something.",
      ),
      campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      created_at: field(period, "When the record was created."),
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters: field(filters, "Only records that match."), ...pageParams.shape });

/** A lead as its promoter sees it. */
const portalReferralAnswer = z
  .object({
    id: recordId,
    uid: field(
      z.string().nullable(),
      "The company's id of the person. An e-mail address is masked.",
      "user-17",
    ),
    email: field(
      z.string().nullable(),
      "The masked e-mail address, or null if none is known.",
      "s***@example.net",
    ),
    state: field(z.enum(LEAD_STATES), "State of the record."),
    metadata: field(z.record(z.string(), z.unknown()), "Empty, because it is the company's.", {}),
    entry_source: field(
      z.enum(ENTRY_SOURCES),
      "How the lead got its promoter. `cookie`: by a visit. `api`: by a request. `coupon`: by a promo code. `manual_admin`, `manual_affiliate`: by hand.",
    ),
    created_at: createdSecond,
    customer_since: field(
      second.nullable(),
      "When the lead became a customer, or null if they have not.",
      "2026-03-01T09:30:00.000Z",
    ),
    sub_id: subId,
    first_name: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      "Sam",
    ),
    last_name: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      null,
    ),
    website: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      null,
    ),
    comment: field(
      z.string().nullable(),
      "What the promoter who added the lead says about it, or null.",
      "Met at the fair in March.",
    ),
    is_removable: field(z.boolean(), "Whether the promoter added the lead, and it still waits for approval."),
    promoter_campaign: field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
  })
  .meta({ id: "PortalReferral" });

/** `GET /api/v2/affiliate/referrals` */
export const listOwnReferralsOperation: AffiliateOperation = {
  id: "listOwnReferrals",
  summary: "List the promoter's leads, newest first",
  description: "Lists the promoter's leads, newest first. Addresses are masked.",
  params: listParams,
  answer: z.array(portalReferralAnswer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    return Promise.all(found.records.map((lead) => showOwnReferral(request.context.store, lead)));
  },
};

/** `GET /api/v2/affiliate/referrals/{id}` */
export const showOwnReferralOperation: AffiliateOperation = {
  id: "getOwnReferral",
  summary: "Show one of the promoter's leads",
  description: "Shows one of the promoter's leads. The address is masked.",
  answer: portalReferralAnswer,
  refusals: ["not_found"],
  async handle({ event, promoter, context: { store } }) {
    const wanted = { account_id: promoter.account_id, promoter_id: promoter.id, id: readPathId(event) };
    return showOwnReferral(store, await loadOwnLead(store, wanted));
  },
};

/** `GET /api/v2/affiliate/referrals/export` */
export const exportOwnReferralsOperation = ownExport({
  id: "exportOwnReferrals",
  noun: "leads",
  note: "Addresses are masked.",
  filters,
  columns: ["id", "created_at", "state", "entry_source", "email", "customer_since", "sub_id", "campaign"],
  async linesOf(request, given, window) {
    const { records } = await find(request, given, window);
    const shown = await Promise.all(records.map((lead) => showOwnReferral(request.context.store, lead)));
    return shown.map((lead) => ({ ...lead, campaign: lead.promoter_campaign.campaign?.name ?? "" }));
  },
});

const ownList = list(leads, { only: IN_USE, isNewestFirst: true });

function find(
  { context: { store }, promoter }: AffiliateRequest,
  { type, ...given }: z.output<typeof filters>,
  window: Window,
): Promise<Found<Lead>> {
  const where = having(leads, { ...given, promoter_id: promoter.id });
  if (type !== undefined) where.push(isOfType(type));
  return ownList.find(store, promoter.account_id, { where, ...window });
}

const NAME_LENGTH = 100;

/** What a promoter says about a lead. */
const said = {
  first_name: field(word(NAME_LENGTH), "First name.", "Jane"),
  last_name: field(word(NAME_LENGTH), "Last name.", "Doe"),
  website: field(site, "Address of their web site.", "https://blog.example.com"),
  comment: field(text, portalReferralAnswer.shape.comment),
};
const createBody = z.object({
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  email: field(mailAddress, "The person's e-mail address.", "jane@example.com"),
  ...z.object(said).partial().shape,
});
const updateBody = z
  .object({
    first_name: field(said.first_name.nullable(), "First name.", "Jane"),
    last_name: field(said.last_name.nullable(), "Last name.", "Doe"),
    website: field(said.website.nullable(), "Address of their web site.", "https://blog.example.com"),
    comment: field(said.comment.nullable(), portalReferralAnswer.shape.comment),
  })
  .partial();

/** `POST /api/v2/affiliate/referrals` */
export const addOwnReferralOperation: AffiliateOperation = {
  id: "addOwnReferral",
  summary: "Add a lead by hand for the company's approval",
  description:
    "Adds a lead by hand, if the campaign lets promoters do that. It waits for the company's approval as `pending`. The answer is the same whether or not the company knows the person.",
  example: {
    promoter_campaign_id: 31,
    email: "sam@example.net",
    first_name: "Sam",
    comment: "Met at the fair in March.",
  },
  body: createBody,
  answer: portalReferralAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape: recordError({}, v2FieldError),
  async handle({ event, account, promoter, context }) {
    const body = shapeInput(createBody, await readJson(event));
    return proposeLead(context, account, {
      promoter_id: promoter.id,
      promoter_campaign_id: body.promoter_campaign_id,
      email: body.email,
      first_name: body.first_name ?? null,
      last_name: body.last_name ?? null,
      website: body.website ?? null,
      comment: body.comment ?? null,
      show: showOwnReferral,
    });
  },
};

/** `PUT /api/v2/affiliate/referrals/{id}` */
export const updateOwnReferralOperation: AffiliateOperation = {
  id: "updateOwnReferral",
  summary: "Change what the promoter says about a lead that they added",
  description:
    "Changes what the promoter says about a lead that waits for approval. The address stays. What you leave out stays.",
  example: { comment: "Met at the fair in March." },
  body: updateBody,
  answer: portalReferralAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, promoter, context }) {
    const body = shapeChanges(updateBody, await readJson(event));
    const wanted = { account_id: promoter.account_id, promoter_id: promoter.id, id: readPathId(event) };
    return updateProposal(context, wanted, {
      first_name: body.first_name,
      last_name: body.last_name,
      website: body.website,
      comment: body.comment,
      show: showOwnReferral,
    });
  },
};

/** `DELETE /api/v2/affiliate/referrals/{id}` */
export const removeOwnReferralOperation: AffiliateOperation = {
  id: "deleteOwnReferral",
  summary: "Withdraw a lead that the promoter added",
  description: "Withdraws a lead that the promoter added and that waits for approval.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "refused"],
  async handle({ event, promoter, context }) {
    await removeProposal(context, {
      account_id: promoter.account_id,
      promoter_id: promoter.id,
      id: readPathId(event),
    });
    return null;
  },
};

/**
 * Promoters see enough to recognise a lead, but no address to write to. They see what they entered about a lead until
 * the company approves it, because the person may have given other names by then. `metadata` is the company's own.
 */
async function showOwnReferral(view: View, lead: Lead): Promise<z.output<typeof portalReferralAnswer>> {
  const said = lead.is_proposal ? lead : null;
  return {
    id: lead.id,
    uid: maskedUid(lead.uid),
    email: maskedEmail(lead.email),
    state: lead.state,
    metadata: {},
    entry_source: lead.entry_source,
    created_at: wholeSecond(lead.created_at),
    customer_since: wholeSecond(lead.customer_since),
    sub_id: lead.sub_id,
    first_name: said?.first_name ?? null,
    last_name: said?.last_name ?? null,
    website: said?.website ?? null,
    comment: said?.comment ?? null,
    is_removable: isProposed(lead),
    promoter_campaign: await showOwnCampaign(view, lead),
  };
}

/**
 * Masks an e-mail address so that only people who know it recognise it: `sam@example.net` becomes `s***@example.net`.
 */
export function maskedEmail(email: string | null): string | null {
  return email && email.replace(/^(.)[^@]*/u, "$1***");
}

/** Returns a uid, masked if it is an e-mail address. */
export function maskedUid(uid: string | null): string | null {
  return uid !== null && uid.includes("@") ? maskedEmail(uid) : uid;
}
