import { accounts, SYSTEM } from "../../domain/account/account.ts";
import { linkAddress, putUserLink } from "../../domain/user/sign-in.ts";
import { findUser } from "../../domain/user/user.ts";
import type { Delivery } from "../../domain/webhook/delivery.ts";
import type { OutboxParts } from "../parts.ts";

/** Whoever asked for a link does not wait longer for it. */
const LATE_MS = 24 * 60 * 60 * 1_000;

/** Where an e-mail to a user goes, and the values that are known only when it is sent. */
export interface UserEmail {
  to: string;
  from: string | null;
  values: Record<string, string>;
}

/** Makes the link of an e-mail to a user. null: nobody waits for it any more. */
export async function openUserEmail(
  { store, clock, chance, publicUrl }: OutboxParts,
  { ownerId, createdAt, email }: Delivery,
): Promise<UserEmail | null> {
  const now = clock();
  const userId = email?.userId ?? 0;
  if (now.getTime() - Date.parse(createdAt) > LATE_MS) return null;
  return store.transact(async (tx) => {
    const user = await findUser(tx, userId);
    const account = await tx.get(accounts, SYSTEM, ownerId);
    if (user === null || account === null) return null;
    const kind = user.passwordHash === null ? "invitation" : "reset";
    const token = await putUserLink(tx, { chance, now }, { kind, ownerId, userId, keepsOthers: true });
    return {
      to: user.email,
      from: account.mailSender,
      values: { ...email?.values, email: user.email, password_url: linkAddress(publicUrl, token) },
    };
  });
}
