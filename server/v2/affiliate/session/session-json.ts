import { z } from "zod";
import type { Account } from "../../../domain/account/account.ts";
import { timeZoneOf } from "../../../domain/account/time-zone.ts";
import { promoterName, type Promoter } from "../../../domain/promoter/promoter.ts";
import type { Session } from "../../../domain/session/session.ts";

/** Who is signed in to the portal. */
export const sessionAnswer = z
  .object({
    promoter: z.object({ id: z.int(), email: z.string(), name: z.string() }),
    account: z.object({ id: z.string(), name: z.string(), currency: z.string(), time_zone: z.string() }),
    must_set_password: z.boolean(),
    has_password: z.boolean(),
    is_read_only: z.boolean(),
  })
  .meta({ id: "PortalSession" });

/** Shows who is signed in. */
export function sessionJson({
  account,
  promoter,
  session,
}: {
  account: Account;
  promoter: Promoter;
  session: Session;
}): z.output<typeof sessionAnswer> {
  return {
    promoter: { id: promoter.id, email: promoter.email, name: promoterName(promoter) },
    account: {
      id: account.publicId,
      name: account.name,
      currency: account.currency,
      time_zone: timeZoneOf(account),
    },
    must_set_password: session.mustSetPassword ?? false,
    has_password: promoter.passwordHash !== undefined,
    is_read_only: session.isReadOnly ?? false,
  };
}
