import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { Failure } from "./failure.ts";

/** Encrypts texts for the store, with keys that are not in the store. */
export interface Seal {
  /** Whether there is a key to encrypt with. */
  hasKey: boolean;
  /**
   * Encrypts a text for one place, such as one connection of one account. It cannot be decrypted anywhere
   * else.
   */
  close(text: string, place: string): string;
  /** @throws Failure `refused` if none of the keys fits */
  open(sealed: string, place: string): string;
  /** Whether a text is sealed with the first key. */
  isCurrent(sealed: string): boolean;
  /** Tells the operator of a secret that can't be used, each sentence once. */
  warn(sentence: string): void;
}

/** The length of a key of AES-256. */
export const KEY_BYTES = 32;

/** The keys in a text, each in base64 on a line of its own, or null if one of them is not a key. */
export function readKeys(text: string): Buffer[] | null {
  const keys = text
    .trim()
    .split(/\s+/)
    .map((key) => Buffer.from(key, "base64"));
  return keys.every(({ length }) => length === KEY_BYTES) ? keys : null;
}

/** More would bury the log. `tidemark check` names all. */
const MOST_WARNINGS = 100;
const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Makes a seal. The first key encrypts; the others only decrypt texts from before a rotation.
 *
 * @see NIST SP 800-38D, AES-256-GCM
 */
export function newSeal(keys: readonly Buffer[], warn: (sentence: string) => void = () => {}): Seal {
  const warned = new Set<string>();
  const byName = new Map(keys.map((key) => [nameOf(key), key]));
  const [current] = keys;
  return {
    hasKey: current !== undefined,
    close(text, place) {
      if (current === undefined) throw noKey();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current, iv).setAAD(Buffer.from(place));
      const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      const sealed = Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString("base64url");
      return [VERSION, nameOf(current), sealed].join(".");
    },
    open(sealed, place) {
      const [, name = "", text = ""] = sealed.split(".");
      const key = byName.get(name);
      if (key === undefined) throw current === undefined ? noKey() : wrongKey();
      const bytes = Buffer.from(text, "base64url");
      const tagEnd = IV_BYTES + TAG_BYTES;
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(IV_BYTES, tagEnd));
        return decipher.update(bytes.subarray(tagEnd), undefined, "utf8") + decipher.final("utf8");
      } catch {
        throw wrongKey();
      }
    },
    warn(sentence) {
      if (warned.has(sentence) || warned.size >= MOST_WARNINGS) return;
      warned.add(sentence);
      warn(sentence);
    },
    isCurrent: (sealed) => current !== undefined && sealed.startsWith(`${VERSION}.${nameOf(current)}.`),
  };
}

/** The seal of a process without keys. */
export const NO_SEAL = newSeal([]);

/** Identifies a key without revealing it. */
function nameOf(key: Buffer): string {
  return createHash("sha256").update("tidemark key").update(key).digest("hex").slice(0, 8);
}

function noKey(): Failure {
  return new Failure("refused", "TIDEMARK_SECRET_FILE is not set, and secrets are stored only with its key");
}

function wrongKey(): Failure {
  return new Failure(
    "refused",
    "No key in TIDEMARK_SECRET_FILE opens this secret: add the key that sealed it",
  );
}
