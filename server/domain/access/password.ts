import { createHash, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { Failure } from "../../failure.ts";
import type { Chance, Context, PasswordCost } from "../context.ts";

const derive = promisify<string, string, number, PasswordCost, Buffer>(scrypt);

/** The minimum of NIST SP 800-63B. With a longer one, people write their passwords down. */
export const MIN_PASSWORD_LENGTH = 8;

const KEY_BYTES = 32;
const SALT_LENGTH = 22;
/** A generated password has 72 random bits. It can't be guessed, so its hash may be cheap. */
const GENERATED_LENGTH = 12;

/**
 * A hash occupies a thread of Node's pool and a processor for a third of a second. The pool has four threads,
 * and one processor is left for all other requests.
 */
const AT_ONCE = availableParallelism() > 2 ? 2 : 1;
/**
 * The queues of strangers and of all other callers, with their maximum of running and waiting hashes. So
 * strangers wait three seconds at most, and can't use up the others' share.
 *
 * @see docs/spec/common.md "Authentication", 4
 */
const STRANGERS = { limit: pLimit(AT_ONCE), atMost: 10 };
const KNOWN = { limit: pLimit(1), atMost: 40 };
/** By then most of a full queue is done. */
const RETRY_AFTER_SECONDS = 2;

/** A password in clear text, to be shown once, and its hash. */
export interface NewPassword {
  text: string;
  hash: string;
}

/** Generates a password. */
export function generatePassword(chance: Chance): NewPassword {
  const text = chance.token(GENERATED_LENGTH);
  return { text, hash: cheapHash(text, chance.token(SALT_LENGTH)) };
}

/**
 * Hashes a chosen password. This is slow on purpose and runs in another thread.
 *
 * @throws Failure `busy` if too many hashes are waiting
 */
export async function keepPassword(context: Hashing, text: string): Promise<NewPassword> {
  const { chance } = context;
  const salt = chance.token(SALT_LENGTH);
  return { text, hash: await inTurn(context, () => hash(text, salt, chance.passwordCost)) };
}

/**
 * Whether a password matches a hash.
 *
 * @throws Failure `busy` if too many hashes are waiting
 */
export async function isPassword(context: Hashing, text: string, kept: string): Promise<boolean> {
  if (kept.startsWith(CHEAP)) {
    const salt = kept.slice(CHEAP.length).split("$", 1)[0]!;
    return timingSafeEqual(Buffer.from(cheapHash(text, salt)), Buffer.from(kept));
  }
  const [, N, r, p, salt = ""] = kept.split("$");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const other = await inTurn(context, () => hash(text, salt, cost));
  return timingSafeEqual(Buffer.from(other), Buffer.from(kept));
}

/**
 * Like `isPassword`, but always takes as long as for a chosen password, so that the response time does not
 * reveal whether there is one. Null: there is none, so no text matches.
 *
 * @throws Failure `busy` if too many hashes are waiting
 */
export async function isPasswordAnyway(
  context: Hashing,
  text: string,
  kept: string | null,
): Promise<boolean> {
  const { passwordCost } = context.chance;
  const matches = kept !== null && (await isPassword(context, text, kept));
  if (kept === null || !kept.startsWith(`scrypt$${passwordCost.N}$`))
    await inTurn(context, () => hash(text, "no salt", passwordCost));
  return matches;
}

type Hashing = Pick<Context, "chance" | "isStranger">;

/** @throws Failure `busy` */
function inTurn({ isStranger = false }: Hashing, work: () => Promise<string>): Promise<string> {
  const { limit, atMost } = isStranger ? STRANGERS : KNOWN;
  if (limit.activeCount + limit.pendingCount < atMost) return limit(work);
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw new Failure("busy", "Too many others are signing in at the moment; try again", {}, retry);
}

/** `scrypt$N$r$p$salt$key`: each hash holds its parameters, so that the cost can grow later. */
async function hash(text: string, salt: string, { N, r, p }: PasswordCost): Promise<string> {
  const key = await derive(text.normalize("NFKC"), salt, KEY_BYTES, { N, r, p });
  return ["scrypt", N, r, p, salt, key.toString("base64url")].join("$");
}

const CHEAP = "sha256$";

/** `sha256$salt$key` */
function cheapHash(text: string, salt: string): string {
  const key = createHash("sha256")
    .update(`${salt}$${text.normalize("NFKC")}`)
    .digest("base64url");
  return `${CHEAP}${salt}$${key}`;
}
