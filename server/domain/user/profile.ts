import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { isPasswordAnyway, keepPassword } from "../password/password.ts";
import { endSession, endSessions, listSessions, sessionId } from "../session/session.ts";
import { removeLinks } from "./link.ts";
import { withoutSecondFactor } from "./second-factor.ts";
import { holderOf, putSignIn, type SignedIn } from "./sign-in.ts";
import { findUser, users } from "./user.ts";
import type { User } from "./record.ts";

/**
 * Changes the password of a user who knows it. All other sessions end, and this one gets a new token.
 *
 * @throws Failure `invalid` for a wrong password
 */
export async function changePassword(
  context: Context,
  user: User,
  { current, password, device }: { current: string; password: string; device: string | null },
): Promise<SignedIn> {
  await requirePassword(context, user, current);
  const { hash } = await keepPassword(context, password);
  return context.store.transact(async (tx) => {
    const now = await findUser(tx, user.id);
    if (now === null || now.passwordHash !== user.passwordHash) {
      throw new Failure("unauthorized", "The session has ended. Sign in again.");
    }
    const changed = { ...now, passwordHash: hash };
    await endSessions(tx, holderOf(user));
    await removeLinks(tx, user.id);
    return putSignIn(tx, context, { user: changed, device });
  });
}

/** @throws Failure `invalid` for a wrong password */
export async function requirePassword(
  context: Context,
  { passwordHash }: User,
  password: string,
): Promise<void> {
  if (await isPasswordAnyway(context, password, passwordHash)) return;
  const fields = { current_password: ["is wrong"] };
  throw new Failure("invalid", "Validation failed: current_password is wrong", fields);
}

/** Removes a user's second factor. @throws Failure `refused` if the account demands one */
export function removeSecondFactor({ store }: Context, account: Account, { id }: User): Promise<User> {
  if (account.requiresSecondFactor === true) {
    throw new Failure("refused", "The account demands a second factor of everybody");
  }
  return store.transact(async (tx) => {
    const user = await findUser(tx, id);
    if (user === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
    const after = withoutSecondFactor(user);
    await tx.put(users, after);
    return after;
  });
}

/** Changes the name of a user. null: the user shows by the e-mail address. */
export function changeName({ store }: Context, { id }: User, name: string | null): Promise<User> {
  return store.transact(async (tx) => {
    const user = await findUser(tx, id);
    if (user === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
    const after = { ...user, name };
    await tx.put(users, after);
    return after;
  });
}

/** Ends one of a user's sessions. @throws Failure `not_found` */
export async function endOwnSession({ store, now }: Context, user: User, id: number): Promise<void> {
  const own = await listSessions(store, holderOf(user), now);
  const session = own.find((each) => sessionId(each) === id);
  if (session === undefined) throw new Failure("not_found", "Session not found.");
  await endSession(store, session);
}
