import { randomFillSync, randomInt, randomUUID } from "node:crypto";
import type { Store, Transaction } from "../storage/store.ts";

/** The account id of records that belong to no single account: accounts themselves, keys, id blocks. */
export const SYSTEM = 0;

export const ACTOR_KINDS = ["user", "key", "promoter", "command_line", "process"] as const;

/** The author of a change. */
export interface Actor {
  /** `process`: the server's own jobs. */
  kind: (typeof ACTOR_KINDS)[number];
  /** The id of the user or promoter, otherwise null. */
  id: number | null;
  /** The e-mail address of a user or promoter, or the name of a key, otherwise null. */
  name: string | null;
}

/** The source of random values. Tests pass a repeatable one. */
export interface Chance {
  /** `length` URL-safe characters with six random bits each. */
  token(length: number): string;
  /** A number with `count` decimal digits, as text. */
  digits(count: number): string;
  uuid(): string;
  /** How costly it is to guess a chosen password. Tests choose a low cost. */
  passwordCost: PasswordCost;
}

/** The parameters of scrypt. */
export interface PasswordCost {
  N: number;
  r: number;
  p: number;
}

/** The parameters that every operation shares. `now` is read once per request. */
export interface Context {
  store: Store;
  now: Date;
  chance: Chance;
  /**
   * The author of the changes, for the audit log. Absent: a browser or a billing provider tells of events, or
   * the changes are history.
   */
  actor?: Actor;
  /** Whether the change belongs to the past, so that it sends no notifications. Absent: it happens now. */
  isHistory?: boolean;
  /**
   * Whether the caller is not authenticated yet. Strangers can't use up what others need. Absent: the caller
   * is known.
   */
  isStranger?: boolean;
}

/** What a job of the server works with. It lasts longer than a moment, so it reads the clock before each step. */
export interface JobContext {
  store: Store;
  clock: () => Date;
}

/** What a job works with that only one process may do. */
export interface LeasedContext extends JobContext {
  /** Ties a commit to the job's lease: fails if another process has taken over. */
  guard: (tx: Transaction) => Promise<void>;
}

/** Random bytes for many tokens. Each call of `randomFillSync` costs as much as two reads of the store. */
const pool = Buffer.alloc(4_096);
let usedBytes = pool.length;

/** Bytes that no other call gets. */
function randomBytes(count: number): Buffer {
  if (count > pool.length) return randomFillSync(Buffer.alloc(count));
  if (usedBytes + count > pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += count;
  return pool.subarray(usedBytes - count, usedBytes);
}

/** Random values from the operating system. */
export const systemChance: Chance = {
  // Six of a byte's bits make a character.
  token: (length) =>
    randomBytes(Math.ceil(length * 0.75))
      .toString("base64url")
      .slice(0, length),
  digits: (count) => String(randomInt(10 ** (count - 1), 10 ** count)),
  uuid: randomUUID,
  // See https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html, scrypt.
  passwordCost: { N: 2 ** 14, r: 8, p: 5 },
};

/** The user of the dashboard who made a record by hand. */
export interface Creator {
  /** Their e-mail address on that day. */
  email: string;
  at: string;
}

/** The user who makes a record. Keys, promoters and tracking are no users. */
export function createdBy({ actor, now }: Pick<Context, "actor" | "now">): { created_by_user?: Creator } {
  if (actor?.kind !== "user" || actor.name === null) return {};
  return { created_by_user: { email: actor.name, at: now.toISOString() } };
}
