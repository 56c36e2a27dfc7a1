import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { accounts, type Account } from "../../program/account/account.ts";
import { SYSTEM, type Context, type Actor } from "../../context.ts";
import { auditedStore } from "../audit/audited-store.ts";
import { isPasswordAnyway, keepPassword } from "../password.ts";
import {
  endSessions,
  findSession,
  isOfCredential,
  openSession,
  type Holder,
  type Session,
} from "../session.ts";
import { findUser, findUserByEmail, newUserId, passSecondFactor, putUser, users, type User } from "./user.ts";
import { DAY_MS } from "../../span.ts";

export const LINK_KINDS = ["owner", "invitation", "reset"] as const;

/**
 * - `owner`: makes the first owner
 * - `invitation`: sets the first password of an invited user
 * - `reset`: sets a new password
 */
export type LinkKind = (typeof LINK_KINDS)[number];

/** A user who has just signed in. */
export interface SignedIn {
  account: Account;
  user: User;
  /** The token of the new session. */
  token: string;
}

/** The input on the sign-in page. */
interface Credentials {
  email: string;
  password: string;
  /** A code of the second factor, or a recovery code. Undefined: not given. */
  code?: string | undefined;
  device: string | null;
}

/**
 * Signs a user in by e-mail address and password. An unknown address takes as long as a wrong password and
 * gets the same message, so that users' addresses can't be probed.
 *
 * @throws Failure `unauthorized`, or `second_factor_required` if only the code is missing or wrong
 */
export async function signIn(
  context: Context,
  { email, password, code, device }: Credentials,
): Promise<SignedIn> {
  const { store } = context;
  const found = await findUserByEmail(store, email);
  const isRight = await isPasswordAnyway(context, password, found?.password_hash ?? null);
  if (found === null || !isRight) throw wrongCredentials();
  return store.transact(async (tx) => {
    const current = await findUser(tx, found.id);
    // The user may have been removed, or the password changed, during the check.
    if (current === null || current.password_hash !== found.password_hash) throw wrongCredentials();
    return putSignIn(tx, context, { user: passSecondFactor(current, code, context.now), device });
  });
}

/** Writes a user who signs in, and opens the session, as part of a larger change. */
export async function putSignIn(
  tx: Transaction,
  context: Context,
  { user: before, device }: { user: User; device: string | null },
): Promise<SignedIn> {
  const user = { ...before, last_sign_in_at: context.now.toISOString() };
  await tx.put(users, user);
  const account = await tx.get(accounts, SYSTEM, user.owner_id);
  if (account === null) throw new Error(`The account of user ${user.id} is gone`);
  const { password_hash: credential } = user;
  const { token } = await openSession(tx, context, { holder: holderOf(user), credential, device });
  return { account, user, token };
}

/** The holder of a user's sessions. */
export function holderOf({ owner_id, id }: User): Holder {
  return { kind: "user", account_id: owner_id, id };
}

/** A signed-in user. */
export interface SignedInUser {
  account: Account;
  user: User;
  session: Session;
}

/** The user of a session's token, or null. Role and account are read anew each time. */
export async function findSignedInUser(
  context: Pick<Context, "store" | "now">,
  token: string,
): Promise<SignedInUser | null> {
  const session = await findSession(context, "user", token);
  if (session === null) return null;
  const user = await findUser(context.store, session.holder.id);
  if (user === null || !isOfCredential(session, user.password_hash)) return null;
  const account = await context.store.get(accounts, SYSTEM, user.owner_id);
  return account && { account, user, session };
}

const fields = {
  /** SHA-256 of the token, hexadecimal. */
  hash: text().secret(),
  kind: text<LinkKind>(),
  /** The account. */
  owner_id: integer(),
  /** Null if the user does not exist yet. */
  user_id: integer().nullable(),
  expires_at: time(),
};

/** A one-time right to set a password. Its token is in a link, and only the token's hash is stored. */
type UserLink = RowOf<typeof fields>;

/** Stored by the hash of the token, like sessions. */
export const userLinks = table("user-link", fields, {
  key: ["hash"],
  indexes: { user: { on: ["user_id"], where: "user_id is not null" } },
  owner: ({ owner_id }) => owner_id,
});

const TOKEN_LENGTH = 43;

const LIFETIMES_MS: Record<LinkKind, number> = { owner: DAY_MS, invitation: 7 * DAY_MS, reset: DAY_MS };

/**
 * Writes a new link as part of a larger change and returns its token. By default the user's earlier links
 * end.
 */
export async function putUserLink(
  tx: Transaction,
  { chance, now }: Pick<Context, "chance" | "now">,
  {
    kind,
    owner_id,
    user_id,
    keepsOthers = false,
  }: Pick<UserLink, "kind" | "owner_id" | "user_id"> & { keepsOthers?: boolean },
): Promise<string> {
  const token = chance.token(TOKEN_LENGTH);
  if (user_id !== null && !keepsOthers) await removeLinks(tx, user_id);
  await tx.put(userLinks, {
    account_id: SYSTEM,
    hash: digest(token),
    kind,
    owner_id,
    user_id,
    expires_at: new Date(now.getTime() + LIFETIMES_MS[kind]).toISOString(),
  });
  return token;
}

/** The page that a link opens. The token is in the fragment, which browsers never send. */
export function linkAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/admin/welcome#${token}`;
}

/**
 * A valid link and its user.
 *
 * @throws Failure `not_found`
 */
export async function loadUserLink(
  reader: Reader,
  token: string,
  now: Date,
): Promise<{ link: UserLink; user: User | null }> {
  const link = await reader.get(userLinks, SYSTEM, digest(token));
  const user = link?.user_id == null ? null : await findUser(reader, link.user_id);
  const isGood = link !== null && Date.parse(link.expires_at) > now.getTime();
  if (!isGood || (link.user_id !== null && user === null)) {
    throw new Failure("not_found", "This link was used before or has expired");
  }
  return { link, user };
}

/** The input on the page of a link. */
interface LinkInput {
  token: string;
  password: string;
  /** Undefined: unchanged. */
  name?: string | undefined;
  /** Required for a first owner's link, ignored for all others. */
  email?: string | undefined;
  /** A code of the second factor. A reset of the password does not replace it. */
  code?: string | undefined;
  device: string | null;
}

/**
 * Sets a password by a link, which it uses up, and signs in. All other sessions and links of the user end.
 *
 * @throws Failure `not_found`, `missing` for a first owner without an e-mail address, `taken`, or
 * `second_factor_required`
 */
export async function followUserLink(context: Context, input: LinkInput): Promise<SignedIn> {
  const { now } = context;
  // Hashing is slow on purpose, so an invalid link must not cause it.
  const { user: known } = await loadUserLink(context.store, input.token, now);
  const { hash } = await keepPassword(context, input.password);
  const id = known?.id ?? (await newUserId(context.store));
  const actor: Actor = { kind: "user", id, name: known?.email ?? input.email ?? null };
  const store = auditedStore(context.store, { actor, clock: () => now });
  return store.transact(async (tx) => {
    const { link, user: before } = await loadUserLink(tx, input.token, now);
    await tx.remove(userLinks, SYSTEM, link.hash);
    const passed = before && passSecondFactor(before, input.code, now);
    const user =
      passed === null
        ? await putFirstOwner(tx, now, { ...input, id, owner_id: link.owner_id, password_hash: hash })
        : { ...passed, name: input.name ?? passed.name, password_hash: hash };
    await removeLinks(tx, user.id);
    await endSessions(tx, holderOf(user));
    return putSignIn(tx, context, { user, device: input.device });
  });
}

/** More unexpired links than any user has. */
const MAX_LINKS = 1_000;

/** Removes all links of a user as part of a larger change. */
export async function removeLinks(tx: Transaction, userId: number): Promise<void> {
  for (const { hash } of await tx.view.page(userLinks, "user", SYSTEM, [userId], { limit: MAX_LINKS })) {
    await tx.remove(userLinks, SYSTEM, hash);
  }
}

function wrongCredentials(): Failure {
  return new Failure("unauthorized", "The e-mail address or the password is wrong");
}

async function putFirstOwner(
  tx: Transaction,
  now: Date,
  input: Pick<LinkInput, "email" | "name"> & { id: number; owner_id: number; password_hash: string },
): Promise<User> {
  const { id, owner_id, password_hash, email, name = null } = input;
  if (email === undefined)
    throw new Failure("missing", "email can't be blank", { email: ["can't be blank"] });
  return putUser(tx, now, { id, owner_id, password_hash, email, name, role: "owner" });
}
