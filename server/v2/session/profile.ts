import { z } from "zod";
import { listSessions, sessionId, sessions, type Session } from "../../domain/access/session.ts";
import {
  changeName,
  changePassword,
  endOwnSession,
  removeSecondFactor,
  requirePassword,
} from "../../domain/access/user/users.ts";
import { holderOf } from "../../domain/access/user/sign-in.ts";
import { readJson } from "../../http/parameters/json.ts";
import { SESSION_COOKIES, sessionCookies } from "../../http/credentials.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { readPathId } from "../../resource/listing.ts";
import { userName } from "../user/users.ts";
import { deviceOf, newPassword, password, signedIn, factorCode } from "./session.ts";
import { sessionAnswer, sessionJson } from "./session-json.ts";
import { createdAt, field } from "../../http/fields.ts";
import { beginSecondFactor, confirmSecondFactor } from "../../domain/access/user/user.ts";

const nameBody = z.object({
  name: field(userName.nullable(), "Your name, or null to be shown by your e-mail address.", "Alex Kim"),
});

export const updateOwnNameOperation: V2Operation = {
  id: "updateOwnName",
  summary: "Change your own name",
  description: "Changes the name of the signed-in user.",
  body: nameBody,
  answer: sessionAnswer,
  refusals: ["invalid"],
  handle: async ({ event, account, caller, context }) => {
    const { name } = shapeChanges(nameBody, await readJson(event));
    const { user } = signedIn(caller);
    return sessionJson(await context.store.transact((tx) => changeName(tx, user, name)), account);
  },
};

const passwordBody = z.object({
  current_password: field(password, "The current password. Not needed if there is none.", "s3cret-start"),
  password: field(newPassword, "At least 8 characters.", "correct horse battery"),
});

export const changePasswordOperation: V2Operation = {
  id: "changeOwnPassword",
  summary: "Change your own password",
  description:
    "Changes the password of the signed-in user, who must give the current one. All their other sessions end, and this one gets a new cookie.",
  body: passwordBody,
  answer: sessionAnswer,
  refusals: ["invalid", "busy"],
  handle: async ({ event, caller, context, public_url, cookies, limit }) => {
    const body = shapeInput(passwordBody, await readJson(event));
    const { user } = signedIn(caller);
    await limit(user.email);
    const changed = await changePassword(context, user, {
      current: body.current_password,
      password: body.password,
      device: deviceOf(event),
    });
    cookies.push(...sessionCookies(SESSION_COOKIES.user, changed.token, public_url));
    return sessionJson(changed.user, changed.account);
  },
};

const ownSessionAnswer = shown<Session, { current: Session }>(sessions)("OwnSession", {
  id: [field(z.int(), "Id of the session.", 204), sessionId],
  device: field(
    z.string().nullable(),
    "The browser's `User-Agent`, or null if it sent none.",
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
  ),
  created_at: createdAt,
  seen_at: field(z.iso.datetime(), "When the session was last used, to the hour."),
  is_current: [
    field(z.boolean(), "Whether this request belongs to the session."),
    ({ hash }, { current }) => hash === current.hash,
  ],
});

export const listOwnSessionsOperation: V2Operation = {
  id: "listOwnSessions",
  summary: "List your own sessions, the last used first",
  description: "Lists the sessions of the signed-in user that have not ended.",
  answer: z.array(ownSessionAnswer.schema),
  handle: async ({ caller, context }) => {
    const { user, session: current } = signedIn(caller);
    const own = await listSessions(context.store, holderOf(user), context.now);
    return own.map((session) => ownSessionAnswer.json(session, { current }));
  },
};

export const endOwnSessionOperation: V2Operation = {
  id: "endOwnSession",
  summary: "End one of your own sessions",
  description: "Ends one of the signed-in user's sessions, for example on a lost device.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found"],
  handle: async ({ event, caller, context }) => {
    const { user } = signedIn(caller);
    await context.store.transact((tx) => endOwnSession(tx, context, user, readPathId(event)));
    return null;
  },
};

const ownPasswordBody = z.object({
  current_password: field(password, "The current password. Not needed if there is none.", "s3cret-start"),
});
const codeBody = z.object({ code: field(factorCode, "A code from the authenticator app.", "492039") });

export const beginSecondFactorOperation: V2Operation = {
  id: "beginSecondFactor",
  summary: "Begin a second factor",
  description: "Makes the secret for an authenticator app. It applies once a code has confirmed it.",
  body: ownPasswordBody,
  answer: z.object({
    secret: field(
      z.string(),
      "The secret for an authenticator app, in base32.",
      "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    ),
    address: field(
      z.string(),
      "The same as an address for a QR code.",
      "otpauth://totp/Acme:alex%40acme.example?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    ),
  }),
  status: 201,
  refusals: ["invalid", "refused", "busy"],
  handle: async (request) => {
    await checkPassword(request);
    const { account, caller, context } = request;
    const { user } = signedIn(caller);
    return context.store.transact((tx) => beginSecondFactor(tx, context, account, user));
  },
};

/** Only this answer shows the recovery codes. */
export const confirmSecondFactorOperation: V2Operation = {
  id: "confirmSecondFactor",
  summary: "Confirm a second factor with its first code",
  description:
    "Confirms the second factor with its first code. From then on, signing in needs a code. Your other sessions end.",
  body: codeBody,
  answer: z.object({
    recovery_codes: field(
      z.array(z.string()),
      "Codes that each work once in place of the second factor. They are shown only now.",
      ["492039471185"],
    ),
  }),
  status: 201,
  refusals: ["invalid", "refused"],
  handle: async ({ event, caller, context, limit }) => {
    const body = shapeInput(codeBody, await readJson(event));
    const { user, session } = signedIn(caller);
    await limit(user.email);
    const given = { user, session, code: body.code };
    return {
      recovery_codes: await context.store.transact((tx) => confirmSecondFactor(tx, context, given)),
    };
  },
};

export const removeSecondFactorOperation: V2Operation = {
  id: "removeSecondFactor",
  summary: "Remove your second factor",
  description: "Removes the second factor of the signed-in user.",
  body: ownPasswordBody,
  answer: sessionAnswer,
  refusals: ["invalid", "refused", "busy"],
  handle: async (request) => {
    await checkPassword(request);
    const { account, caller, context } = request;
    const { user } = signedIn(caller);
    return sessionJson(await context.store.transact((tx) => removeSecondFactor(tx, account, user)), account);
  },
};

/** A stranger at an unlocked computer must not be able to lock its owner out. */
async function checkPassword({ event, caller, context, limit }: V2Request): Promise<void> {
  const body = shapeInput(ownPasswordBody, await readJson(event));
  const { user } = signedIn(caller);
  await limit(user.email);
  await requirePassword(context, user, body.current_password);
}
