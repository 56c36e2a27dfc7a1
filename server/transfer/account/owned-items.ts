import type { Delivery, Lane } from "../../domain/webhook/record.ts";
import { deliveries, destinationOf, lanes } from "../../domain/webhook/delivery.ts";
import { dayRates } from "../../domain/money/rate.ts";
import { SYSTEM } from "../../domain/account/record.ts";
import { ownerOf } from "../../storage/collection.ts";
import type { AtomicDriver } from "../../storage/driver.ts";
import { freezes } from "../../storage/freeze.ts";
import { prefixRange } from "../../storage/keys.ts";
import { scan } from "../../storage/listing/scan.ts";
import type { Entry } from "../../storage/listing/snapshot.ts";
import { collectionNamed, COLLECTIONS, type AnyRecord } from "../collections.ts";
import { IDS, itemOf, type Item } from "../item.ts";

/** The collections that keep records of all accounts under one number. Lanes name no account, but belong to one. */
export const SHARED_COLLECTIONS = COLLECTIONS.filter(
  ({ name, owner }) => owner !== undefined || name === lanes.name,
);

/**
 * Makes the function that tells whether an item belongs to some accounts. It must see the items in key order, because a
 * lane belongs to the account of the deliveries that wait in it.
 */
export function newOwnership(accountIds: readonly number[]): (item: Item) => boolean {
  const destinations = new Set<string>();
  return ({ collection, text }) => {
    if (collection === IDS || collection === freezes.name) return false;
    const record = JSON.parse(text) as AnyRecord;
    if (collection === lanes.name) return destinations.has((record as Lane).destination);
    const from = collectionNamed(collection);
    const isOwned = accountIds.includes(from === null ? record.accountId : ownerOf(from, record));
    if (isOwned && collection === deliveries.name) destinations.add(destinationOf(record as Delivery));
    return isOwned;
  };
}

/**
 * Whether an item belongs to the server, but its accounts can't do without it: the next ids, because ids must not be
 * used twice, and the operator's exchange rates.
 */
export function isShared({ collection, text }: Item): boolean {
  if (collection === IDS) return true;
  return collection === dayRates.name && (JSON.parse(text) as AnyRecord).accountId === SYSTEM;
}

/** The items of some accounts, always in the same order. It reads nothing that belongs to other accounts alone. */
export async function* itemsOf(driver: AtomicDriver, accountIds: readonly number[]): AsyncGenerator<Item> {
  const isOwned = newOwnership(accountIds);
  for (const { name } of SHARED_COLLECTIONS) {
    for await (const entries of scan(driver, prefixRange([SYSTEM, name]))) yield* chosen(entries, isOwned);
  }
  for (const accountId of accountIds) {
    for await (const entries of scan(driver, prefixRange([accountId]))) yield* chosen(entries, isOwned);
  }
}

/** The items of a store that its accounts share. */
export async function* sharedItemsOf(driver: AtomicDriver): AsyncGenerator<Item> {
  for (const name of [dayRates.name, IDS]) {
    for await (const entries of scan(driver, prefixRange([SYSTEM, name]))) yield* chosen(entries, isShared);
  }
}

function chosen(entries: Entry[], isWanted: (item: Item) => boolean): Item[] {
  return entries.map(itemOf).filter((item) => item !== null && isWanted(item)) as Item[];
}
