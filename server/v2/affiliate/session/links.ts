import { z } from "zod";
import {
  findLinkOwner,
  findPortalPromoters,
  LINK_KINDS,
  sendSignInLinks,
  signInByLink,
} from "../../../domain/people/portal/sign-in.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { email, text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { OpenOperation, OpenRequest } from "../operation.ts";
import { newPassword } from "../own-fields.ts";
import { sessionAnswer } from "./session-json.ts";
import { accountId, deviceOf, enter } from "./sessions.ts";
import { field, message } from "../../../http/fields.ts";

const sendBody = z.object({
  email: field(email, "The person's e-mail address.", "jane@example.com"),
  account_id: field(
    accountId,
    "Public id of the account. Needed only if the address belongs to promoters of several.",
    "acme",
  ),
});
const checkBody = z.object({
  token: field(
    text,
    "The token of the link: the part of its address after `#`.",
    "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
  ),
});
const useBody = z.object({
  token: field(text, checkBody.shape.token),
  password: field(newPassword.optional(), "At least 8 characters.", "correct horse battery"),
});

export const sendLinkOperation: OpenOperation = {
  id: "sendSignInLink",
  summary: "Send a promoter a link that signs them in",
  description:
    "Sends a link that signs in, once, within 15 minutes. The answer is the same whether or not a promoter has the address.",
  body: sendBody,
  answer: z.object({
    message,
  }),
  status: 202,
  refusals: ["rate_limited"],
  handle: send,
};

export const checkLinkOperation: OpenOperation = {
  id: "checkSignInLink",
  summary: "Show what a link to the portal is for",
  description: "Shows the purpose of a link, which can still be used.",
  body: checkBody,
  answer: z
    .object({
      kind: field(
        z.enum(LINK_KINDS),
        "`setup`: sets the first password. `join`: confirms a newcomer's address with the password they chose. `sign_in`: signs in. `entry`: signs in with a link that the company made.",
      ),
      email: field(z.string(), sendBody.shape.email),
    })
    .meta({ id: "PortalLink" }),
  refusals: ["not_found", "rate_limited"],
  handle: check,
};

export const useLinkOperation: OpenOperation = {
  id: "useSignInLink",
  summary: "Sign in to the portal by a link",
  description:
    "Signs a promoter in by the token of a link, which works once. A link of the kind `setup` needs a new password; others may set one.",
  example: { token: "0.1.h.mg8k2j3v.q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Gaq3kPz0Yc8Vw" },
  body: useBody,
  answer: sessionAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "forbidden", "rate_limited", "busy"],
  handle: use,
};

/** Known and unknown addresses get the same answer, so that it does not reveal who is a promoter. */
async function send({ event, context, limitEmail, mayMail, has_mail, afterwards }: OpenRequest) {
  const body = shapeInput(sendBody, await readJson(event));
  const wanted = { email: body.email, account_id: body.account_id ?? null };
  await limitEmail(body.email);
  if (!has_mail) return { message: "This program sends no e-mails. Ask the company to let you in." };
  afterwards(async () => {
    const candidates = await findPortalPromoters(context.store, wanted);
    await sendSignInLinks(context, candidates, () => mayMail(body.email));
  });
  return {
    message:
      "If a promoter has this address, an e-mail with a link is on its way. It works once, for 15 minutes.",
  };
}

async function check({ event, context, limit }: OpenRequest) {
  const { token } = shapeInput(checkBody, await readJson(event));
  await limit(null);
  const owner = await findLinkOwner(context.store, token, context.now);
  if (owner === null) throw expired();
  return { kind: owner.kind, email: owner.promoter.email };
}

async function use(request: OpenRequest) {
  const { event, context, limit } = request;
  const body = shapeInput(useBody, await readJson(event));
  await limit(null);
  const signedIn = await signInByLink(context, {
    token: body.token,
    password: body.password ?? null,
    device: deviceOf(request),
    language: request.language,
  });
  if (signedIn === null) throw expired();
  return enter(request, signedIn);
}

function expired(): Failure {
  return new Failure("not_found", "This link was used or is too old. Ask for a new one.");
}
