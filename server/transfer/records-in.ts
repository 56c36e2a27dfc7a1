import type { AtomicDriver } from "../storage/driver.ts";
import { prefixRange } from "../storage/keys.ts";
import { recordKey, type Collection } from "../storage/collection.ts";
import { scan } from "../storage/listing/scan.ts";
import type { Entry } from "../storage/listing/snapshot.ts";
import type { AnyRecord } from "./collections.ts";

/** Reads all records of one kind of an account, in chunks. It needs no index. */
export async function* recordsIn<R extends AnyRecord>(
  driver: AtomicDriver,
  from: Collection<R>,
  accountId: number,
): AsyncGenerator<R[]> {
  for await (const entries of scan(driver, prefixRange([accountId, from.name]))) {
    yield entries.map(([, text]) => JSON.parse(text) as R);
  }
}

/** Reads all records of one kind of an account at once. */
export async function allIn<R extends AnyRecord>(
  driver: AtomicDriver,
  from: Collection<R>,
  accountId: number,
): Promise<R[]> {
  const all: R[] = [];
  for await (const records of recordsIn(driver, from, accountId)) all.push(...records);
  return all;
}

/** The entry that holds a record. */
export function entryIn<R extends AnyRecord>(from: Collection<R>, record: R): Entry {
  return [recordKey(from, record.accountId, from.id(record)), JSON.stringify(record)];
}
