import { claimKey, recordKey, type Collection, type Pointer } from "../collection.ts";
import { parseStored, type MaybePromise } from "../driver.ts";
import type { Key } from "../keys.ts";

/** Reads records; a store and a transaction both do. */
export interface Reader {
  /** The record with this id, or null. */
  get<R>(from: Collection<R>, accountId: number, ...id: Key): Promise<R | null>;
  /** The record that claims this value, or null. */
  find<R, Claim extends string>(
    from: Collection<R, Claim>,
    claim: Claim,
    accountId: number,
    value: Key,
  ): Promise<R | null>;
}

/** The stored text under a key, or null. */
export type Read = (key: string) => MaybePromise<string | null>;

/** Every request reads the same few accounts, keys and campaigns, so each of their texts is parsed once. */
const parsed = new Map<string, unknown>();
const MAX_PARSED = 1_000;
const MAX_LENGTH = 4_096;

/** Makes a reader of the items that `read` returns. */
export function newReader(read: Read): Reader {
  return {
    get: (from, accountId, ...id) => load(read, recordKey(from, accountId, id)),
    async find(from, claim, accountId, value) {
      const pointer = await load<Pointer>(read, claimKey(from, claim, accountId, value));
      return pointer && load(read, recordKey(from, accountId, pointer));
    },
  };
}

/** The record, or the pointer to one, under a key. */
export async function load<R>(read: Read, key: string): Promise<R | null> {
  const stored = read(key);
  // Local stores answer at once. Awaiting their answers would cost as much as the read itself.
  return parse<R>(key, stored instanceof Promise ? await stored : stored);
}

/** Parses a stored text. The result is frozen, because all readers of the same text share it. */
function parse<R>(key: string, text: string | null): R | null {
  if (text === null) return null;
  const known = parsed.get(text);
  if (known !== undefined) return known as R;
  const value = freeze(parseStored<R>(key, text));
  if (text.length > MAX_LENGTH) return value;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, value);
  return value;
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (typeof part === "object") freeze(part);
  return Object.freeze(value);
}
