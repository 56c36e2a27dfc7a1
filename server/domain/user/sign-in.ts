import { Failure } from "../../failure.ts";
import { accounts, SYSTEM, type Account } from "../account/account.ts";
import { isPasswordAnyway } from "../password/password.ts";
import { findSession, isOfPassword, openSession, type Holder, type Session } from "../session/session.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { passSecondFactor } from "./second-factor.ts";
import { findUser, findUserByEmail, users } from "./user.ts";
import type { User } from "./record.ts";

/** The input on the sign-in page. */
export interface Credentials {
  email: string;
  password: string;
  /** A code of the second factor, or a recovery code. undefined: not given. */
  code?: string | undefined;
  device: string | null;
}

/** A user who has just signed in. */
export interface SignedIn {
  account: Account;
  user: User;
  /** The token of the new session. */
  token: string;
}

/**
 * Signs a user in by e-mail address and password. An unknown address takes as long as a wrong password and is refused
 * in the same words, so that nobody can ask who is a user.
 *
 * @throws Failure `unauthorized`, or `second_factor_required` if only the code is missing or wrong
 */
export async function signIn(
  context: Context,
  { email, password, code, device }: Credentials,
): Promise<SignedIn> {
  const { store } = context;
  const found = await findUserByEmail(store, email);
  const isRight = await isPasswordAnyway(context, password, found?.passwordHash ?? null);
  if (found === null || !isRight) throw wrongCredentials();
  return store.transact(async (tx) => {
    const current = await findUser(tx, found.id);
    // The user may have been removed, or the password changed, while it was checked.
    if (current === null || current.passwordHash !== found.passwordHash) throw wrongCredentials();
    return putSignIn(tx, context, { user: passSecondFactor(current, code, context.now), device });
  });
}

/** Writes a user who signs in, and opens the session, as part of a larger change. */
export async function putSignIn(
  tx: Transaction,
  context: Context,
  { user: before, device }: { user: User; device: string | null },
): Promise<SignedIn> {
  const user = { ...before, lastSignInAt: context.now.toISOString() };
  await tx.put(users, user);
  const account = await tx.get(accounts, SYSTEM, user.ownerId);
  if (account === null) throw new Error(`The account of user ${user.id} is gone`);
  const { passwordHash } = user;
  const { token } = await openSession(tx, context, { holder: holderOf(user), passwordHash, device });
  return { account, user, token };
}

/** The holder of a user's sessions. */
export function holderOf({ ownerId, id }: User): Holder {
  return { kind: "user", accountId: ownerId, id };
}

/** A signed-in user. */
export interface SignedInUser {
  account: Account;
  user: User;
  session: Session;
}

/** The user that the token of a session stands for, or null. Role and account are those of this moment. */
export async function findSignedInUser(
  context: Pick<Context, "store" | "now">,
  token: string,
): Promise<SignedInUser | null> {
  const session = await findSession(context, "user", token);
  if (session === null) return null;
  const user = await findUser(context.store, session.holder.id);
  if (user === null || !isOfPassword(session, user.passwordHash)) return null;
  const account = await context.store.get(accounts, SYSTEM, user.ownerId);
  return account && { account, user, session };
}

function wrongCredentials(): Failure {
  return new Failure("unauthorized", "The e-mail address or the password is wrong");
}
