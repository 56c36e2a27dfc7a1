import type { H3Event } from "h3";
import { z } from "zod";
import { MIN_PASSWORD_LENGTH } from "../../domain/access/password.ts";
import { endSession } from "../../domain/access/session.ts";
import {
  followUserLink,
  holderOf,
  LINK_KINDS,
  loadUserLink,
  signIn,
  type SignedIn,
} from "../../domain/access/user/sign-in.ts";
import { mailReset } from "../../domain/access/user/users.ts";
import { readJson } from "../../http/parameters/json.ts";
import { endedSessionCookies, SESSION_COOKIES } from "../../http/credentials.ts";
import { email, text, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { Caller } from "../../request/caller.ts";
import { signInCookies } from "../../request/sign-in.ts";
import type { OpenOperation, OpenRequest, V2Operation } from "../operation.ts";
import { sessionAnswer, sessionJson } from "./session-json.ts";
import { field, message } from "../../http/fields.ts";

const COOKIE = SESSION_COOKIES.user;

/** A password to sign in with. It is not trimmed. */
export const password = text;
/** A new password. */
export const newPassword = password.min(
  MIN_PASSWORD_LENGTH,
  `is too short (minimum is ${MIN_PASSWORD_LENGTH} characters)`,
);

/** A code of six digits, or a recovery code. */
export const factorCode = word(50);

const signInBody = z.object({
  email: field(email, "The person's e-mail address.", "jane@example.com"),
  password: field(password, "At least 8 characters.", "correct horse battery"),
  code: field(
    factorCode.optional(),
    "A code of the second factor, or a recovery code, if the user has one.",
    "492039",
  ),
});

export const signInOperation: OpenOperation = {
  id: "signIn",
  summary: "Sign in with e-mail address and password",
  description:
    "Opens a session. The answer sets its cookie, which lasts until 14 days pass without a request. Attempts are limited by network and by e-mail address.",
  body: signInBody,
  answer: sessionAnswer,
  status: 201,
  refusals: ["second_factor_required", "busy"],
  handle: async (request) => {
    const { event, context, limit, guessCode } = request;
    const credentials = shapeInput(signInBody, await readJson(event));
    const { email: address, code } = credentials;
    const isStranger = await limit(address);
    const attempt = () => signIn({ ...context, isStranger }, { ...credentials, device: deviceOf(event) });
    return welcome(request, await (code === undefined ? attempt() : guessCode(address, "password", attempt)));
  },
};

export const showSessionOperation: V2Operation = {
  id: "getSession",
  summary: "Show who is signed in",
  description: "Shows the signed-in user and their account.",
  answer: sessionAnswer,
  handle: async ({ account, caller }) => sessionJson(signedIn(caller).user, account),
};

export const signOutOperation: V2Operation = {
  id: "signOut",
  summary: "Sign out",
  description: "Ends the session and removes its cookie.",
  answer: z.null(),
  status: 204,
  handle: async ({ caller, context, public_url, cookies }) => {
    await context.store.transact((tx) => endSession(tx, signedIn(caller).session));
    cookies.push(...endedSessionCookies(COOKIE, public_url));
    return null;
  },
};

const linkToken = field(
  word(200),
  "The token of the link: the part of its address after `#`.",
  "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
);
const checkBody = z.object({ token: linkToken });

/** The token is in the body, because paths are logged. */
export const checkLinkOperation: OpenOperation = {
  id: "checkUserLink",
  summary: "Show what a link that sets a password is for",
  description:
    "Shows the purpose of a link that makes the owner, invites a user or resets a password. The link can still be used.",
  body: checkBody,
  answer: z.object({
    kind: field(
      z.enum(LINK_KINDS),
      "`owner`: makes the first owner, who gives an e-mail address. `invitation`: sets an invited user's first password. `reset`: sets a new password.",
    ),
    email: field(
      z.string().nullable(),
      "The e-mail address of the user, or null if the user gives one with the password.",
      "alex@acme.example",
    ),
  }),
  refusals: ["not_found"],
  handle: async ({ event, context, limit }) => {
    const { token } = shapeInput(checkBody, await readJson(event));
    await limit(null);
    const { link, user } = await loadUserLink(context.store, token, context.now);
    return { kind: link.kind, email: user?.email ?? null };
  },
};

const linkBody = z.object({
  token: linkToken,
  password: field(newPassword, signInBody.shape.password),
  name: field(word(200).optional(), "The user's name.", "Alex Kim"),
  email: field(
    email.optional(),
    "The e-mail address of the first owner. Other links have their user and ignore it.",
    "alex@acme.example",
  ),
  code: field(factorCode.optional(), signInBody.shape.code),
});

export const followLinkOperation: OpenOperation = {
  id: "followUserLink",
  summary: "Set a password by a link, and sign in",
  description:
    "Sets the password of the link's user, uses the link up, ends the user's other sessions and opens a new one.",
  body: linkBody,
  answer: sessionAnswer,
  status: 201,
  refusals: ["not_found", "missing", "taken", "second_factor_required", "busy"],
  handle: async (request) => {
    const { event, context, limit, guessCode } = request;
    const input = shapeInput(linkBody, await readJson(event));
    await limit(null);
    const follow = () => followUserLink(context, { ...input, device: deviceOf(event) });
    if (input.code === undefined) return welcome(request, await follow());
    // Guessing codes of the second factor is limited for links just like for passwords.
    const { user } = await loadUserLink(context.store, input.token, context.now);
    await limit(user?.email ?? null);
    return welcome(request, await guessCode(user?.email ?? "", "link", follow));
  },
};

const resetBody = z.object({ email: field(email, "The user's e-mail address.", "alex@acme.example") });

/** The answer is always the same, so that it does not reveal who is a user. */
export const requestResetOperation: OpenOperation = {
  id: "requestPasswordReset",
  summary: "Ask for an e-mail with a link that sets a new password",
  description:
    "Sends a link that sets a new password, if a user has the address and the server can send e-mails. The answer is always the same.",
  body: resetBody,
  answer: z.object({
    message,
  }),
  status: 202,
  handle: async ({ event, context, limitEmail, mayMail, has_mail, afterwards }) => {
    const { email: address } = shapeInput(resetBody, await readJson(event));
    await limitEmail(address);
    if (!has_mail) return { message: "This server sends no e-mails." };
    afterwards(() => mailReset(context, address, () => mayMail(address)));
    return { message: "If a user has this address, an e-mail with a link is on its way." };
  },
};

/** The signed-in caller of an operation that API keys can't call. */
export function signedIn(caller: Caller): Caller & { kind: "user" } {
  if (caller.kind === "user") return caller;
  throw new Error("A key called an operation for users");
}

function welcome(request: OpenRequest, { account, user, token }: SignedIn) {
  const { event, context, public_url, cookies } = request;
  const { chance } = context;
  cookies.push(...signInCookies({ event, chance, public_url }, { account, holder: holderOf(user), token }));
  return sessionJson(user, account);
}

/** The browser's `User-Agent`, kept with the session. */
export function deviceOf(event: H3Event): string | null {
  return event.req.headers.get("user-agent");
}
