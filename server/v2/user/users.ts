import { z } from "zod";
import { linkAddress } from "../../domain/access/user/sign-in.ts";
import { ROLES, users } from "../../domain/access/user/user.ts";
import {
  inviteUser,
  listUsers,
  loadUser,
  removeUser,
  resetUser,
  updateUser,
  type UserWithLink,
} from "../../domain/access/user/users.ts";
import { readJson } from "../../http/parameters/json.ts";
import { email, flag, oneOf, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { readPathId } from "../../resource/listing.ts";
import { changes, does } from "../../resource/operations.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";

/** A user as owners see them. */
const userAnswer = shown(users)("User", {
  id: recordId,
  email: field(
    z.string(),
    "The user's e-mail address. It is unique in the whole server.",
    "alex@acme.example",
  ),
  name: [
    field(z.string(), "The user's name, or the e-mail address if they gave none.", "Alex Kim"),
    ({ name, email }) => name ?? email,
  ],
  role: field(
    z.enum(ROLES),
    "`viewer`: reads. `manager`: also changes. `owner`: also pays and manages users, keys and the account.",
  ),
  has_password: [
    field(z.boolean(), "Whether the promoter has chosen a password."),
    ({ password_hash }) => password_hash !== null,
  ],
  has_second_factor: [
    field(z.boolean(), "Whether the user signs in with a code as well."),
    ({ second_factor }) => second_factor !== null,
  ],
  created_at: createdAt,
  last_sign_in_at: field(
    z.iso.datetime().nullable(),
    "When the user last signed in, or null if they never have.",
  ),
});

/** A user with a link that sets the password. */
const userWithLinkAnswer = userAnswer.schema
  .extend({
    link: field(
      z.string().nullable(),
      "The link that sets the user's password, once, for you to hand over. Null if it was sent by e-mail.",
      "https://track.example.com/admin/welcome#q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
    ),
    is_mailed: field(z.boolean(), "Whether the link was sent to the user by e-mail."),
  })
  .meta({ id: "UserWithLink" });

const role = field(oneOf(ROLES), userAnswer.schema.shape.role);
export const userName = word(200);
const inviteBody = z.object({
  email: field(email, "The new user's e-mail address.", "alex@acme.example"),
  role,
  name: field(userName.optional(), "The new user's name.", "Alex Kim"),
});
const updateBody = z
  .object({
    role,
    name: field(
      userName.nullable(),
      "The user's name, or null to be shown by the e-mail address.",
      "Alex Kim",
    ),
  })
  .partial();

/** @see docs/spec/common.md "Pages" */
export const listUsersOperation: V2Operation = {
  id: "listUsers",
  summary: "List users, oldest first",
  description: "Lists the people who sign in to the dashboard.",
  answer: z.array(userAnswer.schema),
  handle: async ({ account, context: { store } }) =>
    userAnswer.showAll(store, await listUsers(store, account.id)),
};

export const inviteUserOperation: V2Operation = {
  id: "inviteUser",
  summary: "Invite a user",
  description: "Adds a user and makes a link to set a password. It works once, within seven days.",
  body: inviteBody,
  answer: userWithLinkAnswer,
  status: 201,
  refusals: ["invalid", "taken", "rate_limited"],
  handle: async (request) => {
    const input = shapeInput(inviteBody, await readJson(request.event));
    const { context, account, mail, limitInvitation } = request;
    const isMailed = mail !== null;
    if (isMailed) await limitInvitation(account.id, input.email);
    const given = { ...input, isMailed };
    return linkJson(request, await context.store.transact((tx) => inviteUser(tx, context, account, given)));
  },
};

export const updateUserOperation: V2Operation = changes(userAnswer, {
  id: "updateUser",
  summary: "Change a user's role or name",
  description:
    "Changes a user's role or name. The role applies from their next request. The last owner stays an owner.",
  body: updateBody,
  refusals: ["invalid", "not_found", "refused"],
  run: (tx, { account }, { id, changes: given }) => updateUser(tx, account.id, { id, ...given }),
});

export const removeUserOperation: V2Operation = does(userAnswer, {
  id: "removeUser",
  summary: "Remove a user",
  description: "Removes a user and ends their sessions and links. The last owner can't be removed.",
  refusals: ["not_found", "refused"],
  run: (tx, { account }, id) => removeUser(tx, account.id, id),
});

const resetBody = z.object({
  remove_second_factor: field(
    flag.optional(),
    "Whether to remove the user's second factor too, because it was lost.",
  ),
});

export const resetUserOperation: V2Operation = {
  id: "resetUser",
  summary: "Make a link that sets a user's password",
  description:
    "Makes a link to set a user's new password. It works once, within a day. Earlier links stop working.",
  body: resetBody,
  answer: userWithLinkAnswer,
  refusals: ["not_found"],
  handle: async (request) => {
    const { event, account, context, limitInvitation } = request;
    const body = shapeInput(resetBody, await readJson(event));
    const isMailed = request.mail !== null;
    const id = readPathId(event);
    if (isMailed) await limitInvitation(account.id, (await loadUser(context.store, account.id, id)).email);
    const given = { id, removesSecondFactor: body.remove_second_factor, isMailed };
    return linkJson(request, await context.store.transact((tx) => resetUser(tx, context, account, given)));
  },
};

/** The link is shown only if it was not sent by e-mail. */
function linkJson({ public_url, mail }: V2Request, { user, token }: UserWithLink) {
  const link = mail === null ? linkAddress(public_url, token) : null;
  return { ...userAnswer.json(user), link, is_mailed: mail !== null };
}
