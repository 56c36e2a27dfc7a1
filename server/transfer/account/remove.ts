import { accounts } from "../../domain/account/account.ts";
import { SYSTEM, type Account } from "../../domain/account/record.ts";
import type { Delivery } from "../../domain/webhook/record.ts";
import { deliveries, destinationOf, lanes } from "../../domain/webhook/delivery.ts";
import { derivedOf, ownerOf, recordKey } from "../../storage/collection.ts";
import type { AtomicDriver, Changes } from "../../storage/driver.ts";
import { freezeKey } from "../../storage/freeze.ts";
import { prefixRange, type Key } from "../../storage/keys.ts";
import { scan } from "../../storage/listing/scan.ts";
import type { Entry } from "../../storage/listing/snapshot.ts";
import type { Store } from "../../storage/store.ts";
import { kindOf, type AnyCollection, type AnyRecord } from "../collections.ts";
import { counting, type Progress } from "../progress.ts";
import { freeze } from "./freezing.ts";
import { SHARED_COLLECTIONS } from "./owned-items.ts";

/**
 * Removes everything that a store holds of an account. It takes records away with all that they derive, so that an
 * interrupted removal leaves a consistent store. The account's own record goes last, so that the same command can
 * complete it.
 */
export async function removeAccount(
  [driver, store]: [AtomicDriver, Store],
  account: Account,
  onProgress: Progress,
): Promise<void> {
  const { id } = account;
  // The freeze stays for ever, so that a change that was under way all the time is refused, too.
  await freeze(store, id, "removed");
  const removed = counting("removed", onProgress);
  async function removeBelow(prefix: Key): Promise<void> {
    for await (const entries of scan(driver, prefixRange(prefix))) {
      await remove(driver, ownedBy(id, entries));
      removed(entries.length);
    }
  }

  for (const { name } of SHARED_COLLECTIONS) if (name !== accounts.name) await removeBelow([SYSTEM, name]);
  await removeBelow([id]);
  // Counters of zero are left, which belong to no record.
  for await (const entries of scan(driver, prefixRange([id]))) {
    const removes = entries.map(([key]) => key).filter((key) => key !== freezeKey(id));
    await driver.commit({ checks: [], puts: [], removes, sums: [] });
  }
  await removeBelow([SYSTEM, accounts.name]);
}

/** A record under its key. */
interface Stored {
  key: string;
  from: AnyCollection;
  record: AnyRecord;
}

function ownedBy(accountId: number, entries: Entry[]): Stored[] {
  return entries.flatMap(([key, text]) => {
    const sorted = kindOf(key);
    if (sorted.kind !== "record" || key === freezeKey(accountId)) return [];
    const record = JSON.parse(text) as AnyRecord;
    return ownerOf(sorted.from, record) === accountId ? [{ key, from: sorted.from, record }] : [];
  });
}

/** Nothing is checked, because nobody else changes the records of a frozen account. */
async function remove(driver: AtomicDriver, stored: Stored[]): Promise<void> {
  const changes: Changes = { checks: [], puts: [], removes: [], sums: [] };
  for (const { key, from, record } of stored) {
    const { pointers, sums } = derivedOf(from, record);
    changes.removes.push(key, ...pointers.map((pointer) => pointer.key));
    changes.sums.push(...sums.map(([counter, amount]): [string, number] => [counter, -amount]));
    if (from.name === deliveries.name) changes.removes.push(laneKeyOf(record as Delivery));
  }
  if (stored.length > 0) await driver.commit(changes);
}

/** The lane that a delivery waits in. All others in it are the same account's. */
function laneKeyOf(delivery: Delivery): string {
  return recordKey(lanes, SYSTEM, [destinationOf(delivery), delivery.lane]);
}
