import { SYSTEM } from "../account/account.ts";
import type { Context } from "../context.ts";
import type { Holder, HolderKind, Session } from "./record.ts";
import { table } from "../../storage/table.ts";
import { digest, numberOf } from "../../storage/digests.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** A session that was not used for this long has ended. */
const IDLE_MS = 14 * 24 * HOUR_MS;
const TOKEN_LENGTH = 43;
const MAX_DEVICE_LENGTH = 300;
/** More sessions of one person than anybody opens by hand. */
const MAX_LISTED = 1_000;

/** Stored by the hash of the token, so that a request costs one read and the token itself is stored nowhere. */
export const sessions = table<Session>()({
  name: "session",
  key: ["hash"],
  columns: {
    hash: "text",
    holder_kind: ["text", ({ holder }) => holder.kind],
    holder_account_id: ["integer", ({ holder }) => holder.accountId],
    holder_id: ["integer", ({ holder }) => holder.id],
    created_at: "text",
    seen_at: "text",
    ends_at: "text",
  },
  indexes: { holder: { on: ["holder_kind", "holder_account_id", "holder_id"] } },
  owner: ({ holder }) => holder.accountId,
});

/** The input for a session. */
export interface NewSession {
  holder: Holder;
  /** null: the holder has no password. */
  passwordHash: string | null;
  device: string | null;
  /** Absent: it ends only when nobody uses it. */
  endsAt?: Date;
  mustSetPassword?: boolean;
  isReadOnly?: boolean;
}

/** A session and its token, which is never shown again. */
export interface OpenedSession {
  session: Session;
  token: string;
}

/**
 * Opens a session as part of the transaction that checked the holder. The token is always a new one, so that nobody
 * can choose the token of somebody else's session beforehand.
 */
export async function openSession(
  tx: Transaction,
  { chance, now }: Pick<Context, "chance" | "now">,
  { holder, passwordHash, device, endsAt, mustSetPassword, isReadOnly }: NewSession,
): Promise<OpenedSession> {
  const token = chance.token(TOKEN_LENGTH);
  const session: Session = {
    accountId: SYSTEM,
    hash: digest(token),
    holder,
    passwordDigest: passwordDigest(passwordHash),
    device: device?.slice(0, MAX_DEVICE_LENGTH) ?? null,
    createdAt: now.toISOString(),
    seenAt: now.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
    ...(mustSetPassword && { mustSetPassword }),
    ...(isReadOnly && { isReadOnly }),
  };
  await tx.put(sessions, session);
  return { session, token };
}

/** The session of this kind that a token opens, or null. The caller also checks `isOfPassword`. */
export async function findSession(
  { store, now }: Pick<Context, "store" | "now">,
  kind: HolderKind,
  token: string,
): Promise<Session | null> {
  const session = await store.get(sessions, SYSTEM, digest(token));
  if (session === null || session.holder.kind !== kind || hasEnded(session, now)) return null;
  return session;
}

/** Whether a session was opened by the password that its holder has now. */
export function isOfPassword(session: Session, passwordHash: string | null): boolean {
  return session.passwordDigest === passwordDigest(passwordHash);
}

/** Notes that a session is in use. It writes once an hour at most. */
export async function noteUse(
  { store, now }: Pick<Context, "store" | "now">,
  session: Session,
): Promise<void> {
  if (now.getTime() - Date.parse(session.seenAt) < HOUR_MS) return;
  await store.transact(async (tx) => {
    const current = await tx.get(sessions, SYSTEM, session.hash);
    // It may have been revoked meanwhile.
    if (current !== null) await tx.put(sessions, { ...current, seenAt: now.toISOString() });
  });
}

/** The sessions of a holder that have not ended, the one used last first. */
export async function listSessions(store: Store, holder: Holder, now: Date): Promise<Session[]> {
  const all = await sessionsOf(store, holder);
  return all
    .filter((session) => !hasEnded(session, now))
    .sort((a, b) => b.seenAt.localeCompare(a.seenAt) || b.createdAt.localeCompare(a.createdAt));
}

/** The number by which its holder names a session. The hash stays with us. */
export function sessionId({ hash }: Pick<Session, "hash">): number {
  return numberOf(hash);
}

/** Ends a session. It may have ended before. */
export async function endSession(store: Store, { hash }: Pick<Session, "hash">): Promise<void> {
  await store.transact((tx) => tx.remove(sessions, SYSTEM, hash));
}

/** Ends all sessions of a holder as part of a larger change, or all but one. */
export async function endSessions(
  tx: Transaction,
  holder: Holder,
  { except = null }: { except?: string | null } = {},
): Promise<void> {
  for (const { hash } of await sessionsOf(tx.view, holder)) {
    if (hash !== except) await tx.remove(sessions, SYSTEM, hash);
  }
}

/** Whether nobody can use a session any more. */
export function hasEnded({ seenAt, endsAt }: Session, now: Date): boolean {
  if (endsAt !== null && Date.parse(endsAt) <= now.getTime()) return true;
  return now.getTime() - Date.parse(seenAt) > IDLE_MS;
}

function sessionsOf(view: Pick<Store, "page"> & Reader, { kind, accountId, id }: Holder): Promise<Session[]> {
  return view.page(sessions, "holder", SYSTEM, [kind, accountId, id], { limit: MAX_LISTED });
}

/** A session must not hold the hash itself, because sessions are read far more often than passwords. */
function passwordDigest(passwordHash: string | null): string {
  return digest(passwordHash ?? "");
}
