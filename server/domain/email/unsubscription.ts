import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Unsubscription } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader } from "../../storage/store.ts";
import type { Context } from "../context.ts";

export const unsubscriptions = table<Unsubscription>()({
  name: "unsubscription",
  key: ["promoter_id"],
  columns: { promoter_id: "integer", at: "text" },
});

/** The token in the links of this promoter's e-mails. It proves that the sender received one. */
export function unsubscribeToken({ addressKey }: Account, promoterId: number): string {
  return createHmac("sha256", addressKey).update(`unsubscribe ${promoterId}`).digest("base64url");
}

/** Stops all e-mails to a promoter. @throws Failure `not_found` for a token that is not theirs */
export async function unsubscribe(
  { store, now }: Context,
  account: Account,
  { promoterId, token }: { promoterId: number; token: string },
): Promise<void> {
  const own = Buffer.from(unsubscribeToken(account, promoterId));
  const given = Buffer.from(token);
  if (own.length !== given.length || !timingSafeEqual(own, given)) {
    throw new Failure("not_found", "This link is not valid.");
  }
  await store.transact((tx) =>
    tx.put(unsubscriptions, { accountId: account.id, promoterId, at: now.toISOString() }),
  );
}

/** Whether a promoter wants no e-mails. */
export async function isUnsubscribed(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<boolean> {
  return (await reader.get(unsubscriptions, accountId, promoterId)) !== null;
}
