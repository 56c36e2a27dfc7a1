import { Secret, TOTP } from "otpauth";
import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Account } from "../../program/account/account.ts";
import { endSessions, type Session } from "../session.ts";
import { SYSTEM, type Chance, type Context } from "../../context.ts";

/** From the fewest rights to the most. */
export const ROLES = ["viewer", "manager", "owner"] as const;

/**
 * - `viewer`: reads, but sees no secrets
 * - `manager`: everything but users, keys, account settings, payments and where they go
 * - `owner`: everything
 */
export type Role = (typeof ROLES)[number];

const fields = {
  id: integer(),
  /** The account. */
  owner_id: integer(),
  email: text(),
  /** Null if not given. */
  name: text().nullable(),
  role: text<Role>(),
  /** Null until a password is set. */
  password_hash: text().nullable().secret(),
  /** Null if the password is enough. */
  second_factor: json<SecondFactor>().nullable().secret(),
  /** The secret of a second factor that no code has confirmed yet, or null. */
  begun_secret: text().nullable().secret(),
  created_at: time(),
  /** Null before the first sign-in. */
  last_sign_in_at: time().nullable(),
};

/** A person who signs in to an account's dashboard. */
export type User = RowOf<typeof fields>;

/** An authenticator app that shows a code for every half minute (RFC 6238). */
interface SecondFactor {
  /** Base32. It is stored in clear text, because the codes are computed from it. */
  secret: string;
  /** The period of the last code used. Earlier codes are refused. */
  last_step: number;
  /** SHA-256 of each unused recovery code. */
  recovery_hashes: string[];
}

/**
 * The people who sign in to the dashboard. A user belongs to one account, so that the sign-in form needs no
 * account name.
 *
 * @see docs/spec/common.md "Authentication", 3
 */
export const users = table("user", fields, {
  derived: {
    email_key: ["text", ({ email }) => email.toLowerCase()],
    can_own: ["flag", canOwn],
  },
  unique: { email: ["email_key"] },
  indexes: { owner: { on: ["owner_id"] }, can_own: { on: ["owner_id"], where: "can_own" } },
  owner: ({ owner_id }) => owner_id,
});

/** The input for a user. */
export interface NewUser {
  id: number;
  owner_id: number;
  email: string;
  name: string | null;
  role: Role;
  password_hash: string | null;
}

/** Writes a new user as part of a larger change. @throws Failure `taken` */
export async function putUser(tx: Transaction, now: Date, input: NewUser): Promise<User> {
  const user: User = {
    ...input,
    account_id: SYSTEM,
    second_factor: null,
    begun_secret: null,
    created_at: now.toISOString(),
    last_sign_in_at: null,
  };
  await tx.put(users, user, {
    email: () => new Failure("taken", "email has already been taken", { email: ["has already been taken"] }),
  });
  return user;
}

/** The user with this e-mail address, in any case, or null. */
export function findUserByEmail(reader: Reader, email: string): Promise<User | null> {
  return reader.find(users, "email", SYSTEM, [email.trim().toLowerCase()]);
}

/** The user with this id, or null. */
export function findUser(reader: Reader, id: number): Promise<User | null> {
  return reader.get(users, SYSTEM, id);
}

/** Whether a role includes all rights of another. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** A new id for a user. */
export function newUserId(ids: Pick<Transaction, "nextId">): Promise<number> {
  return ids.nextId("user");
}

/** How many owners of an account can sign in. */
export function countOwners(tx: Transaction, accountId: number): Promise<number> {
  return tx.view.count(users, "can_own", SYSTEM, [accountId]);
}

/** Whether a user is an owner who can sign in. One who never set a password can't act as the last owner. */
export function canOwn({ role, password_hash }: User): boolean {
  return role === "owner" && password_hash !== null;
}

/** A second factor that waits for its first code. */
interface BegunSecondFactor {
  /** For typing, in base32. */
  secret: string;
  /** For a QR code: an `otpauth:` address. */
  address: string;
}

/**
 * Gives a user a new secret, which is valid once a code confirms it.
 *
 * @throws Failure `refused` if there is a second factor already
 */
export async function beginSecondFactor(
  tx: Transaction,
  { chance }: Context,
  account: Account,
  { id }: User,
): Promise<BegunSecondFactor> {
  const current = await findUser(tx, id);
  if (current === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
  if (current.second_factor)
    throw new Failure("refused", "There is a second factor already: remove it first");
  const secret = newSecret(chance);
  await tx.put(users, { ...current, begun_secret: secret });
  return { secret, address: totpOf(secret, account.name, current.email).toString() };
}

const RECOVERY_CODES = 10;
const RECOVERY_DIGITS = 12;

/**
 * Confirms a second factor by its first code, and returns the recovery codes, each valid once. The user's other
 * sessions end, because they were opened without it.
 *
 * @throws Failure `refused` if none was begun, `invalid` for a wrong code
 */
export async function confirmSecondFactor(
  tx: Transaction,
  { chance, now }: Context,
  { user: { id }, session, code }: { user: User; session: Session; code: string },
): Promise<string[]> {
  const user = await findUser(tx, id);
  const secret = user?.begun_secret ?? null;
  if (user === null || secret === null) throw new Failure("refused", "No second factor is being set up");
  const step = stepOf(secret, code, now);
  if (step === null) throw new Failure("invalid", "code is wrong", { code: ["is wrong"] });
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => chance.digits(RECOVERY_DIGITS));
  const secondFactor = { secret, last_step: step, recovery_hashes: recoveryCodes.map(digest) };
  await tx.put(users, { ...user, begun_secret: null, second_factor: secondFactor });
  await endSessions(tx, session.holder, { except: session.hash });
  return recoveryCodes;
}

/** Removes a user's second factor. */
export function withoutSecondFactor(user: User): User {
  return { ...user, begun_secret: null, second_factor: null };
}

/**
 * The user after a sign-in with this code. A code works once, so an observer can't reuse it.
 *
 * @throws Failure `second_factor_required` for a missing or wrong code
 */
export function passSecondFactor(user: User, code: string | undefined, now: Date): User {
  const { second_factor } = user;
  if (!second_factor) return user;
  if (code === undefined) throw new Failure("second_factor_required", "Enter a code of your second factor");
  const { secret, last_step, recovery_hashes } = second_factor;
  const step = stepOf(secret, code, now);
  if (step !== null && step > last_step)
    return { ...user, second_factor: { ...second_factor, last_step: step } };
  const recovery = digest(code.replaceAll(/[\s-]/g, ""));
  if (!recovery_hashes.includes(recovery)) throw new Failure("second_factor_required", "The code is wrong");
  const left = recovery_hashes.filter((hash) => hash !== recovery);
  return { ...user, second_factor: { ...second_factor, recovery_hashes: left } };
}

/** 32 characters of six bits: more than the 160 bits that RFC 4226 recommends. */
const SECRET_LENGTH = 32;

function newSecret(chance: Chance): string {
  const bytes = Uint8Array.from(Buffer.from(chance.token(SECRET_LENGTH), "base64url"));
  return new Secret({ buffer: bytes.buffer }).base32;
}

const PERIOD_MS = 30_000;

function totpOf(secret: string, issuer = "Tidemark", label = ""): TOTP {
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), period: PERIOD_MS / 1_000 });
}

/** Clocks may differ by this many periods. */
const WINDOW = 1;

/** The number of the period that a code belongs to, or null if it is wrong or too old. */
function stepOf(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/\s/g, "");
  const delta = totpOf(secret).validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / PERIOD_MS) + delta;
}
