import { z } from "zod";
import { createLead as addLead } from "../domain/people/lead/creation.ts";
import { IN_USE, loadLead } from "../domain/people/lead/search.ts";
import { leads, type LeadSelector, type Lead, type LeadState } from "../domain/people/lead/lead.ts";
import {
  deleteLead as removeLead,
  updateLead as changeLead,
  type LeadChanges,
} from "../domain/ledger/lead-changes.ts";
import { findScope } from "../domain/people/promoter-campaign/search.ts";
import { email, flag, id, instant, oneOf, text, customFields, subId, uid } from "../input/fields.ts";
import { readParams } from "../http/parameters/form.ts";
import { having, listed } from "../resource/list.ts";
import { NOTHING } from "../storage/query.ts";
import { setPageHeaders } from "../http/pages.ts";
import { shapeInput, shapeFormChanges } from "../input/shape.ts";
import { shapeSignup, signupParams } from "../input/signup-params.ts";
import { promoterSubsetAnswer, readOwners } from "./promoter-json.ts";
import {
  LIST_STATUSES,
  listError,
  listParams,
  readListPage,
  readBelongingFilter,
  belongingParams,
  type V1Operation,
  type V1Request,
} from "./operation.ts";
import { field, message, createdAt, recordId } from "../http/fields.ts";
import type { View } from "../storage/store.ts";
import { promotionAnswer } from "./promotion-json.ts";

const USUAL_PER_PAGE = 50;

/** The states of V1. */
const V1_LEAD_STATES = ["signup", "active", "subscribed", "cancelled", "denied"] as const;

/** @see docs/spec/v1.md "Sign-up result" */
export const leadAnswer = z
  .object({
    id: recordId,
    state: field(z.enum(V1_LEAD_STATES), "State of the record."),
    email: field(z.string().nullable(), "The lead's e-mail address.", "sam@example.net"),
    uid,
    customer_since: field(
      z.iso.datetime().nullable(),
      "When the lead became a customer, or null if they have not.",
      "2026-03-01T09:30:00.000Z",
    ),
    cancelled_at: field(z.iso.datetime().nullable(), "When the lead cancelled, or null if they did not."),
    plan_name: field(z.string().nullable(), "The plan that the lead pays for.", "pro"),
    suspicion: field(z.string(), "Why the lead is suspected of fraud.", "no_suspicion"),
    username: field(z.string().nullable(), "The lead's user name.", "sam"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    created_at: createdAt,
    split_promotion_id: field(
      z.int().nullable(),
      "The first promotion that gets a part of the commissions, or null if none does.",
      null,
    ),
    custom_fields: field(z.record(z.string(), z.unknown()).nullable(), customFields),
    split_percentage_value: field(
      z.number().nullable(),
      "That part, in percent, or null if there is none.",
      null,
    ),
    visitor_sub_id: subId,
  })
  .meta({ id: "V1LeadSummary" });

const selectorParams = z
  .object({
    id: field(id, "Id of the record.", 17),
    uid: field(text, leadAnswer.shape.uid),
    email: field(text, "The person's e-mail address.", "jane@example.com"),
  })
  .partial();

const createParams = signupParams
  .omit({ override_existing_lead: true })
  .extend({ promotion_id: field(id.optional(), "Id of the promotion (V2: promoter campaign).", 31) });

const updateParams = selectorParams.extend({
  new_uid: field(text.nullable().optional(), "The lead's new `uid`.", "cus_100"),
  new_email: field(email.nullable().optional(), "The lead's new e-mail address.", "sam.new@example.net"),
  new_ref_id: field(text.optional(), "Referral id of the promoter that the lead moves to.", "alex"),
  soft_switch: field(
    flag.optional(),
    "`true` leaves earlier commissions with the previous promoter. Default: `false`.",
  ),
  state: field(oneOf(V1_LEAD_STATES).optional(), "State of the record."),
  customer_since: field(instant.nullable().optional(), leadAnswer.shape.customer_since),
  plan_name: field(text.nullable().optional(), leadAnswer.shape.plan_name),
});

/** A lead with its promoter and promotion. @see docs/spec/v1.md "Leads" */
const leadRecordAnswer = leadAnswer
  .extend({
    promotion: field(
      promotionAnswer.schema.nullable(),
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
    promoter: field(promoterSubsetAnswer.schema.nullable(), "The promoter, or null if they were deleted."),
  })
  .meta({ id: "V1Lead" });

export const listLeads: V1Operation = {
  id: "v1ListLeads",
  summary: "List leads",
  description: "Lists leads, oldest first: all, or those of a promoter or campaign.",
  params: listParams(belongingParams, USUAL_PER_PAGE),
  answer: z.array(leadRecordAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  statuses: LIST_STATUSES,
  shape: listError,
  handle: listAll,
};

/** @see docs/spec/v1.md "Leads" */
export const createLead: V1Operation = {
  id: "v1CreateLead",
  summary: "Create a lead",
  description: "Adds a lead to a promoter. Give `email` or `uid`, and `promotion_id` or `ref_id`.",
  example: { email: "sam@example.net", ref_id: "jane" },
  params: createParams,
  answer: leadRecordAnswer,
  refusals: ["missing", "not_found", "invalid", "taken", "refused"],
  handle: create,
};

export const getLead: V1Operation = {
  id: "v1ShowLead",
  summary: "Show a lead",
  description: "Finds one lead by id, `uid` or e-mail. Give one of them.",
  example: { uid: "cus_99" },
  params: selectorParams,
  answer: leadRecordAnswer,
  refusals: ["missing", "not_found", "invalid"],
  handle: show,
};

export const updateLead: V1Operation = {
  id: "v1UpdateLead",
  summary: "Update a lead, or move it to another promoter",
  description:
    "Changes a lead, or moves it to another promoter (`new_ref_id`). Name the lead by `id`, `uid` or `email`.",
  example: { uid: "cus_99", state: "active", plan_name: "pro" },
  params: updateParams,
  answer: leadRecordAnswer,
  refusals: ["missing", "not_found", "invalid", "taken"],
  handle: update,
};

export const deleteLead: V1Operation = {
  id: "v1DeleteLead",
  summary: "Delete a lead",
  description:
    "Removes a lead. Name it by `id`, `uid` or `email`. Its sales and commissions stay, and can be refunded by the sale's `event_id`.",
  params: selectorParams,
  answer: z.object({
    message,
  }),
  refusals: ["missing", "not_found", "invalid"],
  handle: remove,
};

const leadList = listed(leads, { only: IN_USE })();

async function listAll(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const page = readListPage(params, USUAL_PER_PAGE);
  const filter = readBelongingFilter(shapeInput(belongingParams, params));
  const scope = await findScope(context.store, account.id, filter);
  const { records, total } =
    scope === null
      ? NOTHING
      : await leadList.find(context.store, account.id, { where: having(leads, scope), ...page });
  setPageHeaders(request, page, total);
  return showLeads(context.store, records);
}

async function create({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const { promotion_id: promoterCampaignId = null } = shapeInput(createParams, given);
  const own = { promoter_campaign_id: promoterCampaignId, entry_source: null, splits: null };
  const lead = { ...shapeSignup(given), ...own };
  return context.store.transact(async (tx) => showLead(tx.view, await addLead(tx, context, account, lead)));
}

async function show({ event, account, context: { store } }: V1Request) {
  const selector = readSelector(shapeInput(selectorParams, await readParams(event)));
  return showLead(store, await loadLead(store, account.id, selector));
}

async function update({ event, account, context }: V1Request) {
  const params = shapeFormChanges(updateParams, await readParams(event));
  const change = { selector: readSelector(params), changes: readChanges(params) };
  return context.store.transact(async (tx) =>
    showLead(tx.view, await changeLead(tx, context, account.id, change)),
  );
}

async function remove({ event, account, context }: V1Request) {
  const selector = readSelector(shapeInput(selectorParams, await readParams(event)));
  await context.store.transact((tx) => removeLead(tx, context, account.id, selector));
  return { message: "Lead removed." };
}

function readSelector(params: z.output<typeof selectorParams>): LeadSelector {
  return { id: params.id ?? null, uid: params.uid ?? null, email: params.email ?? null };
}

function readChanges(params: z.output<typeof updateParams>): LeadChanges {
  return {
    email: params.new_email,
    uid: params.new_uid,
    plan_id: params.plan_name,
    customer_since: params.customer_since,
    state: params.state,
    ref_token: params.new_ref_id,
    leavesCommissions: params.soft_switch ?? false,
  };
}

/** A lead as V1 shows it, with only the first of several splits. */
export function leadJson(lead: Lead): z.output<typeof leadAnswer> {
  const split = lead.splits?.[0];
  return {
    id: lead.id,
    state: v1LeadState(lead.state),
    email: lead.email,
    uid: lead.uid,
    customer_since: lead.customer_since,
    cancelled_at: lead.cancelled_at,
    plan_name: lead.plan_id,
    suspicion: lead.fraud_check,
    username: lead.username,
    website: lead.website,
    created_at: lead.created_at,
    split_promotion_id: split?.promoter_campaign_id ?? null,
    custom_fields: lead.custom_fields,
    split_percentage_value: split ? split.percent_ten_thousandths / 10_000 : null,
    visitor_sub_id: lead.sub_id,
  };
}

/** Shows a lead with its promoter and promotion. */
export async function showLead(view: View, lead: Lead): Promise<z.output<typeof leadRecordAnswer>> {
  return (await showLeads(view, [lead]))[0]!;
}

async function showLeads(view: View, records: Lead[]): Promise<z.output<typeof leadRecordAnswer>[]> {
  const ownersOf = await readOwners(view, records);
  return records.map((lead) => ({ ...leadJson(lead), ...ownersOf(lead) }));
}

type V1LeadState = (typeof V1_LEAD_STATES)[number];

/** V1 has no refunded or pending leads, so it shows a state with the same effect. */
function v1LeadState(state: LeadState): V1LeadState {
  if (state === "refunded") return "cancelled";
  return state === "pending" ? "signup" : state;
}
