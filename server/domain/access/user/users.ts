import { Failure } from "../../../failure.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { accounts, type Account } from "../../program/account/account.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { isPasswordAnyway, keepPassword } from "../password.ts";
import { endSession, endSessions, listSessions, sessionId } from "../session.ts";
import { enqueue, newDelivery } from "../../events/webhook/delivery.ts";
import { holderOf, putSignIn, putUserLink, removeLinks, type SignedIn } from "./sign-in.ts";
import {
  canOwn,
  countOwners,
  findUser,
  findUserByEmail,
  newUserId,
  putUser,
  users,
  withoutSecondFactor,
  type Role,
  type User,
} from "./user.ts";

/** A user, and the token of a link that sets their password. */
export interface UserWithLink {
  user: User;
  token: string;
}

/** More users than any program has. */
const MAX_USERS = 1_000;

/** The users of an account, oldest first. */
export function listUsers(view: View, accountId: number): Promise<User[]> {
  return view.page(users, "owner", SYSTEM, [accountId], { limit: MAX_USERS });
}

/** A user of an account. @throws Failure `not_found` */
export async function loadUser(reader: Reader, accountId: number, id: number): Promise<User> {
  const user = await reader.get(users, SYSTEM, id);
  if (user?.owner_id !== accountId) throw new Failure("not_found", "User not found.");
  return user;
}

/** The input for an invitation. */
interface Invitation {
  email: string;
  name?: string | null | undefined;
  role: Role;
  /** Whether to send the link by e-mail as well. */
  isMailed: boolean;
}

/** Makes a user without a password, and the link that sets it. @throws Failure `taken` */
export async function inviteUser(
  tx: Transaction,
  context: Context,
  account: Account,
  { email, name = null, role, isMailed }: Invitation,
): Promise<UserWithLink> {
  const { id: owner_id } = account;
  const id = await newUserId(tx);
  const user = await putUser(tx, context.now, { id, owner_id, email, name, role, password_hash: null });
  const token = await putUserLink(tx, context, { kind: "invitation", owner_id, user_id: id });
  if (isMailed) await enqueueUserEmail(tx, context, { account, user });
  return { user, token };
}

/**
 * Sends a link that sets a new password to the user with this e-mail address, if there is one and `mayMail`
 * allows it.
 */
export async function mailReset(
  { store, now }: Context,
  email: string,
  mayMail: () => Promise<boolean>,
): Promise<void> {
  const found = await findUserByEmail(store, email);
  const account = found && (await store.get(accounts, SYSTEM, found.owner_id));
  if (found === null || account === null || !(await mayMail())) return;
  await store.transact((tx) => enqueueUserEmail(tx, { now }, { account, user: found }));
}

/** Changes a user's role or name. @throws Failure `not_found`, or `refused` for the last owner */
export async function updateUser(
  tx: Transaction,
  accountId: number,
  { id, role, name }: { id: number; role?: Role | undefined; name?: string | null | undefined },
): Promise<User> {
  const before = await loadUser(tx, accountId, id);
  const after = { ...before, role: role ?? before.role, name: name === undefined ? before.name : name };
  if (!canOwn(after)) await refuseLastOwner(tx, before);
  await tx.put(users, after);
  return after;
}

/**
 * Removes a user and ends their sessions and links.
 *
 * @throws Failure `not_found`, or `refused` for the last owner
 */
export async function removeUser(tx: Transaction, accountId: number, id: number): Promise<User> {
  const user = await loadUser(tx, accountId, id);
  await refuseLastOwner(tx, user);
  await tx.remove(users, SYSTEM, id);
  await endSessions(tx, holderOf(user));
  await removeLinks(tx, id);
  return user;
}

/** The user who gets a new password. */
interface Reset {
  id: number;
  removesSecondFactor?: boolean | undefined;
  /** Whether to send the link by e-mail as well. */
  isMailed: boolean;
}

/**
 * Makes a link that sets a user's password. The present password works until then. A lost second factor can
 * be removed as well.
 *
 * @throws Failure `not_found`
 */
export async function resetUser(
  tx: Transaction,
  context: Context,
  account: Account,
  { id, removesSecondFactor = false, isMailed }: Reset,
): Promise<UserWithLink> {
  const before = await loadUser(tx, account.id, id);
  const user = removesSecondFactor ? withoutSecondFactor(before) : before;
  if (removesSecondFactor) await tx.put(users, user);
  if (isMailed) await enqueueUserEmail(tx, context, { account, user });
  const kind = user.password_hash === null ? "invitation" : "reset";
  return { user, token: await putUserLink(tx, context, { kind, owner_id: account.id, user_id: id }) };
}

/**
 * Changes the password of a user who knows it. All other sessions end, and this one gets a new token. The transaction
 * begins after the hashing, which is slow.
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
    if (now === null || now.password_hash !== user.password_hash) {
      throw new Failure("unauthorized", "The session has ended. Sign in again.");
    }
    const changed = { ...now, password_hash: hash };
    await endSessions(tx, holderOf(user));
    await removeLinks(tx, user.id);
    return putSignIn(tx, context, { user: changed, device });
  });
}

/** @throws Failure `invalid` for a wrong password */
export async function requirePassword(
  context: Context,
  { password_hash }: User,
  password: string,
): Promise<void> {
  if (await isPasswordAnyway(context, password, password_hash)) return;
  const fields = { current_password: ["is wrong"] };
  throw new Failure("invalid", "Validation failed: current_password is wrong", fields);
}

/**
 * Removes a user's second factor.
 *
 * @throws Failure `refused` if the account requires one
 */
export async function removeSecondFactor(tx: Transaction, account: Account, { id }: User): Promise<User> {
  if (account.requires_second_factor === true) {
    throw new Failure("refused", "The account requires a second factor of every user");
  }
  return change(tx, id, withoutSecondFactor);
}

/** Changes a user's name. With null, the e-mail address is shown instead. */
export function changeName(tx: Transaction, { id }: User, name: string | null): Promise<User> {
  return change(tx, id, (user) => ({ ...user, name }));
}

async function change(tx: Transaction, id: number, changed: (user: User) => User): Promise<User> {
  const user = await findUser(tx, id);
  if (user === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
  const after = changed(user);
  await tx.put(users, after);
  return after;
}

/** Ends one of a user's sessions. @throws Failure `not_found` */
export async function endOwnSession(
  tx: Transaction,
  { now }: Context,
  user: User,
  id: number,
): Promise<void> {
  const own = await listSessions(tx.view, holderOf(user), now);
  const session = own.find((each) => sessionId(each) === id);
  if (session === undefined) throw new Failure("not_found", "Session not found.");
  await endSession(tx, session);
}

/**
 * Writes an e-mail with a link that sets a user's password. The link is made when the e-mail is sent, so that
 * stores, backups and exports never contain it.
 */
async function enqueueUserEmail(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { account, user }: { account: Account; user: User },
): Promise<void> {
  const id = await tx.nextId("delivery");
  const email = {
    kind: user.password_hash === null ? "user_invitation" : "user_reset",
    promoter_id: null,
    user_id: user.id,
    to: user.email,
    // Text that others wrote must not reach a person before they have followed the link.
    values: {
      first_name: user.password_hash === null ? user.email : (user.name ?? user.email),
      email: user.email,
      company_name: account.name,
    },
  } as const;
  const lane = `user/${user.id}`;
  await enqueue(
    tx,
    newDelivery({ id, owner_id: account.id, lane, email, created_at: now.toISOString() }),
    now,
  );
}

/**
 * An account without an owner can only be repaired on the command line.
 *
 * @throws Failure `refused`
 */
async function refuseLastOwner(tx: Transaction, user: User): Promise<void> {
  // Two simultaneous removals could each see the other's owner, so they are serialised.
  await tx.lock(accounts, SYSTEM, user.owner_id);
  if (!canOwn(user) || (await countOwners(tx, user.owner_id)) > 1) return;
  throw new Failure("refused", "The account needs an owner: make another user an owner first");
}
