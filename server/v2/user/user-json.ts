import { z } from "zod";
import { ROLES, type User } from "../../domain/access/user/user.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** A user of the account. */
export const userAnswer = z
  .object({
    id: recordId,
    email: field(
      z.string(),
      "The user's e-mail address. It is unique in the whole server.",
      "alex@acme.example",
    ),
    name: field(z.string(), "The user's name, or the e-mail address if they gave none.", "Alex Kim"),
    role: field(
      z.enum(ROLES),
      "`viewer`: reads. `manager`: also changes. `owner`: also pays and manages users, keys and the account.",
    ),
    has_password: field(z.boolean(), "Whether the promoter has chosen a password."),
    has_second_factor: field(z.boolean(), "Whether the user signs in with a code as well."),
    created_at: createdAt,
    last_sign_in_at: field(
      z.iso.datetime().nullable(),
      "When the user last signed in, or null if they never have.",
    ),
  })
  .meta({ id: "User" });

/** A user with a link that sets the password. */
export const userWithLinkAnswer = userAnswer
  .extend({
    link: field(
      z.string().nullable(),
      "The link that sets the user's password, once, for you to hand over. Null if it was sent by e-mail.",
      "https://track.example.com/admin/welcome#q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
    ),
    is_mailed: field(z.boolean(), "Whether the link was sent to the user by e-mail."),
  })
  .meta({ id: "UserWithLink" });

/** A user as owners see them. */
export function userJson(user: User): z.output<typeof userAnswer> {
  return {
    id: user.id,
    email: user.email,
    name: user.name ?? user.email,
    role: user.role,
    has_password: user.passwordHash !== null,
    has_second_factor: user.secondFactor !== null,
    created_at: user.createdAt,
    last_sign_in_at: user.lastSignInAt,
  };
}
