import { Failure } from "../../../failure.ts";
import type { Reader } from "../../../storage/store.ts";
import { users } from "../../access/user/user.ts";
import { SYSTEM, type Actor, type Context } from "../../context.ts";
import type { Account } from "../../program/account/account.ts";
import type { Show } from "../../show.ts";
import { batchReference, lockPaymentsBatch, paymentsBatches, type PaymentsBatch } from "./batch.ts";
import { PAYABLE, RETRIABLE } from "./changes.ts";

/** Where the approval of a batch stands for one caller. */
export interface Approval {
  isRequired: boolean;
  /** Why the caller can't approve it, or null if they can. */
  notApprovableBecause: string | null;
  /** Why the caller can't send it by a provider, or null if no approval is missing. */
  notSendableBecause: string | null;
}

/** Where the approval of a batch stands for the caller. */
export async function approvalOf(
  { store, actor }: Context,
  account: Account,
  batch: PaymentsBatch,
): Promise<Approval> {
  return {
    isRequired: account.requiresSecondPerson === true,
    notApprovableBecause: await notApprovable(store, batch, actor),
    notSendableBecause: notSendable(account, batch, actor),
  };
}

/**
 * Lets another user send a batch by a provider. A stolen session, or one person alone, can't send money then.
 *
 * @throws Failure `not_found`, or `refused` for a caller who is no user with a second factor or who has made the batch, or if
 * nothing is to be sent
 */
export function approveBatch<T>(
  { store, actor, now }: Context,
  accountId: number,
  { id, show }: { id: number; show: Show<PaymentsBatch, T> },
): Promise<T> {
  return store.transact(async (tx) => {
    const before = await lockPaymentsBatch(tx, accountId, id);
    const reason = await notApprovable(tx, before, actor);
    if (reason !== null) throw new Failure("refused", reason);
    const { id: userId, name } = actor!;
    const approvedBy = { userId: userId!, email: name ?? "", at: now.toISOString() };
    const after = { ...before, approvedBy };
    await tx.put(paymentsBatches, after);
    return show(tx.view, after);
  });
}

/** @throws Failure `refused` until another user has approved a batch */
export function refuseUnapproved({ actor }: Context, account: Account, batch: PaymentsBatch): void {
  const reason = notSendable(account, batch, actor);
  if (reason !== null) throw new Failure("refused", reason);
}

async function notApprovable(
  reader: Reader,
  batch: PaymentsBatch,
  actor: Actor | undefined,
): Promise<string | null> {
  const user = actor?.kind === "user" ? await reader.get(users, SYSTEM, actor.id!) : null;
  if (user === null || user.secondFactor === null)
    return "Only a user with a second factor can approve a payments batch";
  if (user.id === batch.madeBy?.userId)
    return `You have made ${batchReference(batch)}, so another user must approve it`;
  // Some payouts may have failed while others are under way.
  const isOpen = batch.status === "processing" || PAYABLE.includes(batch.status);
  if (!isOpen && !RETRIABLE.includes(batch.status))
    return `A ${batch.status} payments batch can't be approved`;
  return null;
}

function notSendable(account: Account, batch: PaymentsBatch, actor: Actor | undefined): string | null {
  if (account.requiresSecondPerson !== true) return null;
  const name = batchReference(batch);
  if (batch.approvedBy === undefined) return `A second person must approve ${name} before it is sent`;
  if (actor?.kind === "user" && actor.id === batch.approvedBy.userId)
    return `You have approved ${name}, so another user must send it`;
  // The approver may have made the key.
  if (actor?.kind === "key") return `A user must send ${name}, not a key`;
  return null;
}
