import { Failure } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import { writePromoterAccess } from "../../access/audit/audit.ts";
import type { Actor, Context } from "../../context.ts";
import { keepPassword } from "../../access/password.ts";
import { endSessions } from "../../access/session.ts";
import { withoutAccess } from "../promoter/changes.ts";
import { loadPromoter, loadPromoterInUse, promoters, signedOut } from "../promoter/promoter.ts";
import { LIFE_MS, signInUrl } from "./sign-in.ts";

/** A link that signs a promoter in. */
export interface EntryLink {
  url: string;
  ends_at: Date;
}

/**
 * Makes a link that signs a promoter in once, for the company to pass on.
 *
 * @throws Failure `not_found`, or `refused` for an archived promoter
 */
export function makeEntryLink(
  context: Context & { actor: Actor; public_url: string },
  account: Account,
  promoterId: number,
): Promise<EntryLink> {
  return context.store.transact(async (tx) => {
    const promoter = await loadPromoterInUse(tx, account.id, promoterId);
    await writePromoterAccess(tx, context, { action: "let_in", promoter });
    const endsAt = new Date(context.now.getTime() + LIFE_MS.entry);
    return { url: signInUrl(context, { account, promoter }, "entry"), ends_at: endsAt };
  });
}

/**
 * Sets a password with which a promoter signs in until they have chosen their own.
 *
 * @throws Failure `not_found`, or `refused` if they are archived or have chosen one
 */
export async function setFirstPassword(
  context: Context & { actor: Actor },
  account: Account,
  { promoter_id, password }: { promoter_id: number; password: string },
): Promise<void> {
  const { hash: tempPasswordHash } = await keepPassword(context, password);
  await context.store.transact(async (tx) => {
    const promoter = await loadPromoterInUse(tx, account.id, promoter_id);
    if (promoter.password_hash !== undefined) {
      throw new Failure("refused", "The promoter has chosen a password of their own");
    }
    await tx.put(promoters, { ...signedOut(promoter), temp_password_hash: tempPasswordHash });
    await writePromoterAccess(tx, context, { action: "let_in", promoter });
  });
}

/**
 * Signs a promoter out everywhere. Their sign-in links and their auth token open nothing from then on.
 *
 * @throws Failure `not_found`
 * @see docs/spec/common.md "Authentication", 6
 */
export async function signOutEverywhere(
  { store, chance }: Context,
  accountId: number,
  promoterId: number,
): Promise<void> {
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, promoterId);
    await tx.put(promoters, withoutAccess(promoter, chance));
    await endSessions(tx, { kind: "promoter", account_id: accountId, id: promoterId });
  });
}
