import { z } from "zod";
import { Failure } from "../../failure.ts";
import type { Caller } from "../../request/caller.ts";
import { INVOICE_DETAILS_STATUSES, newProfile } from "../../domain/people/promoter/promoter.ts";
import { createPromoter } from "../../domain/people/promoter/creation.ts";
import { updatePromoter } from "../../domain/people/promoter/changes.ts";
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
import { loadSelected, type Selection } from "../../domain/people/promoter/search.ts";
import type { Store } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoterOf } from "./promoter-parts.ts";
import { profileChanges, profileParams } from "./promoter-profile.ts";
import { findBy, pathId, readSelection } from "./promoter-selection.ts";
import { recordError } from "../record-error.ts";
import { field } from "../../http/fields.ts";

const custId = field(text.nullable(), promoterAnswer.shape.cust_id);

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
  .extend({ email: field(email, promoterAnswer.shape.email) });

/** Fields that are left out stay; blank text and null clear them. */
const updateBody = z
  .object({
    email: field(email, promoterAnswer.shape.email),
    find_by: findBy,
    cust_id: custId,
    note: field(longText.nullable(), promoterAnswer.shape.note),
    custom_fields: field(jsonObject.nullable(), promoterAnswer.shape.custom_fields),
    invoice_details_status: field(
      oneOf(INVOICE_DETAILS_STATUSES),
      promoterAnswer.shape.invoice_details_status,
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
const shape = recordError({ custId: "cust_id" });

/** `POST /api/v2/company/promoters` */
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
  answer: promoterAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "taken"],
  shape,
  handle: create,
};

/** `PUT` and `PATCH /api/v2/company/promoters/{id}` */
export const updatePromoterOperation: V2Operation = {
  id: "updatePromoter",
  summary: "Update a promoter",
  description: "Changes a promoter. What you leave out stays.",
  example: { cust_id: "user-4712" },
  pathId,
  params: z.object({ find_by: findBy }).partial(),
  body: updateBody,
  answer: promoterAnswer,
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
  const show = showPromoterOf(request);
  const created = await createPromoter(context, account, {
    email: body.email,
    custId: body.cust_id ?? null,
    refToken: null,
    coupon: null,
    displayCoupon: null,
    campaignId: body.initial_campaign_id ?? null,
    tempPasswordHash: null,
    landingUrl: null,
    usesUrlTracking: false,
    parentPromoterId: null,
    parentPromoterEmail: null,
    note: null,
    profile: newProfile(profileChanges(body.profile ?? {})),
    createdAt: null,
    skipEmailNotification: !(body.drip_emails ?? true),
    alwaysApprove: body.always_approve ?? true,
    address: null,
    ...(caller.kind === "user" && { invite: async () => {} }),
    show: (view, { promoter }) => show(view, promoter),
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
  const { tax_rate: taxRateHundredths, net_payout_days: netPayoutDays } = body;
  if (taxRateHundredths !== undefined || netPayoutDays !== undefined) requireOwner(caller);
  const selection = readSelection(event, body.find_by);
  if (body.email !== undefined && !seesPayoutDetails(caller))
    await refuseNewMailbox(context.store, account.id, { selection, email: body.email });
  const updated = await updatePromoter(context, account.id, {
    selection,
    changes: {
      email: body.email,
      custId: body.cust_id,
      note: body.note,
      customFields: body.custom_fields,
      invoiceDetailsStatus: body.invoice_details_status,
      netPayoutDays,
      taxRateHundredths,
      profile: profileChanges(body.profile ?? {}),
    },
    show: showPromoterOf(request),
  });
  inquireVat(updated);
  return updated;
}

/**
 * Otherwise a user who may not see bank accounts could have the links that sign the promoter in.
 *
 * @throws Failure `forbidden`, `not_found`
 */
async function refuseNewMailbox(
  store: Store,
  accountId: number,
  { selection, email: wanted }: { selection: Selection; email: string },
): Promise<void> {
  const { promoter } = await store.transact((tx) => loadSelected(tx, accountId, selection));
  if (promoter.email === wanted) return;
  if ((await store.count(payoutMethods, "promoter", accountId, [promoter.id])) === 0) return;
  throw new Failure(
    "forbidden",
    "Only an owner or an API key changes the e-mail address of a promoter who has a payout method",
  );
}

function requireOwner(caller: Caller): void {
  if (caller.kind === "key" || caller.user.role === "owner") return;
  throw new Failure("forbidden", "Only an owner sets tax_rate and net_payout_days");
}
