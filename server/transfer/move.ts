import { loadAccount } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { checkLayout } from "../storage/layout.ts";
import { storeOn } from "../storage/open.ts";
import { requireKey } from "../storage/sealed.ts";
import type { Engine } from "../storage/session.ts";
import { freeze, itemsOf, sharedItemsOf } from "./account.ts";
import { fillStore, findUnfinished, type Interrupted } from "./fill.ts";
import { totalsOf, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, itemsIn, proofIn } from "./stored-items.ts";

/**
 * Fills an empty store with all records of another store, and compares the two.
 *
 * @throws Failure `in_use` for a target that isn't empty, `refused` for a target or source with other
 *   unfinished work, `conflict` if the source was changed meanwhile
 */
export async function moveStore(
  [from, to]: [Engine, Engine],
  { onProgress, ...interrupted }: Interrupted & { onProgress: Progress },
): Promise<Totals> {
  await checkLayout(from);
  const items = () => atOneMoment(from, itemsIn);
  const before = await totalsOf(items(), counting("checked", onProgress));
  const shared = async function* () {
    yield await proofIn(from.reads);
  };
  const source = { id: before.sha256, count: before.entries, items, shared };
  await fillStore(to, { work: "move", source, onProgress, ...interrupted });
  const compared = counting("compared", onProgress, 2 * before.entries);
  const after = await totalsOf(items(), compared);
  const copy = await totalsOf(itemsIn(to.reads), compared);
  if (after.sha256 === before.sha256 && copy.sha256 === after.sha256) {
    await requireKey(to);
    return copy;
  }
  throw new Failure(
    "conflict",
    `The copy is not the same (${after.entries} and ${copy.entries} records): stop what writes to the first ` +
      "store, and move again into an empty one",
  );
}

interface Moving extends Interrupted {
  /** The public ids of the accounts. */
  accounts: readonly string[];
  onProgress: Progress;
}

/**
 * Fills an empty store with some accounts of another store, while the other accounts stay in use. The moved accounts become
 * read-only, and stay in their old store until they are removed.
 *
 * The target must be empty, because two stores use the same ids for different records. Several accounts can be moved
 * together.
 *
 * @throws Failure `not_found` for an unknown account, `in_use` for a target that isn't empty, `refused` for one with
 *   other unfinished work
 */
export async function moveAccounts(
  [from, to]: [Engine, Engine],
  { accounts, onProgress, ...interrupted }: Moving,
): Promise<Totals> {
  const store = await storeOn(from);
  // This is checked before anything is frozen.
  await findUnfinished(to, interrupted);
  const ids: number[] = [];
  for (const publicId of accounts) ids.push((await loadAccount(store, publicId)).id);
  // An interrupted move continues by this order.
  ids.sort((one, other) => one - other);
  for (const id of ids) await freeze(store, id, "frozen");
  const items = () => itemsOf(from.reads, ids);
  const before = await totalsOf(items(), counting("checked", onProgress));
  const source = { id: before.sha256, count: before.entries, items };
  await fillStore(to, {
    work: "move",
    source: { ...source, shared: () => sharedItemsOf(from.reads) },
    onProgress,
    ...interrupted,
  });
  const copy = await totalsOf(itemsOf(to.reads, ids), counting("compared", onProgress, before.entries));
  if (copy.sha256 !== before.sha256) {
    throw new Failure("conflict", `The copy is not the same (${before.entries} and ${copy.entries} records)`);
  }
  await requireKey(to);
  for (const id of ids) await freeze(store, id, "moved");
  return copy;
}
