import { createHmac, timingSafeEqual } from "node:crypto";
import { digest, numberOf } from "../../storage/digests.ts";
import { withoutFrozen } from "../../storage/freeze.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { flag, json, table, text, time, type RowOf } from "../../storage/table.ts";
import type { Account } from "../program/account/account.ts";
import { SYSTEM, type Chance, type Context, type LeasedContext } from "../context.ts";

const HOLDER_KINDS = ["user", "promoter"] as const;

/** Users sign in to the dashboard, promoters to the portal. */
export type HolderKind = (typeof HOLDER_KINDS)[number];

/** A signed-in person. */
export interface Holder {
  kind: HolderKind;
  account_id: number;
  /** The user's or the promoter's id. */
  id: number;
}

const fields = {
  /** SHA-256 of the token, hexadecimal. */
  hash: text().secret(),
  holder: json<Holder>(),
  /** A digest of the holder's credential. The session ends when that changes. */
  password_digest: text().secret(),
  /** The browser's `User-Agent`, so that people recognise their sessions, or null if it sent none. */
  device: text().nullable().personal(),
  created_at: time(),
  /** When it was last used, to the hour. */
  seen_at: time(),
  /** When it ends even if it is in use, or null for no fixed end. */
  ends_at: time().nullable(),
  /**
   * Whether the promoter signed in with a temporary password and must first choose a new one. Absent: false.
   */
  must_set_password: flag().optional(),
  /** Whether a user only views a promoter's portal. Absent: the session may change things. */
  is_read_only: flag().optional(),
  /** Whether the company's own product asked for it, for a promoter. Absent: false. */
  is_of_product: flag().optional(),
};

/** A persistent sign-in. Its token is in a cookie, and only the token's hash is stored. */
export type Session = RowOf<typeof fields>;

/** Stored by the hash of the token, so that a request costs one read and the token itself is never stored. */
export const sessions = table("session", fields, {
  key: ["hash"],
  derived: {
    holder_kind: ["text", ({ holder }) => holder.kind],
    holder_account_id: ["integer", ({ holder }) => holder.account_id],
    holder_id: ["integer", ({ holder }) => holder.id],
  },
  indexes: { holder: { on: ["holder_kind", "holder_account_id", "holder_id"] } },
  owner: ({ holder }) => holder.account_id,
});

/** A session and its token, which is never shown again. */
export interface OpenedSession {
  session: Session;
  token: string;
}

/** The input for a session. */
interface NewSession {
  holder: Holder;
  /** The hash of the user's password, or what a promoter has instead. Null if the holder has no password. */
  credential: string | null;
  device: string | null;
  /** Absent: it ends only when it is no longer used. */
  ends_at?: Date;
  must_set_password?: boolean;
  is_read_only?: boolean;
  is_of_product?: boolean;
}

const TOKEN_LENGTH = 43;
const MAX_DEVICE_LENGTH = 300;

/**
 * Opens a session as part of the transaction that checked the holder. The token is always new, so that an
 * attacker can't choose a victim's token beforehand.
 */
export async function openSession(
  tx: Transaction,
  { chance, now }: Pick<Context, "chance" | "now">,
  { holder, credential, device, ends_at, must_set_password, is_read_only, is_of_product }: NewSession,
): Promise<OpenedSession> {
  const token = chance.token(TOKEN_LENGTH);
  const session: Session = {
    account_id: SYSTEM,
    hash: digest(token),
    holder,
    password_digest: digestOf(credential),
    device: device?.slice(0, MAX_DEVICE_LENGTH) ?? null,
    created_at: now.toISOString(),
    seen_at: now.toISOString(),
    ends_at: ends_at?.toISOString() ?? null,
    ...(must_set_password && { must_set_password }),
    ...(is_read_only && { is_read_only }),
    ...(is_of_product && { is_of_product }),
  };
  await tx.put(sessions, session);
  return { session, token };
}

/** The session of this kind that a token opens, or null. The caller also checks `isOfCredential`. */
export async function findSession(
  { store, now }: Pick<Context, "store" | "now">,
  kind: HolderKind,
  token: string,
): Promise<Session | null> {
  const session = await store.get(sessions, SYSTEM, digest(token));
  if (session === null || session.holder.kind !== kind || hasEnded(session, now)) return null;
  return session;
}

/** Whether a session was opened with its holder's present credential. */
export function isOfCredential(session: Session, credential: string | null): boolean {
  return session.password_digest === digestOf(credential);
}

const HOUR_MS = 60 * 60 * 1_000;

/** Records that a session is in use, once an hour at most. */
export async function noteUse(
  { store, now }: Pick<Context, "store" | "now">,
  session: Session,
): Promise<void> {
  if (now.getTime() - Date.parse(session.seen_at) < HOUR_MS) return;
  await store.transact(async (tx) => {
    const current = await tx.get(sessions, SYSTEM, session.hash);
    // It may have been revoked meanwhile.
    if (current !== null) await tx.put(sessions, { ...current, seen_at: now.toISOString() });
  });
}

/** A holder's open sessions, the last used first. */
export async function listSessions(view: View, holder: Holder, now: Date): Promise<Session[]> {
  const all = await sessionsOf(view, holder);
  return all
    .filter((session) => !hasEnded(session, now))
    .sort((a, b) => b.seen_at.localeCompare(a.seen_at) || b.created_at.localeCompare(a.created_at));
}

/** The number under which a session is shown to its holder. The hash stays secret. */
export function sessionId({ hash }: Pick<Session, "hash">): number {
  return numberOf(hash);
}

/** Ends a session. It may have ended before. */
export async function endSession(tx: Transaction, { hash }: Pick<Session, "hash">): Promise<void> {
  await tx.remove(sessions, SYSTEM, hash);
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

const ID_LENGTH = 16;

/**
 * A new mark for a browser in which a person has signed in: a random id, and a keyed hash which proves that
 * the mark was issued to this person. It is not stored, and it grants no access. It gives the browser
 * attempts of its own, so that an attacker's guesses can't lock the person out.
 */
export function newBrowserMark(chance: Chance, account: Account, holder: Holder): string {
  const id = chance.token(ID_LENGTH);
  return id + proofOf(id, account, holder);
}

const PROOF_LENGTH = 27;

/** The form of a mark. */
const BROWSER_MARK = new RegExp(`^[\\w-]{${ID_LENGTH + PROOF_LENGTH}}$`);

/** Whether a browser's mark was issued to this person. */
export function isMarkOf(mark: string, account: Account, holder: Holder): boolean {
  if (!BROWSER_MARK.test(mark)) return false;
  const proof = proofOf(mark.slice(0, ID_LENGTH), account, holder);
  return timingSafeEqual(Buffer.from(mark.slice(ID_LENGTH)), Buffer.from(proof));
}

/** Removes ended sessions. An interrupted sweep leaves nothing half done. */
export async function* sweepSessions({ store, clock, guard }: LeasedContext): AsyncGenerator<void> {
  for await (const chunk of store.scan(sessions, "id", SYSTEM, [])) {
    const now = clock();
    const over = chunk.filter((session) => hasEnded(session, now));
    const owned = over.map(({ hash, holder }) => ({ hash, owner_id: holder.account_id }));
    const ended = await withoutFrozen(store, owned);
    if (ended.length > 0) {
      await store.transact(async (tx) => {
        await guard(tx);
        for (const { hash } of ended) {
          const current = await tx.get(sessions, SYSTEM, hash);
          if (current !== null && hasEnded(current, now)) await tx.remove(sessions, SYSTEM, hash);
        }
      });
    }
    yield;
  }
}

/** A session must not contain the hash itself, because sessions are read far more often than passwords. */
function digestOf(credential: string | null): string {
  return digest(credential ?? "");
}

/** A session ends after this long without use. */
const IDLE_MS = 14 * 24 * HOUR_MS;

/** Whether a session can no longer be used. */
function hasEnded({ seen_at, ends_at }: Session, now: Date): boolean {
  if (ends_at !== null && Date.parse(ends_at) <= now.getTime()) return true;
  return now.getTime() - Date.parse(seen_at) > IDLE_MS;
}

/** More sessions than a person opens by hand. */
const MAX_LISTED = 1_000;

function sessionsOf(view: Pick<View, "page"> & Reader, { kind, account_id, id }: Holder): Promise<Session[]> {
  return view.page(sessions, "holder", SYSTEM, [kind, account_id, id], { limit: MAX_LISTED });
}

function proofOf(browserId: string, { address_key }: Account, { kind, account_id, id }: Holder): string {
  const parts = ["known browser", kind, account_id, id, browserId];
  const hash = createHmac("sha256", address_key).update(JSON.stringify(parts)).digest("base64url");
  return hash.slice(0, PROOF_LENGTH);
}
