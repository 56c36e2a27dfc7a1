import { z } from "zod";
import { shownName } from "../../domain/program/account/brand.ts";
import { checkSignup, signupTexts, type Campaign } from "../../domain/program/campaign/campaign.ts";
import { keepPassword } from "../../domain/access/password.ts";
import { requireSignatures } from "../../domain/people/contract/document.ts";
import { joinProgram, loadOpenCampaign, type OpenCampaign } from "../../domain/people/portal/join.ts";
import { loadTerms } from "../../domain/ledger/terms.ts";
import { Failure } from "../../failure.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, text, word } from "../../input/fields.ts";
import { describe, shapeInput } from "../../input/shape.ts";
import type { OpenOperation, OpenRequest } from "../affiliate/operation.ts";
import { mailAddress, newPassword } from "../affiliate/own-fields.ts";
import { shownBrandAnswer, shownBrandJson } from "../brand/brand.ts";
import { contractsFor, listCurrentContracts } from "../../domain/people/contract/contract.ts";
import { joinContract, joinContractsJson, signedVersions } from "../contract/join-contracts.ts";
import { offer, questionAnswer, questionsJson } from "../campaign/signup-page-json.ts";
import { readPathId } from "../../resource/listing.ts";
import { field, recordId } from "../../http/fields.ts";

const NAME_LENGTH = 100;

const invitationBody = z.object({
  invitation: field(
    text,
    "The invitation of a private campaign, from its sign-up link.",
    "q3kPz0Yc8Vw1Rb6Xn5Tj2M",
  ),
});
/** The answers to the campaign's questions. */
const answerBody = z.object({
  answers: field(
    z.record(z.string(), z.string("is invalid"), "is invalid").optional(),
    "Answers by the text of the question.",
    { "Where do you publish?": "Blog" },
  ),
  terms_accepted: field(flag.optional(), "Whether the terms are accepted."),
  signed_contract_version_ids: signedVersions,
});
const joinBody = z.object({
  email: field(mailAddress, "The person's e-mail address.", "jane@example.com"),
  password: field(newPassword, "At least 8 characters.", "correct horse battery"),
  first_name: field(word(NAME_LENGTH), "First name.", "Jane"),
  last_name: field(word(NAME_LENGTH).optional(), "Last name.", "Doe"),
  ...answerBody.shape,
  ...invitationBody.partial().shape,
  ref: field(
    text.optional(),
    "Referral id of the promoter who recruited the person. An unknown one is ignored.",
    "alex",
  ),
  company_website: field(
    text.optional(),
    "Must stay empty. The page hides it, so only programs fill it in.",
    "",
  ),
});

const joinPage = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the campaign.", "Friends of Acme"),
    company_name: field(z.string(), "Name of the company.", "Acme"),
    brand: field(shownBrandAnswer, "How the page shows the company."),
    description: field(
      z.string().nullable(),
      "What the campaign says about itself.",
      "Earn 20% of each sale.",
    ),
    terms: field(
      z.string().nullable(),
      "The terms that people accept when they join, or null if there are none.",
      "Do not bid on our name in ads.",
    ),
    contracts: joinContract,
    questions: field(z.array(questionAnswer), "The questions that people answer when they join."),
    offer,
    is_private: field(z.boolean(), "Whether promoters join by invitation only."),
    needs_approval: field(z.boolean(), "Whether the company reviews each newcomer first."),
  })
  .meta({ id: "JoinPage" });

export const showJoinOperation: OpenOperation = {
  id: "showJoinPage",
  summary: "Show what a campaign's sign-up page says and asks",
  description: "Shows the public part of a campaign. A private campaign is answered like an unknown one.",
  answer: joinPage,
  refusals: ["not_found"],
  handle: async (request) => joinPageJson(request, await load(request, null)),
};

/** The invitation is in the body, because URLs are logged. */
export const showInvitationOperation: OpenOperation = {
  id: "showInvitation",
  summary: "Show the sign-up page of a private campaign",
  description: "Shows the sign-up page to holders of the invitation. The invitation can be used again.",
  body: invitationBody,
  answer: joinPage,
  refusals: ["not_found", "invalid"],
  handle: showInvited,
};

export const joinOperation: OpenOperation = {
  id: "joinProgram",
  summary: "Become a promoter",
  description:
    "Makes a promoter and sends an e-mail with a link. A known address gets the same answer and a different e-mail, so that the answer does not reveal who is a promoter.",
  example: {
    email: "jane@example.com",
    password: "correct horse battery",
    first_name: "Jane",
    terms_accepted: true,
  },
  body: joinBody,
  answer: z
    .object({
      state: field(
        z.enum(["accepted", "pending"]),
        "Whether the campaign accepts newcomers immediately, or reviews them first.",
      ),
      needs_confirmation: field(
        z.boolean(),
        "Whether the person must open the link in the e-mail before they can sign in.",
      ),
    })
    .meta({ id: "Joined" }),
  status: 201,
  refusals: ["not_found", "invalid", "rate_limited", "busy"],
  handle: join,
};

async function showInvited(request: OpenRequest) {
  const { invitation } = shapeInput(invitationBody, await readJson(request.event));
  return joinPageJson(request, await load(request, invitation));
}

function load({ event, context }: OpenRequest, invitation: string | null): Promise<OpenCampaign> {
  return loadOpenCampaign(context.store, readPathId(event, "campaign"), invitation);
}

async function joinPageJson(
  { context, language, public_url }: OpenRequest,
  { account, campaign }: OpenCampaign,
): Promise<z.output<typeof joinPage>> {
  const contracts = await listCurrentContracts(context.store, account.id);
  return {
    id: campaign.id,
    name: campaign.name,
    company_name: shownName(account),
    brand: shownBrandJson(account, public_url),
    ...signupTexts(campaign, language),
    contracts: joinContractsJson(account, contractsFor(contracts, campaign.id), { promoter: null, own: [] }),
    questions: questionsJson(campaign),
    offer: await loadTerms(context.store, { account, campaign, language }),
    is_private: campaign.is_private,
    needs_approval: !campaign.auto_approve_promoters,
  };
}

/**
 * The answer is the same for all addresses, so that it reveals nothing about one. Bots fill in the hidden field, too:
 * they get the usual answer, and nothing is recorded.
 */
async function join(request: OpenRequest) {
  const { event, context, address, limitEmail, limitJoin, has_mail } = request;
  const input = await readJson(event);
  // This comes first, because errors of the body would reveal a private campaign's questions.
  const open = await load(request, invitationBody.safeParse(input).data?.invitation ?? null);
  const { account, campaign } = open;
  const { body, answers } = readJoin(campaign, input);
  const signed = await requireSignatures(context.store, campaign, body.signed_contract_version_ids ?? []);
  await limitEmail(body.email);
  // Hashed in every case, so that the response time does not reveal whether the address is known. It comes before the
  // limit, because a client that gets 503 here tries again, which must not use up the day's e-mails.
  const { hash: passwordHash } = await keepPassword({ ...context, isStranger: true }, body.password);
  if (body.company_website === undefined) {
    await limitJoin(`${account.id} ${campaign.id}`, body.email);
    await joinProgram(context, open, {
      email: body.email,
      first_name: body.first_name,
      last_name: body.last_name ?? null,
      password_hash: passwordHash,
      answers,
      parentRefToken: body.ref ?? null,
      address,
      signed,
      has_mail,
      language: request.language,
    });
  }
  return { state: campaign.auto_approve_promoters ? "accepted" : "pending", needs_confirmation: has_mail };
}

/** Reads the body and its answers. @throws Failure `invalid` with the errors of both */
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
