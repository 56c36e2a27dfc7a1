import type { SYSTEM } from "../account/account.ts";

/** From the least to the most that a user may do. */
export const ROLES = ["viewer", "manager", "owner"] as const;

/**
 * - `viewer`: reads, but sees no secrets
 * - `manager`: all but users, keys, account settings, paying and where the money goes
 * - `owner`: all
 */
export type Role = (typeof ROLES)[number];

/** Somebody who signs in to an account's dashboard. */
export interface User {
  /** Users belong to no account's own records, so that an e-mail address is unique in the whole server. */
  accountId: typeof SYSTEM;
  id: number;
  /** The account. */
  ownerId: number;
  email: string;
  /** null: not given. */
  name: string | null;
  role: Role;
  /** null: no password was set yet. */
  passwordHash: string | null;
  /** null: the password is enough. */
  secondFactor: SecondFactor | null;
  /** The secret of a second factor that no code has confirmed yet. null: none was begun. */
  begunSecret: string | null;
  createdAt: string;
  /** null: never. */
  lastSignInAt: string | null;
}

/** A program that shows a code for every half minute (RFC 6238). */
export interface SecondFactor {
  /** Base32. It must be readable, because the codes are computed from it. */
  secret: string;
  /** The period of the last code that was used. Earlier codes are refused. */
  lastStep: number;
  /** SHA-256 of each recovery code that is left. */
  recoveryHashes: string[];
}

export const LINK_KINDS = ["owner", "invitation", "reset"] as const;

/**
 * - `owner`: makes the first owner
 * - `invitation`: sets the first password of an invited user
 * - `reset`: sets a new password
 */
export type LinkKind = (typeof LINK_KINDS)[number];

/** The right to set a password, once. Its token is in a link. Only the token's hash is stored. */
export interface UserLink {
  accountId: typeof SYSTEM;
  /** SHA-256 of the token, hexadecimal. */
  hash: string;
  kind: LinkKind;
  /** The account. */
  ownerId: number;
  /** null: the user does not exist yet. */
  userId: number | null;
  expiresAt: string;
}
