import { loadAccount } from "../../domain/account/account.ts";
import { Failure } from "../../failure.ts";
import { storeOn } from "../../storage/open.ts";
import type { Engine } from "../../storage/session.ts";
import { fillStore, findUnfinished, type Interrupted } from "../fill.ts";
import { totalsOf, type Totals } from "../item.ts";
import { counting, type Progress } from "../progress.ts";
import { freeze } from "./freezing.ts";
import { itemsOf, sharedItemsOf } from "./owned-items.ts";

interface Moving extends Interrupted {
  /** The public ids of the accounts. */
  accounts: readonly string[];
  onProgress: Progress;
}

/**
 * Fills an empty store with some accounts of another store, while the other accounts go on there. The moved accounts
 * take no changes from then on, and stay in their old store until they are removed.
 *
 * Choice: the target must be empty. Two stores give the same ids to different records, so accounts that grew up apart
 * can't be joined. Several accounts can be moved together.
 *
 * @throws Failure `not_found` for an unknown account, `in_use` for a target that isn't empty, `refused` for one with
 *   other unfinished work
 */
export async function moveAccounts(
  [from, to]: [Engine, Engine],
  { accounts, onProgress, ...interrupted }: Moving,
): Promise<Totals> {
  const store = await storeOn(from);
  // Nothing is frozen for a move that can't begin.
  await findUnfinished(to, interrupted);
  const ids: number[] = [];
  for (const publicId of accounts) ids.push((await loadAccount(store, publicId)).id);
  // The order decides how far an interrupted move has come.
  ids.sort((one, other) => one - other);
  for (const id of ids) await freeze(store, id, "frozen");
  const items = () => itemsOf(from.reads, ids);
  const before = await totalsOf(items(), counting("checked", onProgress));
  const layout = store.layout();
  const source = { id: before.sha256, layout, count: before.entries, items };
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
  for (const id of ids) await freeze(store, id, "moved");
  return copy;
}
