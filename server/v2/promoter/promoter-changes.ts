import { z } from "zod";
import { Failure } from "../../failure.ts";
import type { Caller } from "../../request/caller.ts";
import { INVOICE_DETAILS_STATUSES, newProfile } from "../../domain/promoter/promoter.ts";
import { createPromoter } from "../../domain/promoter/creation.ts";
import { updatePromoter } from "../../domain/promoter/changes.ts";
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
import type { V2Operation, V2Request } from "../operation.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoterOf } from "./promoter-parts.ts";
import { profileChanges, profileParams } from "./promoter-profile.ts";
import { findBy, readSelection } from "./promoter-selection.ts";
import { recordError } from "../record-error.ts";

const custId = text.nullable();

const createBody = z
  .object({
    cust_id: custId,
    profile: profileParams,
    initial_campaign_id: id,
    drip_emails: flag,
    always_approve: flag,
  })
  .partial()
  .extend({ email });

/** Fields that are not given stay; blank text and null clear. */
const updateBody = z
  .object({
    email,
    find_by: findBy,
    cust_id: custId,
    note: longText.nullable(),
    custom_fields: jsonObject.nullable(),
    invoice_details_status: oneOf(INVOICE_DETAILS_STATUSES),
    net_payout_days: wholeNumber(0, 365).nullable(),
    tax_rate: taxRate,
    profile: profileParams,
  })
  .partial();

/** @see docs/spec/common.md "Errors" */
const shape = recordError({ custId: "cust_id" });

/** `POST /api/v2/company/promoters` */
export const createPromoterOperation: V2Operation = {
  summary: "Create a promoter",
  body: createBody,
  answer: promoterAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "taken"],
  shape,
  handle: create,
};

/** `PUT` and `PATCH /api/v2/company/promoters/{id}` */
export const updatePromoterOperation: V2Operation = {
  summary: "Update a promoter",
  params: z.object({ find_by: findBy }).partial(),
  body: updateBody,
  answer: promoterAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: update,
};

/**
 * Choice: `always_approve` is true by default, because V2's clients rely on it. The campaign's setting still
 * decides.
 */
async function create(request: V2Request) {
  const { event, account, context } = request;
  const body = shapeInput(createBody, await readJson(event));
  const show = showPromoterOf(request);
  return createPromoter(context, account, {
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
    show: (view, { promoter }) => show(view, promoter),
  });
}

/**
 * Choice: custom fields are replaced as a whole. The company's verdict on the invoice details is set here
 * too. The tax and the due day decide about money, so only owners set them.
 */
async function update(request: V2Request) {
  const { event, account, caller, context } = request;
  const body = shapeFormChanges(updateBody, { ...readQuery(event), ...(await readJson(event)) });
  const { tax_rate: taxRateHundredths, net_payout_days: netPayoutDays } = body;
  if (taxRateHundredths !== undefined || netPayoutDays !== undefined) requireOwner(caller);
  return updatePromoter(context, account.id, {
    selection: readSelection(event, body.find_by),
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
}

function requireOwner(caller: Caller): void {
  if (caller.kind === "key" || caller.user.role === "owner") return;
  throw new Failure("forbidden", "Only an owner sets tax_rate and net_payout_days");
}
