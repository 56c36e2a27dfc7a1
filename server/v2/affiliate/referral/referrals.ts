import { z } from "zod";
import {
  loadOwnLead,
  proposeLead,
  removeProposal,
  updateProposal,
} from "../../../domain/people/lead/creation.ts";
import { IN_USE, isOfType } from "../../../domain/people/lead/search.ts";
import { LEAD_STATES, isProposed, leads, type Lead } from "../../../domain/people/lead/lead.ts";
import { id, listOf, oneOf, text, word, subId } from "../../../input/fields.ts";
import { belongingTo } from "../../../storage/query.ts";
import { shown } from "../../../resource/answer.ts";
import { having, listed, type Condition } from "../../../resource/list.ts";
import { period, readPathId } from "../../../resource/listing.ts";
import { changes, lists, makes } from "../../../resource/operations.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { field, recordId } from "../../../http/fields.ts";
import { v2FieldError } from "../../../http/errors.ts";
import { recordError } from "../../operation.ts";
import { referralAnswer } from "../../referral/referral-json.ts";
import { mailAddress, site } from "../own-fields.ts";
import { campaigns } from "../../../domain/program/campaign/campaign.ts";
import {
  promoterCampaigns,
  type OwnRecord,
} from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { ownCampaignAnswer, ownCampaignJson } from "../own-campaign.ts";

const ownLeads = listed(leads, { only: IN_USE, isNewestFirst: true })({
  filters: {
    state: field(oneOf(LEAD_STATES), "Only records in this state. `not_set`: in no campaign."),
    type: [
      field(oneOf(["lead", "customer"]), "`lead`: not a customer yet. `customer`: has bought something."),
      isOfType,
    ],
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    created_at: field(period, "When the record was created."),
  },
});

const belongings = belongingTo(leads, {
  promoterCampaign: [promoterCampaigns, "promoter_campaign_id"],
  campaign: [campaigns, "campaign_id"],
});

/**
 * What the promoter entered about a lead. They see it until the company approves the lead, because the person may have given
 * other names by then.
 */
function entered(name: "first_name" | "last_name" | "website", example: string | null) {
  const schema = field(
    z.string().nullable(),
    "What the promoter entered, until the company approves the lead. Null after that.",
    example,
  );
  return [schema, (lead: Lead) => (lead.is_proposal ? lead[name] : null)] as const;
}

/** The fields that the company sees. */
const { shape: company } = referralAnswer.schema;

/** A lead as its promoter sees it: enough to recognise it, but no address to write to. */
const ownLeadAnswer = shown(leads, belongings)("PortalReferral", {
  id: recordId,
  uid: [
    field(z.string().nullable(), "The company's id of the person. An e-mail address is masked.", "user-17"),
    ({ uid }) => maskedUid(uid),
  ],
  email: [
    field(z.string().nullable(), "The masked e-mail address, or null if none is known.", "s***@example.net"),
    ({ email }) => maskedEmail(email),
  ],
  state: field(z.enum(LEAD_STATES), "State of the record."),
  metadata: [field(z.record(z.string(), z.unknown()), "Empty, because it is the company's.", {}), () => ({})],
  entry_source: company.entry_source,
  created_at: company.created_at,
  customer_since: company.customer_since,
  sub_id: subId,
  first_name: entered("first_name", "Sam"),
  last_name: entered("last_name", null),
  website: entered("website", null),
  comment: [
    field(
      z.string().nullable(),
      "What the promoter who added the lead says about it, or null.",
      "Met at the fair in March.",
    ),
    ({ is_proposal, comment }) => (is_proposal ? comment : null),
  ],
  is_removable: [
    field(z.boolean(), "Whether the promoter added the lead, and it still waits for approval."),
    isProposed,
  ],
  promoter_campaign: [
    field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
    ownCampaignJson,
  ],
});
const { schema } = ownLeadAnswer;

export const listOwnReferralsOperation: AffiliateOperation = lists(ownLeadAnswer, {
  id: "listOwnReferrals",
  summary: "List the promoter's leads, newest first",
  description: "Lists the promoter's leads, newest first. Addresses are masked.",
  list: ownLeads,
  within: ofPromoter,
});

export const showOwnReferralOperation: AffiliateOperation = {
  id: "getOwnReferral",
  summary: "Show one of the promoter's leads",
  description: "Shows one of the promoter's leads. The address is masked.",
  answer: schema,
  refusals: ["not_found"],
  handle: async ({ event, promoter, context: { store } }) =>
    ownLeadAnswer.show(store, await loadOwnLead(store, ownLead(promoter, readPathId(event)))),
};

export const exportOwnReferralsOperation = ownExport({
  id: "exportOwnReferrals",
  noun: "leads",
  note: "Addresses are masked.",
  list: ownLeads,
  within: ofPromoter,
  columns: ["id", "created_at", "state", "entry_source", "email", "customer_since", "sub_id", "campaign"],
  async linesOf({ context: { store } }, records) {
    const shown = await ownLeadAnswer.showAll(store, records);
    return shown.map((lead) => ({ ...lead, campaign: lead.promoter_campaign.campaign?.name ?? "" }));
  },
});

function ofPromoter({ promoter }: AffiliateRequest): Condition[] {
  return having(leads, { promoter_id: promoter.id });
}

const NAME_LENGTH = 100;

/** What a promoter says about a lead. */
const said = {
  first_name: field(word(NAME_LENGTH), "First name.", "Jane"),
  last_name: field(word(NAME_LENGTH), "Last name.", "Doe"),
  website: field(site, "Address of their web site.", "https://blog.example.com"),
  comment: field(text, schema.shape.comment),
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
    comment: field(said.comment.nullable(), schema.shape.comment),
  })
  .partial();

export const addOwnReferralOperation: AffiliateOperation = makes(ownLeadAnswer, {
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
  status: 200,
  body: createBody,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape: recordError({}, v2FieldError),
  run: (tx, { account, promoter, context }, body) =>
    proposeLead(tx, context, account, {
      promoter_id: promoter.id,
      promoter_campaign_id: body.promoter_campaign_id,
      email: body.email,
      first_name: body.first_name ?? null,
      last_name: body.last_name ?? null,
      website: body.website ?? null,
      comment: body.comment ?? null,
    }),
});

export const updateOwnReferralOperation: AffiliateOperation = changes(ownLeadAnswer, {
  id: "updateOwnReferral",
  summary: "Change what the promoter says about a lead that they added",
  description:
    "Changes what the promoter says about a lead that waits for approval. The address stays. What you leave out stays.",
  example: { comment: "Met at the fair in March." },
  body: updateBody,
  refusals: ["not_found", "invalid", "refused"],
  run: (tx, { promoter, context }, { id: leadId, changes: given }) =>
    updateProposal(tx, context, ownLead(promoter, leadId), given),
});

export const removeOwnReferralOperation: AffiliateOperation = {
  id: "deleteOwnReferral",
  summary: "Withdraw a lead that the promoter added",
  description: "Withdraws a lead that the promoter added and that waits for approval.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "refused"],
  async handle({ event, promoter, context }) {
    const wanted = ownLead(promoter, readPathId(event));
    await context.store.transact((tx) => removeProposal(tx, context, wanted));
    return null;
  },
};

function ownLead({ id: promoterId, account_id }: Promoter, leadId: number): OwnRecord {
  return { account_id, promoter_id: promoterId, id: leadId };
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
