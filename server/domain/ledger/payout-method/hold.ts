import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../../../failure.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { endSessions } from "../../access/session.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import type { Account } from "../../program/account/account.ts";
import { enqueueOwnerEmails } from "../money-email.ts";

/**
 * Records that a promoter has said that someone else changed their payout method. They are not paid until an owner has
 * released their payouts. It stays after that, so that the same link works once.
 */
export interface PayoutHold {
  accountId: number;
  promoterId: number;
  /** When the payout method was changed. Links about this change, and about earlier ones, have been used. */
  changedAt: string;
  heldAt: string;
  /** Null while the payouts are held. */
  releasedAt: string | null;
}

export const payoutHolds = table<PayoutHold>()({
  name: "payout-hold",
  key: ["promoter_id"],
  columns: { promoter_id: "integer", held_at: "text", released_at: "text" },
  indexes: { open: { on: ["held_at"], where: "released_at is null" } },
});

/** Why a promoter whose payouts are held is not paid. */
export const HELD = "The promoter says that someone else has changed the payout method";

type Sender = Pick<Account, "id" | "publicId" | "addressKey">;

/** A change of a payout method that a link is about. */
interface MethodChange {
  promoterId: number;
  changedAt: string;
}

/** The link by which a promoter says that someone else has changed their payout method. */
export function notMeUrl(publicUrl: string, account: Sender, change: MethodChange): string {
  const url = new URL(`${publicUrl}/not-me`);
  url.searchParams.set("cid", account.publicId);
  url.searchParams.set("promoter", String(change.promoterId));
  url.searchParams.set("at", change.changedAt);
  url.searchParams.set("token", tokenOf(account, change));
  return url.href;
}

/**
 * Holds the payouts of a promoter who says that someone else has changed the payout method, signs the promoter out
 * everywhere, and tells the owners.
 *
 * @throws Failure `not_found` for a token that is not theirs, `refused` if the link was used
 */
export function holdPayouts(
  context: Context,
  account: Sender,
  { token, ...change }: MethodChange & { token: string },
): Promise<void> {
  const own = Buffer.from(tokenOf(account, change));
  const given = Buffer.from(token);
  if (own.length !== given.length || !timingSafeEqual(own, given)) throw notValid();
  const { promoterId, changedAt } = change;
  return context.store.transact(async (tx) => {
    const promoter = await tx.lock(promoters, account.id, promoterId);
    if (promoter === null || isErased(promoter)) throw notValid();
    const before = await tx.get(payoutHolds, account.id, promoterId);
    if (before !== null && before.changedAt >= changedAt)
      throw new Failure("refused", "This link has been used already.");
    const heldAt = context.now.toISOString();
    await tx.put(payoutHolds, { accountId: account.id, promoterId, changedAt, heldAt, releasedAt: null });
    // Someone else may be signed in.
    await endSessions(tx, { kind: "promoter", accountId: account.id, id: promoterId });
    // The name is added when the e-mail is sent, so that an erasure need not look for it there.
    const values = { promoter_id: String(promoterId) };
    await enqueueOwnerEmails(tx, context, { accountId: account.id, kind: "payouts_held", values });
  });
}

/** Lets a promoter be paid again. @throws Failure `not_found` if the payouts are not held */
export function releasePayouts(context: Context, accountId: number, promoterId: number): Promise<void> {
  return context.store.transact(async (tx) => {
    const hold = await tx.lock(payoutHolds, accountId, promoterId);
    if (hold === null || hold.releasedAt !== null)
      throw new Failure("not_found", "The payouts of this promoter are not held.");
    await tx.put(payoutHolds, { ...hold, releasedAt: context.now.toISOString() });
  });
}

/** Whether the payouts of a promoter are held. */
export async function isHeld(reader: Reader, accountId: number, promoterId: number): Promise<boolean> {
  const hold = await reader.get(payoutHolds, accountId, promoterId);
  return hold !== null && hold.releasedAt === null;
}

/** @throws Failure `refused` if the payouts of one of these promoters are held */
export async function refuseHeld(
  reader: Reader | Transaction,
  accountId: number,
  promoterIds: Iterable<number>,
): Promise<void> {
  for (const promoterId of new Set(promoterIds)) {
    if (await isHeld(reader, accountId, promoterId)) {
      const words = `${HELD}, promoter ${promoterId}. Release the payouts first, or make a batch without them`;
      throw new Failure("refused", words);
    }
  }
}

/** The most holds that a list shows. */
const LISTED = 100;

/** The promoters whose payouts are held, oldest hold first. */
export function listHolds(store: Store, accountId: number): Promise<PayoutHold[]> {
  return store.page(payoutHolds, "open", accountId, [], { limit: LISTED });
}

/** Proves that the promoter got the e-mail about this change. */
function tokenOf({ addressKey }: Sender, { promoterId, changedAt }: MethodChange): string {
  return createHmac("sha256", addressKey)
    .update(`payout method ${promoterId} ${changedAt}`)
    .digest("base64url");
}

function notValid(): Failure {
  return new Failure("not_found", "This link is not valid.");
}
