import type { Belonging } from "./record.ts";
import type { Collection } from "../../storage/collection.ts";
import type { Store } from "../../storage/store.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";

/** The records of one promoter. */
interface OwnRecords<R> extends Window {
  accountId: number;
  promoterId: number;
  /** How many there are. Absent: the listing's own counter knows. */
  length?: number;
  /** A further condition. Absent: all are meant. */
  keeps?: ((record: R) => boolean) | undefined;
}

/** A page of a promoter's own records, newest first. With a condition, it reads all of their records. */
export async function findNewestOf<R extends Belonging & { id: number }>(
  store: Store,
  from: Collection<R, string, "promoter">,
  { promoterId, keeps, ...listing }: OwnRecords<R>,
): Promise<Found<R>> {
  const { accountId, limit, offset } = listing;
  const range = { index: "promoter", start: [promoterId] } as const;
  if (keeps === undefined) return findPage(store, from, { ...listing, ...range, reverse: true });
  const ids: number[] = [];
  for await (const chunk of store.scan(from, range.index, accountId, range.start)) {
    ids.push(...chunk.filter(keeps).map(({ id }) => id));
  }
  const page = ids.toReversed().slice(offset, offset + limit);
  const records = await Promise.all(page.map((id) => store.get(from, accountId, id)));
  return { records: records.filter((record) => record !== null), total: ids.length };
}
