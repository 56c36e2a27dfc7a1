import { Failure } from "../failure.ts";
import { claimKey, claimKeyOf, indexKeyOf, recordKey, type Collection, type Pointer } from "./collection.ts";
import type { Changes, MaybePromise } from "./driver.ts";
import { encodeKey, type Key } from "./keys.ts";
import { parse } from "./parsed.ts";

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
  /**
   * Writes a record that has just been given its id by `nextId`: nothing of it can be there to be read.
   *
   * @throws the refusal given for a claim that another record holds, else Failure `taken`
   */
  insert<R extends { accountId: number }, Claim extends string>(
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

  /** Answers at once where the driver does: a promise for each read would cost as much as the read. */
  function text(key: string): MaybePromise<string | null> {
    const own = written.get(key);
    if (own !== undefined) return own;
    const known = seen.get(key);
    if (known !== undefined) return known;
    const stored = read(key);
    return stored instanceof Promise ? stored.then((later) => remember(key, later)) : remember(key, stored);
  }

  function remember(key: string, stored: string | null): string | null {
    seen.set(key, stored);
    return stored;
  }

  async function load<R>(key: string): Promise<R | null> {
    const stored = text(key);
    return parse<R>(stored instanceof Promise ? await stored : stored);
  }

  async function write<R extends { accountId: number }>(
    into: Collection<R>,
    [before, after]: [before: R | null, after: R],
    refusals: Refusals,
  ): Promise<void> {
    const id = into.id(after);
    const pointer = JSON.stringify({ id } satisfies Pointer);
    for (const claim of Object.keys(into.claims)) {
      const from = before && claimKeyOf(into, claim, before);
      const to = claimKeyOf(into, claim, after);
      if (from === to) continue;
      if (to !== null) {
        const holder = text(to);
        if ((holder instanceof Promise ? await holder : holder) !== null) throw refusal(refusals, claim);
      }
      move(from, to, pointer);
    }
    for (const index of Object.keys(into.indexes)) {
      move(before && indexKeyOf(into, index, before), indexKeyOf(into, index, after), pointer);
    }
    written.set(recordKey(into, after.accountId, id), JSON.stringify(after));
  }

  function move(from: string | null, to: string | null, pointer: string): void {
    if (from === to) return;
    if (from !== null) written.set(from, null);
    if (to !== null) written.set(to, pointer);
  }

  return {
    get: (from, accountId, ...id) => load(recordKey(from, accountId, id)),
    async find(from, claim, accountId, value) {
      const pointer = await load<Pointer>(claimKey(from, claim, accountId, value));
      return pointer && load(recordKey(from, accountId, pointer.id));
    },
    async isTaken(from, claim, record) {
      const key = claimKeyOf(from, claim, record);
      if (key === null) return false;
      const pointer = await load<Pointer>(key);
      return pointer !== null && encodeKey(pointer.id) !== encodeKey(from.id(record));
    },
    async put(into, record, refusals = {}) {
      const before = await load<typeof record>(recordKey(into, record.accountId, into.id(record)));
      return write(into, [before, record], refusals);
    },
    insert: (into, record, refusals = {}) => write(into, [null, record], refusals),
    async remove<R>(from: Collection<R>, accountId: number, ...id: Key) {
      const key = recordKey(from, accountId, id);
      const before = await load<R & { accountId: number }>(key);
      if (before === null) return;
      for (const claim of Object.keys(from.claims)) move(claimKeyOf(from, claim, before), null, "");
      for (const index of Object.keys(from.indexes)) move(indexKeyOf(from, index, before), null, "");
      written.set(key, null);
    },
    add(counter, delta) {
      const key = encodeKey(counter);
      sums.set(key, (sums.get(key) ?? 0) + delta);
    },
    changes: () => changesOf({ seen, written, sums }),
  };
}

type Refusals = Record<string, (() => Failure) | undefined>;

function changesOf({
  seen,
  written,
  sums,
}: {
  seen: Map<string, string | null>;
  written: Map<string, string | null>;
  sums: Map<string, number>;
}): Changes {
  const puts: Changes["puts"] = [];
  const removes: string[] = [];
  for (const [key, value] of written) {
    if (value === null) removes.push(key);
    else puts.push([key, value]);
  }
  return { checks: [...seen], puts, removes, sums: [...sums] };
}

function refusal(refusals: Refusals, claim: string): Failure {
  return refusals[claim]?.() ?? new Failure("taken", `${claim} has already been taken`);
}
