import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Store } from "../storage/store.ts";

/** Where unguessable and arbitrary values come from. Tests give one that repeats. */
export interface Chance {
  /** `length` URL-safe characters, six bits of chance in each. */
  token(length: number): string;
  /** A number of `count` decimal digits, as text. */
  digits(count: number): string;
  uuid(): string;
}

/** What every operation needs besides its input. `now` is read once per request. */
export interface Context {
  store: Store;
  now: Date;
  chance: Chance;
}

/** Chance from the operating system. */
export const systemChance: Chance = {
  token: (length) => randomBytes(length).toString("base64url").slice(0, length),
  digits: (count) => String(randomInt(10 ** (count - 1), 10 ** count)),
  uuid: randomUUID,
};
