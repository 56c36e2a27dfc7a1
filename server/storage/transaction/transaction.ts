import { Failure } from "../../failure.ts";
import {
  claimKeyOf,
  counterKey,
  indexKeyOf,
  ownerOf,
  recordKey,
  type Collection,
  type Count,
  type Pointer,
} from "../collection.ts";
import { draftItems, newDraft, type Draft } from "./draft.ts";
import { readSum, type AtomicDriver, type Changes } from "../driver.ts";
import { encodeKey, type Key } from "../keys.ts";
import { load, newReader, type Read, type Reader } from "./reader.ts";
import { newView, type View } from "./view.ts";

/** Reads and writes that become one commit. The commit checks all reads by key again. */
export interface Transaction extends Reader {
  /** Whether another record holds a value that this one would claim. */
  isTaken<R extends { accountId: number }, Claim extends string>(
    from: Collection<R, Claim>,
    claim: Claim,
    record: R,
  ): Promise<boolean>;
  /**
   * Writes a record, its claims, its index entries and its counts.
   *
   * @throws the refusal given for a claim that another record holds, or Failure `taken`
   */
  put<R extends { accountId: number }, Claim extends string>(
    into: Collection<R, Claim>,
    record: R,
    refusals?: Partial<Record<NoInfer<Claim>, () => Failure>>,
  ): Promise<void>;
  /**
   * Writes a record that is known to be new: its id is from `nextId`, or this transaction looked and found
   * none. It does not look for an older version to replace.
   *
   * @throws the refusal given for a claim that another record holds, or Failure `taken`
   */
  insert<R extends { accountId: number }, Claim extends string>(
    into: Collection<R, Claim>,
    record: R,
    refusals?: Partial<Record<NoInfer<Claim>, () => Failure>>,
  ): Promise<void>;
  /** A counter before this transaction. The commit checks it again, like all reads by key. */
  sum(accountId: number, counter: Key): Promise<number>;
  /** Removes a record, its claims, its index entries and its counts. */
  remove<R>(from: Collection<R>, accountId: number, ...id: Key): Promise<void>;
  /**
   * The store as the commit would leave it, for answers. The commit does not check these reads again, so
   * counters that others add to never cause a conflict.
   */
  view: View;
}

/** A transaction, with the parts that its runner needs. */
export interface OpenTransaction extends Transaction {
  changes(): Changes;
  /** The accounts that it changes. */
  touched: ReadonlySet<number>;
}

/** Begins a transaction on a driver's items. `read` is called once for each item. */
export function beginTransaction(driver: AtomicDriver, read: Read): OpenTransaction {
  const draft = newDraft(read);
  const { get, find } = newReader(draft.text);
  return {
    view: newView(draftItems(draft, driver)),
    get,
    find,
    async isTaken(from, claim, record) {
      const key = claimKeyOf(from, claim, record);
      if (key === null) return false;
      const pointer = await load<Pointer>(draft.text, key);
      return pointer !== null && encodeKey(pointer) !== encodeKey(from.id(record));
    },
    async put(into, record, refusals = {}) {
      const before = await load<typeof record>(
        draft.text,
        recordKey(into, record.accountId, into.id(record)),
      );
      return write(draft, into, { before, after: record, refusals });
    },
    async sum(accountId, counter) {
      return readSum(await draft.text(encodeKey(counterKey(accountId, counter))));
    },
    insert: (into, record, refusals = {}) => write(draft, into, { before: null, after: record, refusals }),
    async remove<R>(from: Collection<R>, accountId: number, ...id: Key) {
      const key = recordKey(from, accountId, id);
      const before = await load<R & { accountId: number }>(draft.text, key);
      if (before === null) return;
      for (const claim of Object.keys(from.claims)) move(draft, { from: claimKeyOf(from, claim, before) });
      for (const index of Object.keys(from.indexes)) move(draft, { from: indexKeyOf(from, index, before) });
      recount(draft, from, { before, after: null });
      draft.touch(ownerOf(from as Collection<typeof before>, before));
      draft.write(key, null);
    },
    changes: () => draft.changes(),
    touched: draft.touched,
  };
}

type Refusals = Record<string, (() => Failure) | undefined>;

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
    if (before !== null && isSameKey(into.indexes[index]?.(before), into.indexes[index]?.(after))) continue;
    const from = before && indexKeyOf(into, index, before);
    move(draft, { from, to: indexKeyOf(into, index, after), pointer });
  }
  recount(draft, into, { before, after });
  draft.touch(ownerOf(into, after));
  draft.write(recordKey(into, after.accountId, id), JSON.stringify(after));
}

/**
 * Adds what a record counts now, and takes away what it counted before. A change leaves most counts as they were, and
 * those need no key.
 */
function recount<R extends { accountId: number }>(
  draft: Draft,
  { counts }: Collection<R>,
  { before, after }: { before: R | null; after: R | null },
): void {
  const old = (before && counts?.(before)) ?? [];
  const now = (after && counts?.(after)) ?? [];
  let start = 0;
  while (isSameCount(old[start], now[start])) start += 1;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && isSameCount(old[oldEnd - 1], now[nowEnd - 1])) {
    oldEnd -= 1;
    nowEnd -= 1;
  }
  if (before !== null) count(draft, before, old.slice(start, oldEnd), -1);
  if (after !== null) count(draft, after, now.slice(start, nowEnd), 1);
}

function count(draft: Draft, { accountId }: { accountId: number }, ...[counts, sign]: [Count[], 1 | -1]) {
  for (const [counter, amount] of counts) {
    draft.add(encodeKey(counterKey(accountId, counter)), sign * amount);
  }
}

function isSameCount(one: Count | undefined, other: Count | undefined): boolean {
  return one !== undefined && other !== undefined && one[1] === other[1] && isSameKey(one[0], other[0]);
}

function isSameKey(one: Key | null | undefined, other: Key | null | undefined): boolean {
  return one?.length === other?.length && (one?.every((part, at) => part === other?.[at]) ?? true);
}

/** Moves a claim or an index entry to its new key. null: no key. */
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
