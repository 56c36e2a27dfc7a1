import { z } from "zod";
import { checkSignup, isInvited } from "../../domain/campaign/signup-page.ts";
import { keepPassword } from "../../domain/password/password.ts";
import { joinProgram, loadOpenCampaign } from "../../domain/portal/join.ts";
import { Failure } from "../../failure.ts";
import { readJson } from "../../http/parameters/json.ts";
import { email, flag, text, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { OpenOperation, OpenRequest } from "../affiliate/operation.ts";
import { newPassword } from "../affiliate/profile/password-field.ts";
import { questionAnswer, questionsJson } from "../campaign/signup-page-json.ts";
import { readPathId } from "../path-id.ts";

const NAME_LENGTH = 100;

const joinBody = z.object({
  email,
  password: newPassword,
  first_name: word(NAME_LENGTH).optional(),
  last_name: word(NAME_LENGTH).optional(),
  answers: z.record(z.string(), z.string("is invalid"), "is invalid").optional(),
  terms_accepted: flag.optional(),
  invitation: text.optional(),
  ref: text.optional(),
  company_website: text.optional(),
});

/** `GET /api/v2/join/{campaign}` */
export const showJoinOperation: OpenOperation = {
  summary: "Show what a campaign's sign-up page says and asks",
  answer: z
    .object({
      id: z.int(),
      name: z.string(),
      company_name: z.string(),
      description: z.string().nullable(),
      terms: z.string().nullable(),
      questions: z.array(questionAnswer),
      is_private: z.boolean(),
      needs_approval: z.boolean(),
    })
    .meta({ id: "JoinPage" }),
  refusals: ["not_found"],
  handle: show,
};

/** `POST /api/v2/join/{campaign}` */
export const joinOperation: OpenOperation = {
  summary: "Become a promoter",
  body: joinBody,
  answer: z
    .object({ state: z.enum(["accepted", "pending"]), needs_confirmation: z.boolean() })
    .meta({ id: "Joined" }),
  status: 201,
  refusals: ["not_found", "invalid", "forbidden", "rate_limited"],
  handle: join,
};

async function show({ event, context }: OpenRequest) {
  const { account, campaign } = await loadOpenCampaign(context.store, readPathId(event, "campaign"));
  return {
    id: campaign.id,
    name: campaign.name,
    company_name: account.name,
    description: campaign.signup?.description ?? null,
    terms: campaign.signup?.terms ?? null,
    questions: questionsJson(campaign),
    is_private: campaign.isPrivate,
    needs_approval: !campaign.autoApprovePromoters,
  };
}

/**
 * The answer says what the campaign does with everybody, so that it tells nothing about the address. Programs that fill
 * in forms also fill in the field that people don't see. They get the usual answer, and nothing is recorded.
 */
async function join({ event, context, address, limitEmail, hasMail }: OpenRequest) {
  const body = shapeInput(joinBody, await readJson(event));
  await limitEmail(body.email);
  const open = await loadOpenCampaign(context.store, readPathId(event, "campaign"));
  const { account, campaign } = open;
  if (!isInvited(account, campaign, body.invitation ?? null)) {
    throw new Failure("forbidden", "You need an invitation to join this campaign.");
  }
  const answers = checkSignup(campaign, {
    answers: body.answers ?? {},
    acceptsTerms: body.terms_accepted ?? false,
  });
  // Hashed for everybody, so that the time of the answer does not tell whether the address is known.
  const { hash: passwordHash } = await keepPassword(context.chance, body.password);
  if (body.company_website === undefined) {
    await joinProgram(context, open, {
      email: body.email,
      firstName: body.first_name ?? null,
      lastName: body.last_name ?? null,
      passwordHash,
      answers,
      parentRefToken: body.ref ?? null,
      address,
      hasMail,
    });
  }
  return { state: campaign.autoApprovePromoters ? "accepted" : "pending", needs_confirmation: hasMail };
}
