import { Failure } from "../failure.ts";
import { claimKey, indexPrefix, recordKey, tallyKey, type Collection, type Pointer } from "./collection.ts";
import { readSum, type Changes, type MaybePromise } from "./driver.ts";
import { encodeKey, type Key } from "./keys.ts";

/** Any claimed value, as it is compared. */
type Claims<R> = Record<string, (record: R) => Key | null>;

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

/** Reads and writes that become one commit. All reads by key are checked again by it. */
export interface Transaction extends Reader {
  /** Whether another record holds what this one would claim. */
  isTaken<R extends { accountId: number }, Claim extends string>(
    from: Collection<R, Claim>,
    claim: Claim,
    record: R,
  ): Promise<boolean>;
  /** A counter of a collection as it was before this transaction; checked again, as all that is read by key. */
  tally<R>(from: Collection<R>, accountId: number, counter: Key): Promise<number>;
  /**
   * Writes a record, its claims and its index entries.
   *
   * @throws the refusal given for a claim that another record holds, else Failure `taken`
   */
  put<R extends { accountId: number }, Claim extends string>(
    into: Collection<R, Claim>,
    record: R,
    refusals?: Partial<Record<NoInfer<Claim>, () => Failure>>,
  ): Promise<void>;
  /** Removes a record, its claims and its index entries. */
  remove<R>(from: Collection<R>, accountId: number, ...id: Key): Promise<void>;
  /** Adds to a counter, without reading it. */
  add(counter: Key, delta: number): void;
}

/** A transaction with what its runner needs to see of it. */
export interface OpenTransaction extends Transaction {
  changes(): Changes;
}

/** Begins a transaction on items that `read` gives. */
export function beginTransaction(read: (key: string) => MaybePromise<string | null>): OpenTransaction {
  const seen = new Map<string, string | null>();
  /** null: removed. */
  const written = new Map<string, string | null>();
  const sums = new Map<string, number>();

  async function text(key: string): Promise<string | null> {
    const known = written.has(key) ? written.get(key) : seen.get(key);
    if (known !== undefined) return known;
    const stored = await read(key);
    seen.set(key, stored);
    return stored;
  }

  function add(counter: Key, delta: number): void {
    const key = encodeKey(counter);
    sums.set(key, (sums.get(key) ?? 0) + delta);
  }

  function retally<R extends { accountId: number }>(
    from: Collection<R>,
    before: R | null,
    after: R | null,
  ): void {
    const count = (record: R, sign: 1 | -1) => {
      for (const [name, amount] of from.tallies?.(record) ?? []) {
        add(tallyKey(from, record.accountId, name), sign * amount);
      }
    };
    if (before !== null) count(before, -1);
    if (after !== null) count(after, 1);
  }

  const tx: OpenTransaction = {
    async get<R>(from: Collection<R>, accountId: number, ...id: Key) {
      return parse<R>(await text(recordKey(from, accountId, id)));
    },
    async find<R>(from: Collection<R>, claim: string, accountId: number, value: Key) {
      const pointer = parse<Pointer>(await text(claimKey(from, claim, accountId, value)));
      return pointer && parse<R>(await text(recordKey(from, accountId, pointer.id)));
    },
    async isTaken(from, claim, record) {
      const value = from.claims[claim](record);
      if (value === null) return false;
      const holder = await text(claimKey(from, claim, record.accountId, value));
      return holder !== null && holder !== pointerText(from.id(record));
    },
    async tally(from, accountId, counter) {
      return readSum(await text(encodeKey(tallyKey(from, accountId, counter))));
    },
    async put(into, record, refusals = {}) {
      const id = into.id(record);
      const key = recordKey(into, record.accountId, id);
      const before = parse<typeof record>(await text(key));
      const pointer = pointerText(id);
      for (const [claim, from, to] of moves(claimKeys(into, before), claimKeys(into, record))) {
        if (to !== null && (await text(to)) !== null) throw refusal(refusals, claim);
        if (from !== null) written.set(from, null);
        if (to !== null) written.set(to, pointer);
      }
      for (const [, from, to] of moves(indexKeys(into, before), indexKeys(into, record))) {
        if (from !== null) written.set(from, null);
        if (to !== null) written.set(to, pointer);
      }
      retally(into, before, record);
      written.set(key, JSON.stringify(record));
    },
    async remove<R>(from: Collection<R>, accountId: number, ...id: Key) {
      const key = recordKey(from, accountId, id);
      const before = parse<R & { accountId: number }>(await text(key));
      if (before === null) return;
      for (const [, old] of [...claimKeys(from, before), ...indexKeys(from, before)]) {
        if (old !== null) written.set(old, null);
      }
      retally(from, before, null);
      written.set(key, null);
    },
    add,
    changes: () => ({
      checks: [...seen],
      puts: [...written].filter((entry): entry is [string, string] => entry[1] !== null),
      removes: [...written].filter(([, value]) => value === null).map(([key]) => key),
      sums: [...sums].filter(([, delta]) => delta !== 0),
    }),
  };
  return tx;
}

/** What a stored text holds. */
export function parse<R>(text: string | null): R | null {
  return text === null ? null : (JSON.parse(text) as R);
}

type NamedKeys = [name: string, key: string | null][];

function claimKeys<R extends { accountId: number }>(
  { name, claims }: { name: string; claims: Claims<R> },
  record: R | null,
): NamedKeys {
  return Object.entries(claims).map(([claim, valueOf]) => {
    const value = record && valueOf(record);
    return [claim, value && record && claimKey({ name }, claim, record.accountId, value)];
  });
}

function indexKeys<R extends { accountId: number }>(from: Collection<R>, record: R | null): NamedKeys {
  return Object.entries(from.indexes).map(([index, valueOf]) => {
    const value = record && valueOf(record);
    if (!value || !record) return [index, null];
    return [index, encodeKey([...indexPrefix(from, index, record.accountId, value), ...from.id(record)])];
  });
}

/** The keys that differ, each as where it was and where it is to be. */
function moves(before: NamedKeys, after: NamedKeys): [string, string | null, string | null][] {
  return after
    .map(([name, key], index): [string, string | null, string | null] => [
      name,
      before[index]?.[1] ?? null,
      key,
    ])
    .filter(([, from, to]) => from !== to);
}

function pointerText(id: Key): string {
  return JSON.stringify({ id } satisfies Pointer);
}

function refusal(refusals: Record<string, (() => Failure) | undefined>, claim: string): Failure {
  return refusals[claim]?.() ?? new Failure("taken", `${claim} has already been taken`);
}
