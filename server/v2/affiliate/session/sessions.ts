import { z } from "zod";
import { signOutEverywhere } from "../../../domain/people/portal/entry.ts";
import { signInByPassword, type SignedIn } from "../../../domain/people/portal/sign-in.ts";
import { endSession } from "../../../domain/access/session.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { SESSION_COOKIES, endedSessionCookies } from "../../../http/credentials.ts";
import { email, text, word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { signInCookies } from "../../../request/sign-in.ts";
import type { AffiliateOperation, AffiliateRequest, OpenOperation, OpenRequest } from "../operation.ts";
import { sessionAnswer, sessionJson } from "./session-json.ts";
import { field } from "../../../http/fields.ts";

/** Long enough for a sentence. Longer input would only waste hashing time. */
const MAX_PASSWORD_LENGTH = 200;

/** Needed only if promoters of several accounts on this server have the same e-mail address. */
export const accountId = word(100).optional();

const signInBody = z.object({
  email: field(email, "The person's e-mail address.", "jane@example.com"),
  password: field(
    text.max(MAX_PASSWORD_LENGTH, "is too long"),
    "At least 8 characters.",
    "correct horse battery",
  ),
  account_id: field(
    accountId,
    "Public id of the account. Needed only if the address belongs to promoters of several.",
    "acme",
  ),
});

export const signInOperation: OpenOperation = {
  id: "signInToPortal",
  summary: "Sign in to the portal",
  description:
    "Signs a promoter in by e-mail address and password, and sets the cookie `tidemark_portal`. A `temp_password` works until it is replaced; until then every other operation is refused with 403.",
  example: { email: "jane@example.com", password: "correct horse battery" },
  body: signInBody,
  answer: sessionAnswer,
  status: 201,
  refusals: ["unauthorized", "forbidden", "busy"],
  handle: signIn,
};

export const showSessionOperation: AffiliateOperation = {
  id: "getPortalSession",
  summary: "Show who is signed in to the portal",
  description: "Shows the promoter who is signed in, and their account.",
  answer: sessionAnswer,
  isForNewcomers: true,
  handle: (request) => sessionJson(request.context.store, request),
};

export const signOutOperation: AffiliateOperation = {
  id: "signOutOfPortal",
  summary: "Sign out of the portal",
  description: "Ends the session.",
  answer: z.null(),
  status: 204,
  isForNewcomers: true,
  isForReaders: true,
  handle: signOut,
};

export const signOutEverywhereOperation: AffiliateOperation = {
  id: "signOutOfPortalEverywhere",
  summary: "Sign out of the portal everywhere",
  description:
    "Ends all sessions of the promoter, this one too. Sign-in links and the auth token that were given out before open nothing any more. An extension of Tidemark.",
  answer: z.null(),
  status: 204,
  isForNewcomers: true,
  async handle({ context, account, promoter, cookies, public_url }) {
    await signOutEverywhere(context, account.id, promoter.id);
    cookies.push(...endedSessionCookies(SESSION_COOKIES.promoter, public_url));
    return null;
  },
};

async function signIn(request: OpenRequest) {
  const { event, context, limit } = request;
  const body = shapeInput(signInBody, await readJson(event));
  const given = {
    email: body.email,
    password: body.password,
    account_id: body.account_id ?? null,
    device: deviceOf(request),
    language: request.language,
  };
  const isStranger = await limit(body.email);
  const signedIn = await signInByPassword({ ...context, isStranger }, given);
  if (signedIn === null) throw new Failure("unauthorized", "The e-mail address or the password is wrong");
  return enter(request, signedIn);
}

async function signOut({ context, session, cookies, public_url }: AffiliateRequest) {
  await context.store.transact((tx) => endSession(tx, session));
  cookies.push(...endedSessionCookies(SESSION_COOKIES.promoter, public_url));
  return null;
}

/** Sets the cookie of a new session, and shows the session. */
export function enter({ event, context, cookies, public_url }: OpenRequest, signedIn: SignedIn) {
  const { account, session, token } = signedIn;
  cookies.push(
    ...signInCookies(
      { event, chance: context.chance, public_url },
      { account, holder: session.holder, token },
    ),
  );
  return sessionJson(context.store, { ...signedIn, public_url });
}

/** The browser's `User-Agent`, kept with the session. */
export function deviceOf({ event }: Pick<OpenRequest, "event">): string | null {
  return event.req.headers.get("user-agent");
}
