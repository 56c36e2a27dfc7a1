import type { Store, Transaction } from "../../storage/store.ts";

/** Records in one commit: enough to share its cost, few enough to let other requests in. */
const CHUNK = 250;

/** The sizes of the commits that make so many records. */
export function* chunks(count: number): Generator<number> {
  for (let done = 0; done < count; done += CHUNK) yield Math.min(CHUNK, count - done);
}

/** So many new ids. */
export async function nextIds(store: Store, kind: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(await store.nextId(kind));
  return ids;
}

/** Puts records in one commit. */
export function putAll<R>(
  store: Store,
  records: R[],
  put: (tx: Transaction, record: R) => Promise<void>,
): Promise<void> {
  return store.transact(async (tx) => {
    for (const record of records) await put(tx, record);
  });
}
