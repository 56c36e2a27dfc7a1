import { z } from "zod";
import { Failure } from "../../failure.ts";
import type { Caller } from "../../request/caller.ts";
import {
  INVOICE_DETAILS_STATUSES,
  newProfile,
  type Promoter,
} from "../../domain/people/promoter/promoter.ts";
import { createPromoter, assignParent, loadParent } from "../../domain/people/promoter/creation.ts";
import { updatePromoter, archivePromoter, restorePromoter } from "../../domain/people/promoter/changes.ts";
import {
  email,
  flag,
  id,
  jsonObject,
  longText,
  oneOf,
  taxRate,
  text,
  wholeNumber,
} from "../../input/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeFormChanges, shapeInput } from "../../input/shape.ts";
import { payoutMethods } from "../../domain/ledger/payout-method/payout-method.ts";
import type { Transaction } from "../../storage/store.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";
import { promoterAnswer, showPromoter } from "./promoter-json.ts";
import { profileChanges, profileParams } from "./promoter-profile.ts";
import { findBy, pathId, readSelection } from "./promoters.ts";
import { field } from "../../http/fields.ts";
import { runBatch } from "../../domain/batch.ts";
import { loadCampaign } from "../../domain/program/campaign/campaign.ts";
import type { Context } from "../../domain/context.ts";
import {
  addToCampaign,
  moveToCampaign,
  setPromoterCampaignState,
} from "../../domain/people/promoter-campaign/changes.ts";
import { byId } from "../../domain/people/promoter/search.ts";
import type { Introduced } from "../../http/operation.ts";
import type { PromoterCampaignState } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { BATCH, batchAnswer, idsBody } from "../batch/batch-processes.ts";

const custId = field(text.nullable(), promoterAnswer.schema.shape.cust_id);

const createBody = z
  .object({
    cust_id: custId,
    profile: field(profileParams, "The promoter's own details."),
    initial_campaign_id: field(id, "Campaign that the promoter joins. Default: the default campaign.", 1),
    drip_emails: field(flag, "Whether the promoter gets e-mails about this. Default: `true`."),
    always_approve: field(
      flag,
      "`true` approves the promoter despite a fraud suspicion, if the campaign approves automatically.",
    ),
  })
  .partial()
  .extend({ email: field(email, promoterAnswer.schema.shape.email) });

/** Fields that are left out stay; blank text and null clear them. */
const updateBody = z
  .object({
    email: field(email, promoterAnswer.schema.shape.email),
    find_by: findBy,
    cust_id: custId,
    note: field(longText.nullable(), promoterAnswer.schema.shape.note),
    custom_fields: field(jsonObject.nullable(), promoterAnswer.schema.shape.custom_fields),
    invoice_details_status: field(
      oneOf(INVOICE_DETAILS_STATUSES),
      promoterAnswer.schema.shape.invoice_details_status,
    ),
    net_payout_days: field(
      wholeNumber(0, 365).nullable(),
      "Days from the end of a payout's period to its due date.",
      30,
    ),
    tax_rate: field(taxRate, "Tax in percent.", 19),
    profile: field(profileParams, "The promoter's own details."),
  })
  .partial();

/** @see docs/spec/common.md "Errors" */
const shape = recordError();

export const createPromoterOperation: V2Operation = {
  id: "createPromoter",
  summary: "Create a promoter",
  description: "Adds a promoter to a campaign: the default one, unless `initial_campaign_id` names another.",
  example: {
    email: "jane@example.com",
    cust_id: "user-4711",
    profile: { first_name: "Jane", last_name: "Doe" },
  },
  body: createBody,
  answer: promoterAnswer.schema,
  status: 201,
  refusals: ["not_found", "invalid", "taken"],
  shape,
  handle: create,
};

export const updatePromoterOperation: V2Operation = {
  id: "updatePromoter",
  summary: "Update a promoter",
  description: "Changes a promoter. What you leave out stays.",
  example: { cust_id: "user-4712" },
  pathId,
  params: z.object({ find_by: findBy }).partial(),
  body: updateBody,
  answer: promoterAnswer.schema,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: update,
};

/**
 * `always_approve` is true by default, because clients of V2 rely on it. The campaign's setting still applies, except to
 * signed-in users, who would otherwise have to approve their own promoter.
 */
async function create(request: V2Request) {
  const { event, account, caller, context, inquireVat } = request;
  const body = shapeInput(createBody, await readJson(event));
  const input = {
    email: body.email,
    cust_id: body.cust_id ?? null,
    ref_token: null,
    coupon: null,
    display_coupon: null,
    campaign_id: body.initial_campaign_id ?? null,
    temp_password_hash: null,
    landing_url: null,
    uses_url_tracking: false,
    parent_promoter_id: null,
    parentPromoterEmail: null,
    note: null,
    profile: newProfile(profileChanges(body.profile ?? {})),
    created_at: null,
    skip_email_notification: !(body.drip_emails ?? true),
    alwaysApprove: body.always_approve ?? true,
    address: null,
    isInvited: caller.kind === "user",
  };
  const created = await context.store.transact(async (tx) => {
    const { promoter } = await createPromoter(tx, context, account, input);
    return showPromoter(request, tx.view, promoter);
  });
  inquireVat(created);
  return created;
}

/**
 * Custom fields are replaced as a whole. `invoice_details_status` is changed here, too. Only owners set tax and due
 * days, because they affect payments.
 */
async function update(request: V2Request) {
  const { event, account, caller, context, inquireVat } = request;
  const body = shapeFormChanges(updateBody, { ...readQuery(event), ...(await readJson(event)) });
  const { tax_rate: taxRateHundredths, net_payout_days } = body;
  if (taxRateHundredths !== undefined || net_payout_days !== undefined) requireOwner(caller);
  const { email: mailbox } = body;
  const wanted = {
    selection: readSelection(event, body.find_by),
    changes: {
      email: body.email,
      cust_id: body.cust_id,
      note: body.note,
      custom_fields: body.custom_fields,
      invoice_details_status: body.invoice_details_status,
      net_payout_days,
      tax_rate_hundredths: taxRateHundredths,
      profile: profileChanges(body.profile ?? {}),
    },
    ...(mailbox !== undefined &&
      !seesPayoutDetails(caller) && {
        permit: (tx: Transaction, promoter: Promoter) => refuseNewMailbox(tx, promoter, mailbox),
      }),
  };
  const updated = await context.store.transact(async (tx) =>
    showPromoter(request, tx.view, await updatePromoter(tx, context, account.id, wanted)),
  );
  inquireVat(updated);
  return updated;
}

/**
 * Otherwise a user who may not see bank accounts could have the links that sign the promoter in.
 *
 * @throws Failure `forbidden`
 */
async function refuseNewMailbox({ view }: Transaction, promoter: Promoter, wanted: string): Promise<void> {
  if (promoter.email === wanted) return;
  if ((await view.count(payoutMethods, "promoter", promoter.account_id, [promoter.id])) === 0) return;
  throw new Failure(
    "forbidden",
    "Only an owner or an API key changes the e-mail address of a promoter who has a payout method",
  );
}

function requireOwner(caller: Caller): void {
  if (caller.kind === "key" || caller.user.role === "owner") return;
  throw new Failure("forbidden", "Only an owner sets tax_rate and net_payout_days");
}

const campaignBody = idsBody.extend({ campaign_id: field(id, "Id of the campaign.", 1) });
const addBody = campaignBody.extend({
  drip_emails: field(flag.optional(), "Whether the promoter gets e-mails about this. Default: `true`."),
});
const parentBody = idsBody.extend({
  parent_promoter_id: field(id, "Id of the promoter who recruited this one.", 12),
});
const moveBody = idsBody.extend({
  from_campaign_id: field(id, "Campaign that the promoters leave.", 1),
  to_campaign_id: field(id, "Campaign that the promoters move to.", 2),
  drip_emails: field(flag.optional(), addBody.shape.drip_emails),
  soft_move_referrals: field(
    flag.optional(),
    "Whether their leads move too. Commissions stay. Default: `false`.",
  ),
});

/** A batch operation, and its work on a single promoter. */
interface Action<Body> extends Introduced {
  /** The last part of the path and of the batch's label. */
  name: string;
  body: z.ZodObject & z.ZodType<Body>;
  /** Loads the campaigns and promoters that the batch needs, before it starts. */
  requires?: (context: Context, accountId: number, body: Body) => Promise<unknown>;
  work: (context: Context, accountId: number, each: Body & { promoter_id: number }) => Promise<unknown>;
}

function batchOperation<Body extends { ids: number[] }>(action: Action<Body>): V2Operation {
  return {
    id: action.id,
    summary: action.summary,
    description: `${action.description} ${BATCH}`,
    body: action.body,
    answer: batchAnswer.schema,
    refusals: ["not_found", "invalid"],
    handle: async ({ event, account, context }: V2Request) => {
      const body: Body = shapeInput(action.body, await readJson(event));
      await action.requires?.(context, account.id, body);
      const batch = await runBatch(context, account.id, {
        label: `promoter/${action.name}`,
        ids: body.ids,
        work: (promoterId) => action.work(context, account.id, { ...body, promoter_id: promoterId }),
      });
      return batchAnswer.json(batch);
    },
  };
}

/** `accept`, `reject` and `block` set the state of a promoter's promoterCampaign in one campaign. */
function stateOperation(
  name: string,
  { state, ...texts }: { state: PromoterCampaignState } & Pick<Introduced, "id" | "description">,
): V2Operation {
  return batchOperation({
    ...texts,
    name,
    summary: `Set the state of promoters in a campaign to ${state}`,
    body: campaignBody,
    requires: ({ store }, accountId, body) => loadCampaign(store, accountId, body.campaign_id),
    work: (context, accountId, { promoter_id, campaign_id }) =>
      context.store.transact((tx) =>
        setPromoterCampaignState(tx, context, accountId, { promoter_id, campaign_id, state }),
      ),
  });
}

/** The batches under `/api/v2/company/promoters`, by the last part of their path. */
export const PROMOTER_BATCHES: Record<string, V2Operation> = {
  accept: stateOperation("accept", {
    id: "acceptPromoters",
    description: "Accepts promoters in a campaign, so that they can refer.",
    state: "accepted",
  }),
  reject: stateOperation("reject", {
    id: "rejectPromoters",
    description: "Rejects promoters in a campaign.",
    state: "rejected",
  }),
  block: stateOperation("block", {
    id: "blockPromoters",
    description: "Blocks promoters in a campaign: clicks, leads and commissions stop.",
    state: "blocked",
  }),
  archive: batchOperation({
    id: "archivePromoters",
    name: "archive",
    summary: "Archive promoters",
    description: "Archives promoters: they keep their history but can't refer any more.",
    body: idsBody,
    work: (context, accountId, { promoter_id }) =>
      context.store.transact((tx) => archivePromoter(tx, context, accountId, promoter_id)),
  }),
  restore: batchOperation({
    id: "restorePromoters",
    name: "restore",
    summary: "Restore archived promoters",
    description: "Restores archived promoters.",
    body: idsBody,
    work: (context, accountId, { promoter_id }) =>
      context.store.transact((tx) => restorePromoter(tx, context, accountId, promoter_id)),
  }),
  move_to_campaign: batchOperation({
    id: "movePromotersToCampaign",
    name: "move_to_campaign",
    summary: "Move promoters from one campaign to another",
    description: "Moves promoters from one campaign to another.",
    body: moveBody,
    requires: async ({ store }, accountId, body) => {
      await loadCampaign(store, accountId, body.from_campaign_id);
      await loadCampaign(store, accountId, body.to_campaign_id);
    },
    work: (context, accountId, each) =>
      moveToCampaign(context, accountId, {
        selection: byId(each.promoter_id),
        fromCampaignId: each.from_campaign_id,
        toCampaignId: each.to_campaign_id,
        moves_leads: each.soft_move_referrals ?? false,
      }),
  }),
  add_to_campaign: batchOperation({
    id: "addPromotersToCampaign",
    name: "add_to_campaign",
    summary: "Add promoters to one more campaign",
    description: "Adds promoters to one more campaign.",
    body: addBody,
    requires: ({ store }, accountId, body) => loadCampaign(store, accountId, body.campaign_id),
    work: (context, accountId, { promoter_id, campaign_id }) =>
      context.store.transact((tx) =>
        addToCampaign(tx, context, accountId, { selection: byId(promoter_id), campaign_id }),
      ),
  }),
  assign_parent: batchOperation({
    id: "assignParentPromoter",
    name: "assign_parent",
    summary: "Set the parent of promoters",
    description:
      "Sets the promoter who recruited the others: their parent, who may earn a share of their sales.",
    body: parentBody,
    requires: ({ store }, accountId, body) => loadParent(store, accountId, body.parent_promoter_id),
    work: (context, accountId, { promoter_id, parent_promoter_id }) =>
      context.store.transact((tx) =>
        assignParent(tx, context, accountId, { promoter_id, parent_promoter_id }),
      ),
  }),
};
