import { Failure } from "../../failure.ts";
import {
  claimKey,
  claimKeyOf,
  counterKey,
  indexKeyOf,
  recordKey,
  type Collection,
  type Pointer,
} from "../collection.ts";
import { draftItems, newDraft, type Draft } from "./draft.ts";
import { readSum, type AtomicDriver, type Changes, type MaybePromise } from "../driver.ts";
import { encodeKey, type Key } from "../keys.ts";
import { parse } from "../parsed.ts";
import { newView, type Reader, type View } from "./view.ts";

/** Reads and writes that become one commit. All reads by key are checked again by it. */
export interface Transaction extends Reader {
  /** Whether another record holds what this one would claim. */
  isTaken<R extends { accountId: number }, Claim extends string>(
    from: Collection<R, Claim>,
    claim: Claim,
    record: R,
  ): Promise<boolean>;
  /**
   * Writes a record, its claims, its index entries and what it counts for.
   *
   * @throws the refusal given for a claim that another record holds, else Failure `taken`
   */
  put<R extends { accountId: number }, Claim extends string>(
    into: Collection<R, Claim>,
    record: R,
    refusals?: Partial<Record<NoInfer<Claim>, () => Failure>>,
  ): Promise<void>;
  /**
   * Writes a record that is new, by its id from `nextId` or since this transaction has found none: what it
   * would replace is not looked for.
   *
   * @throws the refusal given for a claim that another record holds, else Failure `taken`
   */
  insert<R extends { accountId: number }, Claim extends string>(
    into: Collection<R, Claim>,
    record: R,
    refusals?: Partial<Record<NoInfer<Claim>, () => Failure>>,
  ): Promise<void>;
  /** A counter as it was before this transaction. The commit checks it again, like all that is read by key. */
  sum(accountId: number, counter: Key): Promise<number>;
  /** Removes a record, its claims, its index entries and what it counted for. */
  remove<R>(from: Collection<R>, accountId: number, ...id: Key): Promise<void>;
  /**
   * The store as the commit would leave it, for answers: what is read here is not checked again, so that a
   * counter that others add to keeps no commit from being made.
   */
  view: View;
}

/** A transaction with what its runner needs to see of it. */
export interface OpenTransaction extends Transaction {
  changes(): Changes;
}

/** Begins a transaction on the items of a driver, each of which `read` gives the first time. */
export function beginTransaction(
  driver: AtomicDriver,
  read: (key: string) => MaybePromise<string | null>,
): OpenTransaction {
  const draft = newDraft(read);
  return {
    get view() {
      return newView(draftItems(draft, driver));
    },
    get: (from, accountId, ...id) => load(draft, recordKey(from, accountId, id)),
    async find(from, claim, accountId, value) {
      const pointer = await load<Pointer>(draft, claimKey(from, claim, accountId, value));
      return pointer && load(draft, recordKey(from, accountId, pointer));
    },
    async isTaken(from, claim, record) {
      const key = claimKeyOf(from, claim, record);
      if (key === null) return false;
      const pointer = await load<Pointer>(draft, key);
      return pointer !== null && encodeKey(pointer) !== encodeKey(from.id(record));
    },
    async put(into, record, refusals = {}) {
      const before = await load<typeof record>(draft, recordKey(into, record.accountId, into.id(record)));
      return write(draft, into, { before, after: record, refusals });
    },
    async sum(accountId, counter) {
      return readSum(await draft.text(encodeKey(counterKey(accountId, counter))));
    },
    insert: (into, record, refusals = {}) => write(draft, into, { before: null, after: record, refusals }),
    async remove<R>(from: Collection<R>, accountId: number, ...id: Key) {
      const key = recordKey(from, accountId, id);
      const before = await load<R & { accountId: number }>(draft, key);
      if (before === null) return;
      for (const claim of Object.keys(from.claims)) move(draft, { from: claimKeyOf(from, claim, before) });
      for (const index of Object.keys(from.indexes)) move(draft, { from: indexKeyOf(from, index, before) });
      count(draft, from, before, -1);
      draft.write(key, null);
    },
    changes: () => draft.changes(),
  };
}

type Refusals = Record<string, (() => Failure) | undefined>;

async function load<R>(draft: Draft, key: string): Promise<R | null> {
  const stored = draft.text(key);
  return parse<R>(stored instanceof Promise ? await stored : stored);
}

async function write<R extends { accountId: number }>(
  draft: Draft,
  into: Collection<R>,
  { before, after, refusals }: { before: R | null; after: R; refusals: Refusals },
): Promise<void> {
  const id = into.id(after);
  const pointer = JSON.stringify(id satisfies Pointer);
  for (const claim of Object.keys(into.claims)) {
    const from = before && claimKeyOf(into, claim, before);
    const to = claimKeyOf(into, claim, after);
    if (from === to) continue;
    const holder = to === null ? null : draft.text(to);
    if ((holder instanceof Promise ? await holder : holder) !== null) throw refusal(refusals, claim);
    move(draft, { from, to, pointer });
  }
  for (const index of Object.keys(into.indexes)) {
    const from = before && indexKeyOf(into, index, before);
    move(draft, { from, to: indexKeyOf(into, index, after), pointer });
  }
  if (before !== null) count(draft, into, before, -1);
  count(draft, into, after, 1);
  draft.write(recordKey(into, after.accountId, id), JSON.stringify(after));
}

/** Adds what a record counts for, or takes it away. */
function count<R extends { accountId: number }>(
  draft: Draft,
  ...[from, record, sign]: [from: Collection<R>, record: R, sign: 1 | -1]
): void {
  for (const [counter, amount] of from.counts?.(record) ?? []) {
    draft.add(encodeKey(counterKey(record.accountId, counter)), sign * amount);
  }
}

/** Moves a claim or an index entry from where it was to where it is to be. null: nowhere. */
function move(
  draft: Draft,
  { from, to = null, pointer = "" }: { from: string | null; to?: string | null; pointer?: string },
): void {
  if (from === to) return;
  if (from !== null) draft.write(from, null);
  if (to !== null) draft.write(to, pointer);
}

function refusal(refusals: Refusals, claim: string): Failure {
  return refusals[claim]?.() ?? new Failure("taken", `${claim} has already been taken`);
}
