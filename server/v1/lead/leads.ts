import { z } from "zod";
import { createLead as addLead } from "../../domain/people/lead/creation.ts";
import { findLeads, loadLead } from "../../domain/people/lead/search.ts";
import type { LeadSelector } from "../../domain/people/lead/lead.ts";
import {
  deleteLead as removeLead,
  updateLead as changeLead,
  type LeadChanges,
} from "../../domain/ledger/lead-changes.ts";
import { findScope } from "../../domain/people/promoter-campaign/search.ts";
import { email, flag, id, instant, oneOf, text } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { NOTHING } from "../../storage/query.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput, shapeFormChanges } from "../../input/shape.ts";
import { shapeSignup, signupParams } from "../../input/signup-params.ts";
import { newEmbedded } from "../promoter/promoter-parts.ts";
import {
  leadAnswer,
  leadRecordAnswer,
  leadRecordJson,
  showLead as showOne,
  V1_LEAD_STATES,
} from "./lead-json.ts";
import {
  LIST_STATUSES,
  listError,
  listParams,
  readListPage,
  readBelongingFilter,
  belongingParams,
} from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { field, message } from "../../http/fields.ts";

const USUAL_PER_PAGE = 50;

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

/** `GET /api/v1/leads/list` */
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
  handle: list,
};

/** `POST /api/v1/leads/create` @see docs/spec/v1.md "Leads" */
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

/** `GET` and `POST /api/v1/leads/show` */
export const showLead: V1Operation = {
  id: "v1ShowLead",
  summary: "Show a lead",
  description: "Finds one lead by id, `uid` or e-mail. Give one of them.",
  example: { uid: "cus_99" },
  params: selectorParams,
  answer: leadRecordAnswer,
  refusals: ["missing", "not_found", "invalid"],
  handle: show,
};

/** `PUT` and `POST /api/v1/leads/update` */
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

/** `DELETE /api/v1/leads/delete` */
export const deleteLead: V1Operation = {
  id: "v1DeleteLead",
  summary: "Delete a lead",
  description:
    "Removes a lead. Name it by `id`, `uid` or `email`. Its sales and commissions stay, and can be refunded by the sale's `event_id`.",
  params: selectorParams,
  answer: z.object({
    message: message,
  }),
  refusals: ["missing", "not_found", "invalid"],
  handle: remove,
};

async function list(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const page = readListPage(params, USUAL_PER_PAGE);
  const filter = readBelongingFilter(shapeInput(belongingParams, params));
  const scope = await findScope(context.store, account.id, filter);
  const { records, total } =
    scope === null ? NOTHING : await findLeads(context.store, account.id, { filter: scope, ...page });
  setPageHeaders(request, page, total);
  const embedded = newEmbedded(context.store, account.id);
  return Promise.all(records.map((lead) => leadRecordJson(lead, embedded)));
}

async function create({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const { promotion_id: promoterCampaignId = null } = shapeInput(createParams, given);
  return addLead(context, account, {
    ...shapeSignup(given),
    promoterCampaignId,
    entrySource: null,
    splits: null,
    show: showOne,
  });
}

async function show({ event, account, context: { store } }: V1Request) {
  const selector = readSelector(shapeInput(selectorParams, await readParams(event)));
  return showOne(store, await loadLead(store, account.id, selector));
}

async function update({ event, account, context }: V1Request) {
  const params = shapeFormChanges(updateParams, await readParams(event));
  return changeLead(context, account.id, {
    selector: readSelector(params),
    changes: readChanges(params),
    show: showOne,
  });
}

async function remove({ event, account, context }: V1Request) {
  const params = shapeInput(selectorParams, await readParams(event));
  await removeLead(context, account.id, readSelector(params));
  return { message: "Lead removed." };
}

function readSelector(params: z.output<typeof selectorParams>): LeadSelector {
  return { id: params.id ?? null, uid: params.uid ?? null, email: params.email ?? null };
}

function readChanges(params: z.output<typeof updateParams>): LeadChanges {
  return {
    email: params.new_email,
    uid: params.new_uid,
    planName: params.plan_name,
    customerSince: params.customer_since,
    state: params.state,
    refToken: params.new_ref_id,
    leavesCommissions: params.soft_switch ?? false,
  };
}
