import { z } from "zod";
import { checkSignup, type Campaign } from "../../domain/campaign/campaign.ts";
import { keepPassword } from "../../domain/password/password.ts";
import { joinProgram, loadOpenCampaign, type OpenCampaign } from "../../domain/portal/join.ts";
import { Failure } from "../../failure.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, text, word } from "../../input/fields.ts";
import { describe, shapeInput } from "../../input/shape.ts";
import type { OpenOperation, OpenRequest } from "../affiliate/operation.ts";
import { mailAddress } from "../affiliate/own-fields.ts";
import { newPassword } from "../affiliate/profile/password-field.ts";
import { questionAnswer, questionsJson } from "../campaign/signup-page-json.ts";
import { readPathId } from "../path-id.ts";

const NAME_LENGTH = 100;

const invitationBody = z.object({ invitation: text });
/** The answers that the campaign asks for. */
const answerBody = z.object({
  answers: z.record(z.string(), z.string("is invalid"), "is invalid").optional(),
  terms_accepted: flag.optional(),
});
const joinBody = z.object({
  email: mailAddress,
  password: newPassword,
  first_name: word(NAME_LENGTH),
  last_name: word(NAME_LENGTH).optional(),
  ...answerBody.shape,
  ...invitationBody.partial().shape,
  ref: text.optional(),
  company_website: text.optional(),
});

const joinPage = z
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
  .meta({ id: "JoinPage" });

/** `GET /api/v2/join/{campaign}` */
export const showJoinOperation: OpenOperation = {
  summary: "Show what a campaign's sign-up page says and asks",
  answer: joinPage,
  refusals: ["not_found"],
  handle: async (request) => joinPageJson(await load(request, null)),
};

/** `POST /api/v2/join/{campaign}/invitation`. The invitation is in the body, because addresses are logged. */
export const showInvitationOperation: OpenOperation = {
  summary: "Show the sign-up page of a private campaign",
  body: invitationBody,
  answer: joinPage,
  refusals: ["not_found", "invalid"],
  handle: showInvited,
};

/** `POST /api/v2/join/{campaign}` */
export const joinOperation: OpenOperation = {
  summary: "Become a promoter",
  body: joinBody,
  answer: z
    .object({ state: z.enum(["accepted", "pending"]), needs_confirmation: z.boolean() })
    .meta({ id: "Joined" }),
  status: 201,
  refusals: ["not_found", "invalid", "rate_limited", "busy"],
  handle: join,
};

async function showInvited(request: OpenRequest) {
  const { invitation } = shapeInput(invitationBody, await readJson(request.event));
  return joinPageJson(await load(request, invitation));
}

function load({ event, context }: OpenRequest, invitation: string | null): Promise<OpenCampaign> {
  return loadOpenCampaign(context.store, readPathId(event, "campaign"), invitation);
}

function joinPageJson({ account, campaign }: OpenCampaign): z.output<typeof joinPage> {
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
async function join(request: OpenRequest) {
  const { event, context, address, limitEmail, limitJoin, hasMail } = request;
  const input = await readJson(event);
  // First of all: the faults of a body would tell what a private campaign asks.
  const open = await load(request, invitationBody.safeParse(input).data?.invitation ?? null);
  const { account, campaign } = open;
  const { body, answers } = readJoin(campaign, input);
  await limitEmail(body.email);
  // Hashed for everybody, so that the time of the answer does not tell whether the address is known. Whoever gets 503 here
  // comes again, which must not use up the day's e-mails.
  const { hash: passwordHash } = await keepPassword({ ...context, isStranger: true }, body.password);
  if (body.company_website === undefined) {
    await limitJoin(`${account.id} ${campaign.id}`, body.email);
    await joinProgram(context, open, {
      email: body.email,
      firstName: body.first_name,
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

/** The body, and the answers that it holds. @throws Failure `invalid` with the faults of both */
function readJoin(campaign: Campaign, input: Record<string, unknown>) {
  const [body, bodyFault] = attempt(() => shapeInput(joinBody, input));
  const [answers, answerFault] = attempt(() => {
    const { answers = {}, terms_accepted: acceptsTerms = false } = shapeInput(answerBody, input);
    return checkSignup(campaign, { answers, acceptsTerms });
  });
  if (body !== null && answers !== null) return { body, answers };
  if (bodyFault === null || answerFault === null) throw bodyFault ?? answerFault;
  const fields = { ...bodyFault.fields, ...answerFault.fields };
  throw new Failure("invalid", describe(fields), fields);
}

function attempt<T>(read: () => T): [value: T, fault: null] | [value: null, fault: Failure] {
  try {
    return [read(), null];
  } catch (error) {
    if (error instanceof Failure) return [null, error];
    throw error;
  }
}
