import { Secret, TOTP } from "otpauth";
import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Chance, Context } from "../context.ts";
import { digest } from "../../storage/digests.ts";
import { findUser, users } from "./user.ts";
import type { User } from "./record.ts";

const PERIOD_MS = 30_000;
/** A clock may be this many periods off. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_DIGITS = 12;
/** 32 characters of six bits: more than the 160 bits that RFC 4226 recommends. */
const SECRET_LENGTH = 32;

/** A second factor that waits for its first code. */
export interface BegunSecondFactor {
  /** For typing, in base32. */
  secret: string;
  /** For a QR code: an `otpauth:` address. */
  address: string;
}

/** Gives a user a new secret, which counts once a code confirms it. @throws Failure `refused` if there is one already */
export async function beginSecondFactor(
  { store, chance }: Context,
  account: Account,
  { id }: User,
): Promise<BegunSecondFactor> {
  const secret = newSecret(chance);
  const user = await store.transact(async (tx) => {
    const current = await findUser(tx, id);
    if (current === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
    if (current.secondFactor)
      throw new Failure("refused", "There is a second factor already: remove it first");
    await tx.put(users, { ...current, begunSecret: secret });
    return current;
  });
  return { secret, address: totpOf(secret, account.name, user.email).toString() };
}

/**
 * Confirms a second factor with its first code, and returns the recovery codes, each good once.
 *
 * @throws Failure `refused` if none was begun, `invalid` for a wrong code
 */
export function confirmSecondFactor(
  { store, chance, now }: Context,
  { id }: User,
  code: string,
): Promise<{ user: User; recoveryCodes: string[] }> {
  return store.transact(async (tx) => {
    const user = await findUser(tx, id);
    const secret = user?.begunSecret ?? null;
    if (user === null || secret === null) throw new Failure("refused", "No second factor was begun");
    const step = stepOf(secret, code, now);
    if (step === null) throw new Failure("invalid", "code is wrong", { code: ["is wrong"] });
    const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => chance.digits(RECOVERY_DIGITS));
    const secondFactor = { secret, lastStep: step, recoveryHashes: recoveryCodes.map(digest) };
    const after = { ...user, begunSecret: null, secondFactor };
    await tx.put(users, after);
    return { user: after, recoveryCodes };
  });
}

/** Takes the second factor of a user away. */
export function withoutSecondFactor(user: User): User {
  return { ...user, begunSecret: null, secondFactor: null };
}

/**
 * The user after a sign-in with this code. A code works once, so that nobody who has seen it can use it again.
 *
 * @throws Failure `second_factor_required` without a right code
 */
export function passSecondFactor(user: User, code: string | undefined, now: Date): User {
  const { secondFactor } = user;
  if (!secondFactor) return user;
  if (code === undefined) throw new Failure("second_factor_required", "Enter a code of your second factor");
  const { secret, lastStep, recoveryHashes } = secondFactor;
  const step = stepOf(secret, code, now);
  if (step !== null && step > lastStep) return { ...user, secondFactor: { ...secondFactor, lastStep: step } };
  const recovery = digest(code.replaceAll(/[\s-]/g, ""));
  if (!recoveryHashes.includes(recovery)) throw new Failure("second_factor_required", "The code is wrong");
  const left = recoveryHashes.filter((hash) => hash !== recovery);
  return { ...user, secondFactor: { ...secondFactor, recoveryHashes: left } };
}

/** The number of the period whose code this is. null: it is wrong, or too old. */
function stepOf(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/\s/g, "");
  const delta = totpOf(secret).validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / PERIOD_MS) + delta;
}

function totpOf(secret: string, issuer = "Tidemark", label = ""): TOTP {
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), period: PERIOD_MS / 1_000 });
}

function newSecret(chance: Chance): string {
  const bytes = Uint8Array.from(Buffer.from(chance.token(SECRET_LENGTH), "base64url"));
  return new Secret({ buffer: bytes.buffer }).base32;
}
