import { Failure } from "../../failure.ts";
import {
  claimKeyOf,
  counterKey,
  indexKeyOf,
  recordKey,
  type Collection,
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
}

/** Begins a transaction on a driver's items. `read` is called once for each item. */
export function beginTransaction(driver: AtomicDriver, read: Read): OpenTransaction {
  const draft = newDraft(read);
  return {
    get view() {
      return newView(draftItems(draft, driver));
    },
    ...newReader(draft.text),
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
      count(draft, from, before, -1);
      draft.write(key, null);
    },
    changes: () => draft.changes(),
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
    const from = before && indexKeyOf(into, index, before);
    move(draft, { from, to: indexKeyOf(into, index, after), pointer });
  }
  if (before !== null) count(draft, into, before, -1);
  count(draft, into, after, 1);
  draft.write(recordKey(into, after.accountId, id), JSON.stringify(after));
}

/** Adds a record's counts, or takes them away. */
function count<R extends { accountId: number }>(
  draft: Draft,
  ...[from, record, sign]: [from: Collection<R>, record: R, sign: 1 | -1]
): void {
  for (const [counter, amount] of from.counts?.(record) ?? []) {
    draft.add(encodeKey(counterKey(record.accountId, counter)), sign * amount);
  }
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
