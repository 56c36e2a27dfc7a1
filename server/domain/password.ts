import { scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Chance } from "./context.ts";

const derive = promisify<string, string, number, { N: number; r: number; p: number }, Buffer>(scrypt);

const KEY_BYTES = 32;
const SALT_LENGTH = 22;
/** @see https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html, scrypt */
const CHOSEN = { N: 2 ** 14, r: 8, p: 5 };
/** A generated password holds 72 bits of chance, which nobody guesses however cheap a guess is. */
const GENERATED = { N: 2 ** 4, r: 8, p: 1 };
const GENERATED_LENGTH = 12;

/** A password in clear, to be shown once, and what is kept of it. */
export interface NewPassword {
  text: string;
  hash: string;
}

/** Makes a password. */
export async function generatePassword(chance: Chance): Promise<NewPassword> {
  const text = chance.token(GENERATED_LENGTH);
  return { text, hash: await hash(text, chance.token(SALT_LENGTH), GENERATED) };
}

/** What is kept of a password that somebody chose. Takes its time in a thread of its own. */
export async function keepPassword(chance: Chance, text: string): Promise<NewPassword> {
  return { text, hash: await hash(text, chance.token(SALT_LENGTH), CHOSEN) };
}

/** Whether a password is the one that a hash was made of. */
export async function isPassword(text: string, kept: string): Promise<boolean> {
  const [, N, r, p, salt = ""] = kept.split("$");
  const other = await hash(text, salt, { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(Buffer.from(other), Buffer.from(kept));
}

/** `scrypt$N$r$p$salt$key`: each hash says how it was made, so that the cost can grow. */
async function hash(text: string, salt: string, { N, r, p }: typeof CHOSEN): Promise<string> {
  const key = await derive(text.normalize("NFKC"), salt, KEY_BYTES, { N, r, p });
  return ["scrypt", N, r, p, salt, key.toString("base64url")].join("$");
}
