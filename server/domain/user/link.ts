import { Failure } from "../../failure.ts";
import { auditedStore } from "../audit/audited-store.ts";
import type { Actor } from "../audit/audit.ts";
import { SYSTEM } from "../account/account.ts";
import { keepPassword } from "../password/password.ts";
import { endSessions } from "../session/session.ts";
import type { Context } from "../context.ts";
import { findUser, newUserId, putUser } from "./user.ts";
import type { LinkKind, User, UserLink } from "./record.ts";
import { passSecondFactor } from "./second-factor.ts";
import { holderOf, putSignIn, type SignedIn } from "./sign-in.ts";
import { table } from "../../storage/table.ts";
import { digest } from "../../storage/digests.ts";
import type { Reader, Transaction } from "../../storage/store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIFETIMES_MS: Record<LinkKind, number> = { owner: DAY_MS, invitation: 7 * DAY_MS, reset: DAY_MS };
const TOKEN_LENGTH = 43;
/** Nobody has more links than this that have not expired. */
const MAX_LINKS = 1_000;

/** Stored by the hash of the token, like sessions. */
export const userLinks = table<UserLink>()({
  name: "user-link",
  key: ["hash"],
  columns: { hash: "text", kind: "text", owner_id: "integer", user_id: "integer", expires_at: "text" },
  indexes: { user: { on: ["user_id"], where: "user_id is not null" } },
  owner: ({ ownerId }) => ownerId,
});

/** Writes a new link as part of a larger change and returns its token. The user's earlier links end unless told otherwise. */
export async function putUserLink(
  tx: Transaction,
  { chance, now }: Pick<Context, "chance" | "now">,
  {
    kind,
    ownerId,
    userId,
    keepsOthers = false,
  }: Pick<UserLink, "kind" | "ownerId" | "userId"> & { keepsOthers?: boolean },
): Promise<string> {
  const token = chance.token(TOKEN_LENGTH);
  if (userId !== null && !keepsOthers) await removeLinks(tx, userId);
  await tx.put(userLinks, {
    accountId: SYSTEM,
    hash: digest(token),
    kind,
    ownerId,
    userId,
    expiresAt: new Date(now.getTime() + LIFETIMES_MS[kind]).toISOString(),
  });
  return token;
}

/** The page that a link opens. The token is in the fragment, which browsers send to nobody. */
export function linkAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/admin/welcome#${token}`;
}

/** A link that is still good, and its user. @throws Failure `not_found` */
export async function loadUserLink(
  reader: Reader,
  token: string,
  now: Date,
): Promise<{ link: UserLink; user: User | null }> {
  const link = await reader.get(userLinks, SYSTEM, digest(token));
  const user = link?.userId == null ? null : await findUser(reader, link.userId);
  const isGood = link !== null && Date.parse(link.expiresAt) > now.getTime();
  if (!isGood || (link.userId !== null && user === null)) {
    throw new Failure("not_found", "This link was used before or has expired");
  }
  return { link, user };
}

/** The input on the page of a link. */
export interface LinkInput {
  token: string;
  password: string;
  /** undefined: unchanged. */
  name?: string | undefined;
  /** Only a link for the first owner takes it, and needs it. */
  email?: string | undefined;
  /** A code of the second factor. A reset of the password does not replace it. */
  code?: string | undefined;
  device: string | null;
}

/**
 * Sets a password by a link, which is used up by it, and signs in. All other sessions and links of the user end.
 *
 * @throws Failure `not_found`, `missing` for a first owner without an e-mail address, `taken`, or
 * `second_factor_required`
 */
export async function followUserLink(context: Context, input: LinkInput): Promise<SignedIn> {
  const { now } = context;
  // Hashing is slow on purpose, so a link that is no good must not cost it.
  const { user: known } = await loadUserLink(context.store, input.token, now);
  const { hash } = await keepPassword(context, input.password);
  const id = known?.id ?? (await newUserId(context));
  const actor: Actor = { kind: "user", id, name: known?.email ?? input.email ?? null };
  const store = auditedStore(context.store, { actor, clock: () => now });
  return store.transact(async (tx) => {
    const { link, user: before } = await loadUserLink(tx, input.token, now);
    await tx.remove(userLinks, SYSTEM, link.hash);
    const passed = before && passSecondFactor(before, input.code, now);
    const user =
      passed === null
        ? await putFirstOwner(tx, now, { ...input, id, ownerId: link.ownerId, passwordHash: hash })
        : { ...passed, name: input.name ?? passed.name, passwordHash: hash };
    await removeLinks(tx, user.id);
    await endSessions(tx, holderOf(user));
    return putSignIn(tx, context, { user, device: input.device });
  });
}

/** Removes all links of a user as part of a larger change. */
export async function removeLinks(tx: Transaction, userId: number): Promise<void> {
  for (const { hash } of await tx.view.page(userLinks, "user", SYSTEM, [userId], { limit: MAX_LINKS })) {
    await tx.remove(userLinks, SYSTEM, hash);
  }
}

async function putFirstOwner(
  tx: Transaction,
  now: Date,
  input: Pick<LinkInput, "email" | "name"> & { id: number; ownerId: number; passwordHash: string },
): Promise<User> {
  const { id, ownerId, passwordHash, email, name = null } = input;
  if (email === undefined)
    throw new Failure("missing", "email can't be blank", { email: ["can't be blank"] });
  return putUser(tx, now, { id, ownerId, passwordHash, email, name, role: "owner" });
}
