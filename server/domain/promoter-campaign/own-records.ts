import { Failure } from "../../failure.ts";
import type { Belonging, PromoterCampaign } from "./record.ts";
import type { Collection } from "../../storage/collection.ts";
import type { Reader, Store } from "../../storage/store.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import { loadPromoterCampaign } from "./promoter-campaign.ts";

/** Names a record of one promoter. */
export interface OwnRecord {
  accountId: number;
  promoterId: number;
  id: number;
}

/** A promoter campaign of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnPromoterCampaign(
  reader: Reader,
  { accountId, promoterId, id }: OwnRecord,
): Promise<PromoterCampaign> {
  const promoterCampaign = await loadPromoterCampaign(reader, accountId, id);
  if (promoterCampaign.promoterId !== promoterId) throw new Failure("not_found", "Promotion not found.");
  return promoterCampaign;
}

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
