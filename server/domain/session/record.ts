import type { SYSTEM } from "../account/account.ts";

const HOLDER_KINDS = ["user", "promoter"] as const;

/** Users sign in to the dashboard, promoters to the portal. */
export type HolderKind = (typeof HOLDER_KINDS)[number];

/** Somebody who is signed in. */
export interface Holder {
  kind: HolderKind;
  accountId: number;
  /** The user's or the promoter's id. */
  id: number;
}

/** A sign-in that lasts. Its token is in a cookie. Only the token's hash is stored. */
export interface Session {
  accountId: typeof SYSTEM;
  /** SHA-256 of the token, hexadecimal. */
  hash: string;
  holder: Holder;
  /** A digest of the holder's password hash. The session ends when the password changes. */
  passwordDigest: string;
  /** The browser's `User-Agent`, so that people recognise their sessions. null: it sent none. */
  device: string | null;
  createdAt: string;
  /** When it was last used, to the hour. */
  seenAt: string;
  /** When it ends even if it is used. null: never. */
  endsAt: string | null;
  /** Whether the promoter signed in with a temporary password and must choose their own first. Absent: false. */
  mustSetPassword?: true;
  /** Somebody of the company looks at a promoter's portal. Absent: the session may change things. */
  isReadOnly?: true;
}
