import { z } from "zod";
import { importEvents } from "../../billing/sync.ts";
import { recordBatch } from "../../domain/batch.ts";
import { createLead } from "../../domain/people/lead/creation.ts";
import { findLeads, loadLead } from "../../domain/people/lead/search.ts";
import { updateLead, type LeadChanges } from "../../domain/ledger/lead-changes.ts";
import { showAll } from "../../domain/show.ts";
import { Failure } from "../../failure.ts";
import { statusOf, v2Error, v2FieldError } from "../../http/errors.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { describe, shapeChanges, shapeInput } from "../../input/shape.ts";
import { batchAnswer, batchJson } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { recordError } from "../record-error.ts";
import { referralAnswer, showReferral } from "./referral-json.ts";
import {
  createBody,
  findParams,
  leadFilter,
  listParams,
  pathId,
  readSelector,
  updateBody,
  type FindBy,
} from "./referral-params.ts";

/** For referrals, every 422 has `errors`. */
const shape = recordError({ splits: "split_details" }, (failure, headers) =>
  (statusOf("v2", failure.kind) === 422 ? v2FieldError : v2Error)(failure, headers),
);

/** `GET /api/v2/company/referrals` */
export const listReferralsOperation: V2Operation = {
  id: "listReferrals",
  summary: "List referrals",
  description: "Lists leads, with filters. V2 calls them referrals.",
  params: listParams,
  answer: z.array(referralAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `POST /api/v2/company/referrals`. It answers 200; other creations answer 201. */
export const createReferralOperation: V2Operation = {
  id: "createReferral",
  summary: "Create a referral",
  description: "Adds a lead to a promoter by hand. Give `email` or `uid`.",
  example: { email: "sam@example.net", promoter_campaign_id: 31 },
  body: createBody,
  answer: referralAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/referrals/{id}` */
export const getReferralOperation: V2Operation = {
  id: "getReferral",
  summary: "Get a referral",
  description: "Finds one lead: by id, or by the attribute that `find_by` names.",
  pathId,
  params: findParams,
  answer: referralAnswer,
  refusals: ["not_found", "invalid"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/referrals/{id}`. `find_by` may be in the query or in the body. */
export const updateReferralOperation: V2Operation = {
  id: "updateReferral",
  summary: "Update a referral",
  description:
    "Changes a lead, or moves it to another promoter. What you leave out stays. Commissions stay with the promoter who earned them.",
  example: { uid: "cus_99", split_details: [{ promoter_campaign_id: 32, percentage: 25 }] },
  pathId,
  params: findParams,
  body: updateBody,
  answer: referralAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: update,
};

/** `POST /api/v2/company/referrals/{id}/import_events` */
export const importEventsOperation: V2Operation = {
  id: "importReferralEvents",
  summary: "Import a referral's earlier sales from the billing provider",
  description: "Fetches a customer's earlier sales from your billing provider.",
  pathId,
  params: findParams,
  answer: batchAnswer,
  status: 202,
  refusals: ["not_found", "invalid", "refused"],
  shape,
  handle: importSales,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  // Sorted by id, the order in which the leads came, because an import may set earlier dates.
  const reverse = params.sorting.created_at === "desc";
  const found = await findLeads(context.store, account.id, {
    filter: leadFilter(params),
    reverse,
    ...window,
  });
  setPageHeaders(request, page, found.total);
  return showAll(context.store, found.records, showReferral);
}

async function create({ event, account, context }: V2Request) {
  const body = shapeInput(createBody, await readJson(event));
  const { email = null, uid = null, username = null } = body;
  if (email === null && uid === null) {
    const fields = { email: ["can't be blank without a uid"] };
    throw new Failure("invalid", describe(fields), fields);
  }
  const others = { firstName: null, lastName: null, website: null, customFields: null, subId: null };
  return createLead(context, account, {
    details: { email, uid, username, ...others },
    promoterCampaignId: body.promoter_campaign_id,
    splits: body.split_details?.length ? body.split_details : null,
    entrySource: "manual_admin",
    tid: null,
    refToken: null,
    promoterEmail: null,
    address: null,
    createdAt: null,
    skipEmailNotification: false,
    show: showReferral,
  });
}

async function get(request: V2Request) {
  const { store } = request.context;
  return showReferral(store, await loadLead(store, request.account.id, await selectorOf(request)));
}

async function update(request: V2Request) {
  const { event, account, context } = request;
  const body = shapeChanges(updateBody, await readJson(event));
  const selector = await selectorOf(request, body.find_by);
  return updateLead(context, account.id, { selector, changes: changesOf(body), show: showReferral });
}

async function importSales(request: V2Request) {
  const { account, context } = request;
  const lead = await loadLead(context.store, account.id, await selectorOf(request));
  const { events: total, faults: errors } = await importEvents(context, account, lead);
  return batchJson(
    await recordBatch(context, account.id, { label: "referral/import_events", total, errors }),
  );
}

function selectorOf({ event, account, context: { store } }: V2Request, by?: FindBy) {
  const { find_by } = shapeInput(findParams, readQuery(event));
  return readSelector(event, by ?? find_by, { store, accountId: account.id });
}

/** Commissions stay with the promoter who earned them; `move_to_promoter` can move them. */
function changesOf(body: z.output<typeof updateBody>): LeadChanges {
  return {
    email: body.email,
    uid: body.uid,
    username: body.username,
    promoterCampaignId: body.promoter_campaign_id,
    suspicion: body.fraud_check,
    customStatusId: body.custom_status_id,
    splits: body.split_details?.length === 0 ? null : body.split_details,
    leavesCommissions: true,
  };
}
