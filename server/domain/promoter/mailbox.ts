import type { Mailbox } from "./record.ts";
import { table } from "../../storage/table.ts";
import { digest } from "../../storage/digests.ts";
import type { Transaction } from "../../storage/store.ts";

/** Stored by hash, because an address is personal and this is kept for ever. */
export const mailboxes = table<Mailbox>()({
  name: "mailbox",
  key: ["mailbox_hash"],
  columns: { mailbox_hash: "text", first_promoter_id: "integer" },
  indexes: { firstPromoter: { on: ["first_promoter_id"] } },
});

/** The mailbox behind an address: lower case, without a plus tag, and for Gmail without dots. */
export function mailbox(email: string): string {
  const [local = "", domain = ""] = splitAtLast(email.trim().toLowerCase(), "@");
  const untagged = local.replace(/\+.*$/, "");
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${untagged.replaceAll(".", "")}@gmail.com` : `${untagged}@${domain}`;
}

/**
 * Whether another promoter already has this promoter's mailbox. If nobody has it, this promoter gets it. It is read
 * and written by key, so that only one of several simultaneous promoters can be the first.
 */
export async function isSharedMailbox(
  tx: Transaction,
  promoter: { accountId: number; id: number; email: string },
): Promise<boolean> {
  const { accountId, id, email } = promoter;
  const mailboxHash = digest(mailbox(email));
  const known = await tx.get(mailboxes, accountId, mailboxHash);
  if (known === null) await tx.put(mailboxes, { accountId, mailboxHash, firstPromoterId: id });
  return known !== null && known.firstPromoterId !== id;
}

/** Deletes the mailboxes that belong to a promoter. */
export async function forgetMailboxes(
  tx: Transaction,
  { accountId, id }: { accountId: number; id: number },
): Promise<void> {
  const own = await tx.view.list(mailboxes, "firstPromoter", accountId, [id]);
  for (const { mailboxHash } of own) await tx.remove(mailboxes, accountId, mailboxHash);
}

function splitAtLast(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
