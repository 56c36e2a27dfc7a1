import { z } from "zod";
import { keepPassword } from "../../../domain/access/password.ts";
import { setPassword } from "../../../domain/people/portal/profile.ts";
import { promoters } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readBearer, SESSION_COOKIES, sessionCookies } from "../../../http/credentials.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation, AffiliateRequest, OpenOperation } from "../operation.ts";
import { sessionAnswer, sessionJson } from "../session/session-json.ts";
import { deviceOf, enter } from "../session/sessions.ts";
import { newPassword } from "../own-fields.ts";
import { field } from "../../../http/fields.ts";
import { findLinkOwner, signInByLink } from "../../../domain/people/portal/sign-in.ts";
import { readQuery } from "../../../http/parameters/form.ts";
import { currentAnswer, currentJson } from "./current.ts";

const passwordBody = z.object({
  password: field(newPassword, "At least 8 characters.", "correct horse battery"),
  current_password: field(
    text.optional(),
    "The current password. Not needed if there is none.",
    "s3cret-start",
  ),
});

export const setPasswordOperation: AffiliateOperation = {
  id: "setPortalPassword",
  summary: "Set the promoter's password",
  description:
    "Sets the promoter's password and ends all their other sessions. A promoter who has a password must give it.",
  example: { password: "correct horse battery", current_password: "s3cret-start" },
  body: passwordBody,
  answer: sessionAnswer,
  isForNewcomers: true,
  refusals: ["rate_limited", "refused", "busy"],
  handle,
};

async function handle(request: AffiliateRequest) {
  const { event, account, promoter, session, context, cookies, public_url, limit } = request;
  // A frame in the company's own product uses a token, which would end with the other sessions.
  if (readBearer(event) !== null)
    throw new Failure("refused", "Sign in to the portal itself to set a password");
  const given = shapeInput(passwordBody, await readJson(event));
  // A stolen session must not help to guess the password.
  await limit(promoter.email);
  const { hash: passwordHash } = await keepPassword(context, given.password);
  const currentPassword = given.current_password ?? null;
  const opened = await setPassword(context, {
    promoter,
    session,
    currentPassword,
    password_hash: passwordHash,
  });
  cookies.push(...sessionCookies(SESSION_COOKIES.promoter, opened.token, public_url));
  const after = (await context.store.get(promoters, account.id, promoter.id)) ?? promoter;
  return sessionJson(context.store, { account, promoter: after, session: opened.session, public_url });
}

const encryptedId = field(
  text,
  "The token of a link to the portal: the part of its address after `#`.",
  "0.1.h.mg8k2j3v.q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Gaq3kPz0Yc8Vw",
);
const params = z.object({ id: encryptedId });

export const emailFromIdOperation: OpenOperation = {
  id: "getEmailFromEncryptedId",
  summary: "Show whose link it is",
  description:
    "Shows the e-mail address of the promoter whom a link to the portal is for. The link can still be used. `POST /session/link/check` does the same without a token in an address, which logs may keep.",
  params,
  answer: z.object({ email: field(z.string(), "The person's e-mail address.", "jane@example.com") }),
  refusals: ["refused", "invalid", "rate_limited"],
  async handle({ event, context, limit }) {
    const { id: token } = shapeInput(params, readQuery(event));
    await limit(null);
    const owner = await findLinkOwner(context.store, token, context.now);
    if (owner === null) throw expired();
    return { email: owner.promoter.email };
  },
};

const linkBody = z.object({
  id: encryptedId,
  user: field(
    z.object(
      {
        new_password: field(newPassword, "At least 8 characters.", "correct horse battery"),
        new_password_confirmation: field(text, "The same again.", "correct horse battery"),
      },
      "is invalid",
    ),
    "The new password.",
  ),
});

/** Its `POST` is for promoters who are signed in. */
export const setPasswordByLinkOperation: OpenOperation = {
  id: "setPasswordByEncryptedId",
  summary: "Set a password by a link, and sign in",
  description:
    "Sets the password of the promoter whom a link to the portal is for, and signs them in. The link works once. A newcomer's link confirms their address with the password that they chose.",
  body: linkBody,
  answer: currentAnswer,
  refusals: ["refused", "invalid", "forbidden", "rate_limited", "busy"],
  async handle(request) {
    const { event, context, limit } = request;
    const { id: token, user } = shapeInput(linkBody, await readJson(event));
    if (user.new_password !== user.new_password_confirmation) {
      throw new Failure("invalid", "Validation failed: new_password_confirmation is not the same", {
        new_password_confirmation: ["is not the same"],
      });
    }
    await limit(null);
    const signedIn = await signInByLink(context, {
      token,
      password: user.new_password,
      device: deviceOf(request),
    });
    if (signedIn === null) throw expired();
    enter(request, signedIn);
    return currentJson({ account: signedIn.account, context }, signedIn.promoter);
  },
};

function expired(): Failure {
  return new Failure("refused", "This link was used or is too old. Ask for a new one.");
}
