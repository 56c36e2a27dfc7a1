import { z } from "zod";
import type { H3Event } from "h3";
import { importEvents } from "../../billing/sync.ts";
import { recordBatch } from "../../domain/batch.ts";
import { createLead } from "../../domain/people/lead/creation.ts";
import {
  findLeadByUsername,
  hasCustomStatus,
  IN_USE,
  isInState,
  isOfType,
  loadLead,
  mentions,
} from "../../domain/people/lead/search.ts";
import { updateLead, type LeadChanges } from "../../domain/ledger/lead-changes.ts";
import { Failure } from "../../failure.ts";
import { statusOf, v2Error, v2FieldError } from "../../http/errors.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { describe, shapeChanges, shapeInput } from "../../input/shape.ts";
import { batchAnswer, idsBody } from "../batch/batch-processes.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { ids, listed } from "../../resource/list.ts";
import { readPathId, period } from "../../resource/listing.ts";
import { lists, makes } from "../../resource/operations.ts";
import { referralAnswer } from "./referral-json.ts";
import { findRecordId } from "../../domain/program/migration/source-id.ts";
import {
  ENTRY_SOURCES,
  FRAUD_SUSPICIONS,
  LEAD_STATES,
  leads,
  type LeadSelector,
  type Split,
} from "../../domain/people/lead/lead.ts";
import { email, flag, id, listOf, oneOf, tenThousandths, text } from "../../input/fields.ts";
import { readPathSegment } from "../../http/path.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { field } from "../../http/fields.ts";

/** For referrals, every 422 has `errors`. */
const shape = recordError({ splits: "split_details" }, (failure, headers) =>
  (statusOf("v2", failure.kind) === 422 ? v2FieldError : v2Error)(failure, headers),
);

const suspicion = oneOf(["no_suspicion", ...FRAUD_SUSPICIONS]);

/** @see docs/spec/v2.md "List referrals" */
const referralList = listed(leads, { only: IN_USE })({
  params: {
    q: [
      field(
        text.optional(),
        "Text to search for in e-mail addresses, uids, names and websites.",
        "sam@example.net",
      ),
      mentions,
    ],
    ids,
  },
  filters: {
    type: [
      field(oneOf(["lead", "customer"]), "`lead`: not a customer yet. `customer`: has bought something."),
      isOfType,
    ],
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    state: [
      field(
        oneOf([...LEAD_STATES, "not_denied", "moved"]),
        "Only records in this state. `not_set`: in no campaign.",
      ),
      isInState,
    ],
    entry_source: field(listOf(oneOf(ENTRY_SOURCES)), "Only leads that came in one of these ways."),
    fraud_check: field(listOf(suspicion), "Only leads with one of these suspicions."),
    customer_since: field(period, "When the lead became a customer."),
    created_at: field(period, "When the lead was recorded."),
    cancelled_at: field(period, "When the lead cancelled."),
    custom_status_id: [
      field(listOf(id), "Only leads with one of these statuses of the company.", [3]),
      hasCustomStatus,
    ],
    plan_id: field(listOf(text), "The sold prices or plans, by your own ids.", ["pro-monthly"]),
  },
  // By id, the order in which the leads came, because an import may set earlier dates.
  sorting: { created_at: ["In the order in which the leads came.", "id"] },
});

export const listReferralsOperation: V2Operation = lists(referralAnswer, {
  id: "listReferrals",
  summary: "List referrals",
  description: "Lists leads, with filters. V2 calls them referrals.",
  list: referralList,
});

const MAX_SPLITS = 50;

const split = z
  .object(
    {
      promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
      percentage: field(tenThousandths, "The part of each commission, in percent.", 25),
    },
    "is invalid",
  )
  .transform(({ promoter_campaign_id, percentage }): Split => ({
    promoter_campaign_id,
    percent_ten_thousandths: percentage,
  }));

/** The parts of a lead's commissions that go to others. A single part may be sent without a list. */
const splits = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : value),
  z.array(split, "is invalid").max(MAX_SPLITS, `is too long (maximum is ${MAX_SPLITS} entries)`),
);

const username = text.trim();

/** The body of a new referral. */
const createBody = z.object({
  email: field(email.optional(), "The person's e-mail address.", "jane@example.com"),
  uid: field(text.optional(), referralAnswer.schema.shape.uid),
  username: field(username.optional(), "The lead's user name.", "sam"),
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  split_details: field(splits.optional(), "The parts of commissions that go to others."),
});

/** It answers 200; other creations answer 201. */
export const createReferralOperation: V2Operation = makes(referralAnswer, {
  id: "createReferral",
  summary: "Create a referral",
  description: "Adds a lead to a promoter by hand. Give `email` or `uid`.",
  example: { email: "sam@example.net", promoter_campaign_id: 31 },
  status: 200,
  body: createBody,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  run: create,
});

/** The attributes that the path's value may be matched against. */
const findBy = field(
  oneOf(["id", "email", "uid", "username", "source_id"]),
  "Which attribute the id in the path is matched against. `source_id`: the id in the program that the company came from. Default: `id`.",
);
export const findParams = z.object({
  find_by: findBy.optional(),
});

/** The lead's id, or another attribute, in the path. */
export const pathId = field(z.string(), "The lead's id, or the attribute that `find_by` names.", "17");

export const getReferralOperation: V2Operation = {
  id: "getReferral",
  summary: "Get a referral",
  description: "Finds one lead: by id, or by the attribute that `find_by` names.",
  pathId,
  params: findParams,
  answer: referralAnswer.schema,
  refusals: ["not_found", "invalid"],
  handle: get,
};

/** The changes to a referral. Null clears. */
const updateBody = z
  .object({
    email: field(email.nullable(), createBody.shape.email),
    uid: field(text.nullable(), referralAnswer.schema.shape.uid),
    username: field(username.nullable(), "The lead's user name.", "sam"),
    promoter_campaign_id: field(id, "Id of the promoter campaign that gets the lead.", 31),
    find_by: findBy,
    fraud_check: field(suspicion, "Why the lead is suspected of fraud."),
    custom_status_id: field(id.nullable(), "Id of a custom referral status, or null for none.", 3),
    split_details: field(splits.nullable(), "The parts that go to others. An empty list removes them."),
  })
  .partial();

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
  answer: referralAnswer.schema,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: update,
};

export const importEventsOperation: V2Operation = {
  id: "importReferralEvents",
  summary: "Import a referral's earlier sales from the billing provider",
  description: "Fetches a customer's earlier sales from your billing provider.",
  pathId,
  params: findParams,
  answer: batchAnswer.schema,
  status: 202,
  refusals: ["not_found", "invalid", "refused"],
  shape,
  handle: importSales,
};

function create(tx: Transaction, { account, context }: V2Request, body: z.output<typeof createBody>) {
  const { email = null, uid = null, username = null } = body;
  if (email === null && uid === null) {
    const fields = { email: ["can't be blank without a uid"] };
    throw new Failure("invalid", describe(fields), fields);
  }
  const others = { first_name: null, last_name: null, website: null, custom_fields: null, sub_id: null };
  return createLead(tx, context, account, {
    details: { email, uid, username, ...others },
    promoter_campaign_id: body.promoter_campaign_id,
    splits: body.split_details?.length ? body.split_details : null,
    entry_source: "manual_admin",
    tid: null,
    ref_token: null,
    promoterEmail: null,
    address: null,
    created_at: null,
    skip_email_notification: false,
  });
}

async function get(request: V2Request) {
  const { store } = request.context;
  return referralAnswer.show(store, await loadLead(store, request.account.id, await selectorOf(request)));
}

async function update(request: V2Request) {
  const { event, account, context } = request;
  const body = shapeChanges(updateBody, await readJson(event));
  const selector = await selectorOf(request, body.find_by);
  const change = { selector, changes: changesOf(body) };
  return context.store.transact(async (tx) =>
    referralAnswer.show(tx.view, await updateLead(tx, context, account.id, change)),
  );
}

async function importSales(request: V2Request) {
  const { account, context } = request;
  const lead = await loadLead(context.store, account.id, await selectorOf(request));
  const { events: total, faults: errors } = await importEvents(context, account, lead);
  return batchAnswer.json(
    await recordBatch(context, account.id, { label: "referral/import_events", total, errors }),
  );
}

function selectorOf({ event, account, context: { store } }: V2Request, by?: FindBy) {
  const { find_by } = shapeInput(findParams, readQuery(event));
  return readSelector(event, by ?? find_by, { store, account_id: account.id });
}

/** Commissions stay with the promoter who earned them; `move_to_promoter` can move them. */
function changesOf(body: z.output<typeof updateBody>): LeadChanges {
  return {
    email: body.email,
    uid: body.uid,
    username: body.username,
    promoter_campaign_id: body.promoter_campaign_id,
    fraud_check: body.fraud_check,
    custom_status_id: body.custom_status_id,
    splits: body.split_details?.length === 0 ? null : body.split_details,
    leavesCommissions: true,
  };
}
/** No lead has this id. */
const NO_LEAD = 0;

type FindBy = z.output<typeof findBy>;

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
  { store, account_id }: { store: Store; account_id: number },
): Promise<LeadSelector> {
  const selector = { id: null, uid: null, email: null };
  const value = readPathSegment(event, "id").trim();
  if (by === "email" || by === "uid") return { ...selector, [by]: value };
  if (by === "source_id") {
    const found = await findRecordId(store, account_id, { kind: "customer", source_id: value });
    return { ...selector, id: found ?? NO_LEAD };
  }
  if (by !== "username") return { ...selector, id: readPathId(event) };
  return { ...selector, id: (await findLeadByUsername(store, account_id, value))?.id ?? NO_LEAD };
}
