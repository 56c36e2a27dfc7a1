import { z } from "zod";
import { keepPassword } from "../../../domain/access/password.ts";
import { setPassword } from "../../../domain/people/portal/profile.ts";
import { promoters } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readBearer, SESSION_COOKIES, sessionCookies } from "../../../http/credentials.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { sessionAnswer, sessionJson } from "../session/session-json.ts";
import { newPassword } from "./password-field.ts";
import { field } from "../../../http/fields.ts";

const body = z.object({
  password: field(newPassword, "At least 8 characters.", "correct horse battery"),
  current_password: field(
    text.optional(),
    "The current password. Not needed if there is none.",
    "s3cret-start",
  ),
});

/** `POST /api/v2/affiliate/promoters/set_password` */
export const setPasswordOperation: AffiliateOperation = {
  id: "setPortalPassword",
  summary: "Set the promoter's password",
  description:
    "Sets the promoter's password and ends all their other sessions. A promoter who has a password must give it.",
  example: { password: "correct horse battery", current_password: "s3cret-start" },
  body,
  answer: sessionAnswer,
  isForNewcomers: true,
  refusals: ["rate_limited", "refused", "busy"],
  handle,
};

async function handle(request: AffiliateRequest) {
  const { event, account, promoter, session, context, cookies, publicUrl, limit } = request;
  // A frame in the company's own product uses a token, which would end with the other sessions.
  if (readBearer(event) !== null)
    throw new Failure("refused", "Sign in to the portal itself to set a password");
  const given = shapeInput(body, await readJson(event));
  // A stolen session must not help to guess the password.
  await limit(promoter.email);
  const { hash: passwordHash } = await keepPassword(context, given.password);
  const currentPassword = given.current_password ?? null;
  const opened = await setPassword(context, { promoter, session, currentPassword, passwordHash });
  cookies.push(...sessionCookies(SESSION_COOKIES.promoter, opened.token, publicUrl));
  const after = (await context.store.get(promoters, account.id, promoter.id)) ?? promoter;
  return sessionJson(context.store, { account, promoter: after, session: opened.session, publicUrl });
}
