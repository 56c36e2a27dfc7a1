import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import type { User } from "../user/record.ts";
import { enqueue, newDelivery } from "../webhook/delivery.ts";
import type { Transaction } from "../../storage/store.ts";

/**
 * Writes an e-mail with a link that sets a user's password. The link is made when the e-mail is sent, so that no store,
 * copy or export holds one. `id` is an id of the kind `delivery`.
 */
export async function enqueueUserEmail(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { id, account, user }: { id: number; account: Account; user: User },
): Promise<void> {
  const email = {
    kind: user.passwordHash === null ? "user_invitation" : "user_reset",
    promoterId: null,
    userId: user.id,
    to: user.email,
    // Nothing that somebody else wrote about a person may reach them before they have followed the link.
    values: {
      first_name: user.passwordHash === null ? user.email : (user.name ?? user.email),
      email: user.email,
      company_name: account.name,
    },
  } as const;
  const lane = `user/${user.id}`;
  await enqueue(tx, newDelivery({ id, ownerId: account.id, lane, email, createdAt: now.toISOString() }), now);
}
