import { z } from "zod";
import { shownName } from "../../domain/program/account/brand.ts";
import { timeZoneOf } from "../../domain/program/account/time-zone.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { ROLES, type User } from "../../domain/access/user/user.ts";
import { field } from "../../http/fields.ts";

/** The signed-in user and their account. */
export const sessionAnswer = z
  .object({
    user: field(
      z.object({
        id: field(z.int(), "Id of the user.", 3),
        email: field(z.string(), "The user's e-mail address.", "alex@acme.example"),
        name: field(z.string(), "The user's name, or the e-mail address if they gave none.", "Alex Kim"),
        role: field(
          z.enum(ROLES),
          "`viewer`: reads. `manager`: also changes. `owner`: also pays and manages users, keys and the account.",
        ),
        has_second_factor: field(z.boolean(), "Whether the user signs in with a code as well."),
      }),
      "The person who is signed in.",
    ),
    account: field(
      z.object({
        id: field(z.string(), "Public id of the account.", "acme"),
        name: field(z.string(), "Name of the account.", "Acme"),
        shown_name: field(
          z.string(),
          "The company's name as promoters see it: that of the brand or, if there is none, the account's.",
          "Acme Partners",
        ),
        currency: field(z.string(), "ISO 4217 code of the account's currency.", "USD"),
        time_zone: field(
          z.string(),
          "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
          "Europe/Berlin",
        ),
      }),
      "The account that the user belongs to.",
    ),
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
      has_second_factor: user.second_factor !== null,
    },
    account: {
      id: account.public_id,
      name: account.name,
      shown_name: shownName(account),
      currency: account.currency,
      time_zone: timeZoneOf(account),
    },
  };
}
