import { SYSTEM } from "../../domain/account/account.ts";
import { dayRates } from "../../domain/money/rate.ts";
import { deliveries, destinationOf, lanes, type Delivery, type Lane } from "../../domain/webhook/delivery.ts";
import { freezes } from "../../storage/freeze.ts";
import type { Reads } from "../../storage/session.ts";
import { ownerOf } from "../../storage/table.ts";
import { tableNamed, TABLES, type AnyRecord, type AnyTable } from "../../tables.ts";
import { IDS, PLAIN, type Item } from "../item.ts";
import { nextIdsIn, recordsIn } from "../stored-items.ts";

/** The tables that keep records of all accounts under one number. Lanes name no account, but belong to one. */
export const SHARED_TABLES = TABLES.filter(({ name, owner }) => owner !== undefined || name === lanes.name);

/**
 * Makes the function that tells whether an item belongs to some accounts. It must see deliveries before lanes, because a
 * lane belongs to the account of the deliveries that wait in it.
 */
export function newOwnership(accountIds: readonly number[]): (item: Item) => boolean {
  const destinations = new Set<string>();
  return ({ collection, text }) => {
    if (collection === IDS || collection === PLAIN || collection === freezes.name) return false;
    const record = JSON.parse(text) as AnyRecord;
    if (collection === lanes.name) return destinations.has((record as Lane).destination);
    const from = tableNamed(collection);
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
export async function* itemsOf(reads: Reads, accountIds: readonly number[]): AsyncGenerator<Item[]> {
  const isOwned = newOwnership(accountIds);
  for (const table of SHARED_TABLES) {
    for await (const items of recordsIn(reads, table, SYSTEM)) yield items.filter(isOwned);
  }
  for (const accountId of accountIds) {
    for (const table of TABLES) {
      for await (const items of recordsIn(reads, table, accountId)) yield items.filter(isOwned);
    }
  }
}

/** The items of a store that its accounts share. */
export async function* sharedItemsOf(reads: Reads): AsyncGenerator<Item[]> {
  yield* recordsIn(reads, dayRates as unknown as AnyTable, SYSTEM);
  yield await nextIdsIn(reads);
}
