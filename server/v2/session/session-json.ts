import { z } from "zod";
import { timeZoneOf } from "../../domain/account/time-zone.ts";
import type { Account } from "../../domain/account/account.ts";
import { ROLES, type User } from "../../domain/user/user.ts";

/** The signed-in user and their account. */
export const sessionAnswer = z
  .object({
    user: z.object({
      id: z.int(),
      email: z.string(),
      name: z.string(),
      role: z.enum(ROLES),
      has_second_factor: z.boolean(),
    }),
    account: z.object({
      id: z.string(),
      name: z.string(),
      currency: z.string(),
      time_zone: z.string(),
    }),
  })
  .meta({ id: "Session" });

/** A session as its own user sees it. */
export function sessionJson(user: User, account: Account): z.output<typeof sessionAnswer> {
  return {
    user: {
      id: user.id,
      email: user.email,
      name: user.name ?? user.email,
      role: user.role,
      has_second_factor: user.secondFactor !== null,
    },
    account: {
      id: account.publicId,
      name: account.name,
      currency: account.currency,
      time_zone: timeZoneOf(account),
    },
  };
}
