import { z } from "zod";
import { proposeLead, removeProposal, updateProposal } from "../../../domain/lead/creation.ts";
import { v2FieldError } from "../../../http/errors.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { id, text, word } from "../../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../../input/shape.ts";
import { readPathId } from "../../path-id.ts";
import { recordError } from "../../record-error.ts";
import type { AffiliateOperation } from "../operation.ts";
import { mailAddress, site } from "../own-fields.ts";
import { portalReferralAnswer, showOwnReferral } from "./referral-json.ts";

const NAME_LENGTH = 100;

/** A promoter's words about somebody. */
const said = { first_name: word(NAME_LENGTH), last_name: word(NAME_LENGTH), website: site, comment: text };
const createBody = z.object({
  promoter_campaign_id: id,
  email: mailAddress,
  ...z.object(said).partial().shape,
});
const updateBody = z
  .object({
    first_name: said.first_name.nullable(),
    last_name: said.last_name.nullable(),
    website: said.website.nullable(),
    comment: said.comment.nullable(),
  })
  .partial();

/** `POST /api/v2/affiliate/referrals` */
export const addOwnReferralOperation: AffiliateOperation = {
  summary: "Add a lead by hand, which waits for approval",
  body: createBody,
  answer: portalReferralAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape: recordError({}, v2FieldError),
  async handle({ event, account, promoter, context }) {
    const body = shapeInput(createBody, await readJson(event));
    return proposeLead(context, account, {
      promoterId: promoter.id,
      promoterCampaignId: body.promoter_campaign_id,
      email: body.email,
      firstName: body.first_name ?? null,
      lastName: body.last_name ?? null,
      website: body.website ?? null,
      comment: body.comment ?? null,
      show: showOwnReferral,
    });
  },
};

/** `PUT /api/v2/affiliate/referrals/{id}` */
export const updateOwnReferralOperation: AffiliateOperation = {
  summary: "Change what the promoter says about a lead that they added",
  body: updateBody,
  answer: portalReferralAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, promoter, context }) {
    const body = shapeChanges(updateBody, await readJson(event));
    const wanted = { accountId: promoter.accountId, promoterId: promoter.id, id: readPathId(event) };
    return updateProposal(context, wanted, {
      firstName: body.first_name,
      lastName: body.last_name,
      website: body.website,
      comment: body.comment,
      show: showOwnReferral,
    });
  },
};

/** `DELETE /api/v2/affiliate/referrals/{id}` */
export const removeOwnReferralOperation: AffiliateOperation = {
  summary: "Take back a lead that the promoter added",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "refused"],
  async handle({ event, promoter, context }) {
    await removeProposal(context, {
      accountId: promoter.accountId,
      promoterId: promoter.id,
      id: readPathId(event),
    });
    return null;
  },
};
