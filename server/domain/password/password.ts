import { scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Chance, PasswordCost } from "../context.ts";

const derive = promisify<string, string, number, PasswordCost, Buffer>(scrypt);

/** Choice: the least that NIST SP 800-63B allows. A longer minimum makes people write their passwords down. */
export const MIN_PASSWORD_LENGTH = 8;

const KEY_BYTES = 32;
const SALT_LENGTH = 22;
/** A generated password holds 72 random bits. Nobody can guess it, so its hash may be cheap. */
const GENERATED: PasswordCost = { N: 2 ** 4, r: 8, p: 1 };
const GENERATED_LENGTH = 12;

/** A password in clear text, to be shown once, and its hash. */
export interface NewPassword {
  text: string;
  hash: string;
}

/** Generates a password. */
export async function generatePassword(chance: Chance): Promise<NewPassword> {
  const text = chance.token(GENERATED_LENGTH);
  return { text, hash: await hash(text, chance.token(SALT_LENGTH), GENERATED) };
}

/** Hashes a password that somebody chose. This is slow on purpose and runs in another thread. */
export async function keepPassword(chance: Chance, text: string): Promise<NewPassword> {
  return { text, hash: await hash(text, chance.token(SALT_LENGTH), chance.passwordCost) };
}

/** Whether a password matches a hash. */
export async function isPassword(text: string, kept: string): Promise<boolean> {
  const [, N, r, p, salt = ""] = kept.split("$");
  const other = await hash(text, salt, { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(Buffer.from(other), Buffer.from(kept));
}

/**
 * Like `isPassword`, but always takes as long as a chosen password does, so that the time of an answer does not tell
 * whether somebody has a password. null: there is none, so no text matches.
 */
export async function isPasswordAnyway(
  { passwordCost }: Chance,
  text: string,
  kept: string | null,
): Promise<boolean> {
  const matches = kept !== null && (await isPassword(text, kept));
  if (kept === null || !kept.startsWith(`scrypt$${passwordCost.N}$`))
    await hash(text, "no salt", passwordCost);
  return matches;
}

/** `scrypt$N$r$p$salt$key`: each hash holds its parameters, so that the cost can grow later. */
async function hash(text: string, salt: string, { N, r, p }: PasswordCost): Promise<string> {
  const key = await derive(text.normalize("NFKC"), salt, KEY_BYTES, { N, r, p });
  return ["scrypt", N, r, p, salt, key.toString("base64url")].join("$");
}
