import { accounts, type Account } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { dayRates } from "../domain/ledger/rate.ts";
import {
  deliveries,
  destinationOf,
  lanes,
  type Delivery,
  type Lane,
} from "../domain/events/webhook/delivery.ts";
import { Failure } from "../failure.ts";
import { freezes, type Freeze } from "../storage/freeze.ts";
import type { Engine } from "../storage/session.ts";
import { keyOf } from "../storage/record.ts";
import { sqlName } from "../storage/sql.ts";
import type { Store } from "../storage/store.ts";
import { ownerOf } from "../storage/table.ts";
import { runOn } from "../storage/transaction.ts";
import { SUM_TABLES, tableNamed, TABLES, type AnyRecord, type AnyTable } from "../tables.ts";
import { IDS, OWN, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { isProof, recordsIn } from "./stored-items.ts";

/**
 * Makes an account read-only. When it returns, every change that was answered before is in the store, and no more will
 * follow.
 *
 * @throws Failure `refused` if the account is being removed
 */
export function freeze(store: Store, accountId: number, state: Freeze["state"]): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(freezes, accountId, 1);
    if (current?.state === "removed" && state !== "removed") throw beingRemoved();
    await tx.put(freezes, { account_id: accountId, state });
  });
}

/**
 * Allows changes to an account again.
 *
 * @throws Failure `refused` if the account is being removed
 */
export function unfreeze(store: Store, accountId: number): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(freezes, accountId, 1);
    if (current?.state === "removed") throw beingRemoved();
    await tx.remove(freezes, accountId, 1);
  });
}

/** Rows per transaction, few enough that other accounts wait only briefly. */
const CHUNK = 1_000;

/**
 * Removes all data of an account while the store is in use. The account's own record is removed last, so that the same
 * command can complete an interrupted removal.
 */
export async function removeAccount(
  [engine, store]: [Engine, Store],
  { id }: Account,
  onProgress: Progress,
): Promise<void> {
  // The freeze stays forever, so that changes that are still under way are refused, too.
  await freeze(store, id, "removed");
  const removed = counting("removed", onProgress);
  const isAccounts = ({ name }: { name: string }) => name === accounts.name;
  for (const table of SHARED_TABLES.filter((each) => !isAccounts(each)))
    await removeShared(engine, table, id, removed);
  for (const table of TABLES.filter(({ name }) => name !== freezes.name))
    await removeOwn(engine, table, id, removed);
  const { value } = engine.dialect;
  for (const { name } of SUM_TABLES) {
    const text = `delete from ${name} where account_id = ${value(1)}`;
    await engine.transact((session) => Promise.resolve(session.run({ text, values: [id] })));
  }
  await removeShared(engine, TABLES.find(isAccounts)!, id, removed);
}

/** The tables whose key does not contain the account. Lanes do not name an account, but belong to one. */
const SHARED_TABLES = TABLES.filter(({ name, owner }) => owner !== undefined || name === lanes.name);

/**
 * Makes a function that tells whether an item belongs to some accounts. It must see deliveries before lanes, because a
 * lane belongs to the account of its waiting deliveries.
 */
export function newOwnership(accountIds: readonly number[]): (item: Item) => boolean {
  const destinations = new Set<string>();
  return ({ collection, text }) => {
    if (collection === IDS || collection === OWN || collection === freezes.name) return false;
    const record = JSON.parse(text) as AnyRecord;
    if (collection === lanes.name) return destinations.has((record as Lane).destination);
    const from = tableNamed(collection);
    const isOwned = accountIds.includes(from === null ? record.account_id : ownerOf(from, record));
    if (isOwned && collection === deliveries.name) destinations.add(destinationOf(record as Delivery));
    return isOwned;
  };
}

/**
 * Whether an item belongs to the server but is needed by its accounts: the next ids, because ids must not be reused, the
 * operator's exchange rates, and the proof of the key of their secrets.
 */
export function isShared(item: Item): boolean {
  const { collection, text } = item;
  if (collection === IDS || isProof(item)) return true;
  return collection === dayRates.name && (JSON.parse(text) as AnyRecord).account_id === SYSTEM;
}

function beingRemoved(): Failure {
  return new Failure("refused", "The account is being removed: `tidemark account remove` completes it");
}

/** Removes an account's records from a table that is shared by all accounts, and subtracts them from sums. */
async function removeShared(
  engine: Engine,
  from: AnyTable,
  accountId: number,
  onItems: (count: number) => void,
): Promise<void> {
  for await (const items of recordsIn(engine.reads, from, SYSTEM)) {
    const records = items.map(({ text }) => JSON.parse(text) as AnyRecord);
    const owned = records.filter((record) => ownerOf(from, record) === accountId);
    if (owned.length > 0) {
      await engine.transact((session) =>
        runOn(session, engine, async (tx) => {
          for (const record of owned) {
            await tx.remove(from, SYSTEM, ...keyOf(from, record));
            if (from.name !== deliveries.name) continue;
            // All deliveries in a lane belong to the same account.
            const { lane, ...delivery } = record as Delivery;
            await tx.remove(lanes, SYSTEM, destinationOf(delivery), lane);
          }
        }),
      );
    }
    onItems(owned.length);
  }
}

/** Removes all rows of an account from a table. */
async function removeOwn(
  engine: Engine,
  from: AnyTable,
  accountId: number,
  onItems: (count: number) => void,
): Promise<void> {
  const key = `account_id, ${from.key.join(", ")}`;
  const place = engine.dialect.value(1);
  const name = sqlName(from);
  const some = `select ${key} from ${name} where account_id = ${place} limit ${CHUNK}`;
  for (let count = CHUNK; count === CHUNK; onItems(count)) {
    count = await engine.transact(async (session) =>
      session.run({ text: `delete from ${name} where (${key}) in (${some})`, values: [accountId] }),
    );
  }
}
