import { Failure } from "../../failure.ts";
import { accounts, SYSTEM, type Account } from "../account/account.ts";
import { enqueueUserEmail } from "../email/user-email.ts";
import type { Context } from "../context.ts";
import { endSessions } from "../session/session.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { putUserLink, removeLinks } from "./link.ts";
import { withoutSecondFactor } from "./second-factor.ts";
import { holderOf } from "./sign-in.ts";
import { canOwn, countOwners, findUserByEmail, newUserId, putUser, users, type NewUser } from "./user.ts";
import type { Role, User } from "./record.ts";

/** More users than any program has. */
const MAX_USERS = 1_000;

/** A user, and the token of a link that sets their password. */
export interface UserWithLink {
  user: User;
  token: string;
}

/** The users of an account, oldest first. */
export function listUsers(store: Store, accountId: number): Promise<User[]> {
  return store.page(users, "owner", SYSTEM, [accountId], { limit: MAX_USERS });
}

/** A user of an account. @throws Failure `not_found` */
export async function loadUser(reader: Pick<Store, "get">, accountId: number, id: number): Promise<User> {
  const user = await reader.get(users, SYSTEM, id);
  if (user?.ownerId !== accountId) throw new Failure("not_found", "User not found.");
  return user;
}

/** The input for an invitation. */
export interface Invitation {
  email: string;
  name?: string | null | undefined;
  role: Role;
  /** Whether to send the link by e-mail as well. */
  isMailed: boolean;
}

/** Makes a user without a password, and the link that sets it. @throws Failure `taken` */
export async function inviteUser(
  context: Context,
  account: Account,
  { email, name = null, role, isMailed }: Invitation,
): Promise<UserWithLink> {
  const id = await newUserId(context);
  const deliveryId = isMailed ? await context.store.nextId("delivery") : null;
  const ownerId = account.id;
  const input: NewUser = { id, ownerId, email, name, role, passwordHash: null };
  return context.store.transact(async (tx) => {
    const user = await putUser(tx, context.now, input);
    const token = await putUserLink(tx, context, { kind: "invitation", ownerId, userId: id });
    if (deliveryId !== null) await enqueueUserEmail(tx, context, { id: deliveryId, account, user });
    return { user, token };
  });
}

/** Sends a link that sets a new password to the user with this e-mail address, if there is one and `mayMail` allows it. */
export async function mailReset(
  { store, now }: Context,
  email: string,
  mayMail: () => Promise<boolean>,
): Promise<void> {
  const found = await findUserByEmail(store, email);
  const account = found && (await store.get(accounts, SYSTEM, found.ownerId));
  if (found === null || account === null || !(await mayMail())) return;
  const id = await store.nextId("delivery");
  await store.transact((tx) => enqueueUserEmail(tx, { now }, { id, account, user: found }));
}

/** Changes a user's role or name. @throws Failure `not_found`, or `refused` for the last owner */
export function updateUser(
  { store }: Context,
  accountId: number,
  { id, role, name }: { id: number; role?: Role | undefined; name?: string | null | undefined },
): Promise<User> {
  return store.transact(async (tx) => {
    const before = await loadUser(tx, accountId, id);
    const after = { ...before, role: role ?? before.role, name: name === undefined ? before.name : name };
    if (!canOwn(after)) await refuseLastOwner(tx, before);
    await tx.put(users, after);
    return after;
  });
}

/** Removes a user, whose sessions and links end. @throws Failure `not_found`, or `refused` for the last owner */
export function removeUser({ store }: Context, accountId: number, id: number): Promise<User> {
  return store.transact(async (tx) => {
    const user = await loadUser(tx, accountId, id);
    await refuseLastOwner(tx, user);
    await tx.remove(users, SYSTEM, id);
    await endSessions(tx, holderOf(user));
    await removeLinks(tx, id);
    return user;
  });
}

/** The user who gets a new password. */
export interface Reset {
  id: number;
  removesSecondFactor?: boolean | undefined;
  /** Whether to send the link by e-mail as well. */
  isMailed: boolean;
}

/**
 * Makes a link that sets a user's password. The password that the user has works until then. A lost second factor can be
 * removed with it.
 *
 * @throws Failure `not_found`
 */
export async function resetUser(
  context: Context,
  account: Account,
  { id, removesSecondFactor = false, isMailed }: Reset,
): Promise<UserWithLink> {
  const accountId = account.id;
  const deliveryId = isMailed ? await context.store.nextId("delivery") : null;
  return context.store.transact(async (tx) => {
    const before = await loadUser(tx, accountId, id);
    const user = removesSecondFactor ? withoutSecondFactor(before) : before;
    if (removesSecondFactor) await tx.put(users, user);
    if (deliveryId !== null) await enqueueUserEmail(tx, context, { id: deliveryId, account, user });
    const kind = user.passwordHash === null ? "invitation" : "reset";
    return { user, token: await putUserLink(tx, context, { kind, ownerId: accountId, userId: id }) };
  });
}

/** An account without an owner could be helped only from the command line. @throws Failure `refused` */
async function refuseLastOwner(tx: Transaction, user: User): Promise<void> {
  // Two removals at once could each see the other's owner, so they take turns.
  await tx.lock(accounts, SYSTEM, user.ownerId);
  if (!canOwn(user) || (await countOwners(tx, user.ownerId)) > 1) return;
  throw new Failure("refused", "The account needs an owner: make somebody else an owner first");
}
