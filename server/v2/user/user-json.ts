import { z } from "zod";
import { ROLES, type User } from "../../domain/user/user.ts";

/** A user of the account. */
export const userAnswer = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    has_password: z.boolean(),
    has_second_factor: z.boolean(),
    created_at: z.iso.datetime(),
    last_sign_in_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "User" });

/** A user with a link that sets the password. */
export const userWithLinkAnswer = userAnswer
  .extend({ link: z.string().nullable(), is_mailed: z.boolean() })
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
