import { z } from "zod";
import {
  signInByPassword,
  findLinkOwner,
  findPortalPromoters,
  LINK_KINDS,
  sendSignInLinks,
  signInByLink,
  type SignedIn,
} from "../../../domain/people/portal/sign-in.ts";
import { endSession, type Session } from "../../../domain/access/session.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { SESSION_COOKIES, endedSessionCookies } from "../../../http/credentials.ts";
import { email, text, word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { signInCookies } from "../../../request/sign-in.ts";
import type { AffiliateOperation, AffiliateRequest, OpenOperation, OpenRequest } from "../operation.ts";
import { field, message, recordId } from "../../../http/fields.ts";
import { newPassword } from "../own-fields.ts";
import type { Account } from "../../../domain/program/account/account.ts";
import { shownName } from "../../../domain/program/account/brand.ts";
import { timeZoneOf } from "../../../domain/program/account/time-zone.ts";
import { promoterName, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import { shownBrandAnswer, shownBrandJson } from "../../brand/brand.ts";
import { LANGUAGES } from "../../../languages/languages.ts";

/** Long enough for a sentence. Longer input would only waste hashing time. */
const MAX_PASSWORD_LENGTH = 200;

/** Needed only if promoters of several accounts on this server have the same e-mail address. */
const accountId = word(100).optional();

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

/** The session of the portal. */
export const sessionAnswer = z
  .object({
    promoter: field(
      z.object({
        id: recordId,
        email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
        name: field(z.string(), "The record's display name.", "Jane Doe"),
        language: field(
          z.enum(LANGUAGES).nullable(),
          "The language of the portal and of the promoter's e-mails, or null if the browser decides.",
          "de",
        ),
      }),
      "The promoter, or null if they were deleted.",
    ),
    account: field(
      z.object({
        id: field(z.string(), "Public id of the account.", "acme"),
        name: field(z.string(), "The company's name.", "Acme"),
        currency: field(z.string(), "ISO 4217 code of the account's currency.", "USD"),
        time_zone: field(
          z.string(),
          "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
          "Europe/Berlin",
        ),
      }),
      "The account that the user belongs to.",
    ),
    brand: field(shownBrandAnswer, "How the portal shows the company."),
    must_set_password: field(
      z.boolean(),
      "Whether the promoter must choose a password before anything else.",
    ),
    has_password: field(z.boolean(), "Whether the promoter has chosen a password."),
    is_read_only: field(
      z.boolean(),
      "Whether a user of the company is viewing the portal, and can't change anything.",
    ),
  })
  .meta({ id: "PortalSession" });

/** `POST /api/v2/affiliate/session` */
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

/** `GET /api/v2/affiliate/session` */
export const showSessionOperation: AffiliateOperation = {
  id: "getPortalSession",
  summary: "Show who is signed in to the portal",
  description: "Shows the promoter who is signed in, and their account.",
  answer: sessionAnswer,
  isForNewcomers: true,
  handle: (request) => Promise.resolve(sessionJson(request)),
};

/** `DELETE /api/v2/affiliate/session` */
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

async function signIn(request: OpenRequest) {
  const { event, context, limit } = request;
  const body = shapeInput(signInBody, await readJson(event));
  const given = {
    email: body.email,
    password: body.password,
    accountId: body.account_id ?? null,
    device: deviceOf(request),
    language: request.language,
  };
  const isStranger = await limit(body.email);
  const signedIn = await signInByPassword({ ...context, isStranger }, given);
  if (signedIn === null) throw new Failure("unauthorized", "The e-mail address or the password is wrong");
  return enter(request, signedIn);
}

async function signOut({ context, session, cookies, publicUrl }: AffiliateRequest) {
  await endSession(context.store, session);
  cookies.push(...endedSessionCookies(SESSION_COOKIES.promoter, publicUrl));
  return null;
}

/** Sets the cookie of a new session, and shows the session. */
export function enter({ event, context, cookies, publicUrl }: OpenRequest, signedIn: SignedIn) {
  const { account, session, token } = signedIn;
  const { chance } = context;
  cookies.push(...signInCookies({ event, chance, publicUrl }, { account, holder: session.holder, token }));
  return sessionJson({ ...signedIn, publicUrl });
}

/** The browser's `User-Agent`, kept with the session. */
export function deviceOf({ event }: Pick<OpenRequest, "event">): string | null {
  return event.req.headers.get("user-agent");
}

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

/** `POST /api/v2/affiliate/session/link/send` */
export const sendLinkOperation: OpenOperation = {
  id: "sendSignInLink",
  summary: "Send a promoter a link that signs them in",
  description:
    "Sends a link that signs in, once, within 15 minutes. The answer is the same whether or not a promoter has the address.",
  body: sendBody,
  answer: z.object({
    message: message,
  }),
  status: 202,
  refusals: ["rate_limited"],
  handle: send,
};

/** `POST /api/v2/affiliate/session/link/check` */
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

/** `POST /api/v2/affiliate/session/link` */
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
async function send({ event, context, limitEmail, mayMail, hasMail, afterwards }: OpenRequest) {
  const body = shapeInput(sendBody, await readJson(event));
  const wanted = { email: body.email, accountId: body.account_id ?? null };
  await limitEmail(body.email);
  if (!hasMail) return { message: "This program sends no e-mails. Ask the company to let you in." };
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

/** Shows the session of the portal. */
export function sessionJson({
  account,
  promoter,
  session,
  publicUrl,
}: {
  account: Account;
  promoter: Promoter;
  session: Session;
  publicUrl: string;
}): z.output<typeof sessionAnswer> {
  return {
    promoter: {
      id: promoter.id,
      email: promoter.email,
      name: promoterName(promoter),
      language: promoter.language ?? null,
    },
    account: {
      id: account.publicId,
      name: shownName(account),
      currency: account.currency,
      time_zone: timeZoneOf(account),
    },
    brand: shownBrandJson(account, publicUrl),
    must_set_password: session.mustSetPassword ?? false,
    has_password: promoter.passwordHash !== undefined,
    is_read_only: session.isReadOnly ?? false,
  };
}
