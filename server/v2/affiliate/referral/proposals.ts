import { z } from "zod";
import { proposeLead, removeProposal, updateProposal } from "../../../domain/people/lead/creation.ts";
import { v2FieldError } from "../../../http/errors.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { id, text, word } from "../../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../../input/shape.ts";
import { readPathId } from "../../path-id.ts";
import { recordError } from "../../record-error.ts";
import type { AffiliateOperation } from "../operation.ts";
import { mailAddress, site } from "../own-fields.ts";
import { portalReferralAnswer, showOwnReferral } from "./referral-json.ts";
import { field } from "../../../http/fields.ts";

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
  id: "deleteOwnReferral",
  summary: "Withdraw a lead that the promoter added",
  description: "Withdraws a lead that the promoter added and that waits for approval.",
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
