import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { isPassword } from "../password/password.ts";
import { loadPromoter, promoters } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import { endSessions, openSession, type OpenedSession, type Session } from "../session/session.ts";

/** A new password of a promoter. */
interface PasswordChange {
  promoter: Promoter;
  session: Session;
  /** null: not given. */
  currentPassword: string | null;
  passwordHash: string;
}

/**
 * Sets a promoter's password. All their sessions end, and the one that asked gets a successor.
 *
 * Choice: whoever has a password must know it. A session that began with a temporary password, or of a promoter
 * without a password, needs none.
 *
 * @throws Failure `invalid` if the current password is wrong
 */
export async function setPassword(context: Context, change: PasswordChange): Promise<OpenedSession> {
  const { promoter, session, currentPassword, passwordHash } = change;
  const { accountId, id } = promoter;
  const known = promoter.passwordHash;
  const isKnown =
    known === undefined ||
    session.mustSetPassword === true ||
    (currentPassword !== null && (await isPassword(context, currentPassword, known)));
  if (!isKnown) throw wrongPassword();
  return context.store.transact(async (tx) => {
    const current = await loadPromoter(tx, accountId, id);
    if (current.passwordHash !== known) throw wrongPassword();
    await tx.put(promoters, { ...current, passwordHash, tempPasswordHash: null });
    await endSessions(tx, session.holder);
    const { holder, device, endsAt } = session;
    return openSession(tx, context, {
      holder,
      passwordHash,
      device,
      ...(endsAt !== null && { endsAt: new Date(endsAt) }),
    });
  });
}

function wrongPassword(): Failure {
  const fields = { current_password: ["is wrong"] };
  return new Failure("invalid", "Validation failed: current_password is wrong", fields);
}
