import { FIXED_NAMES, originNames, OTHER } from "../origin/origin.ts";
import { nameKey } from "../origin/name-key.ts";
import type { OriginKind } from "../origin/record.ts";
import type { Store } from "../../storage/store.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { readHistories } from "./histories.ts";
import { isEmpty } from "./history.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import type { SeriesId } from "./series.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";

/** The sources or pages of a report. */
export interface OriginSelection {
  kind: OriginKind;
  keeps: (origin: { id: string; name: string }) => boolean;
  sort: Sort;
  page: Window;
}

/** A page of the sources, or of the pages, that had a fact in the range. @throws Failure `invalid` */
export async function reportOrigins(
  store: Store,
  accountId: number,
  { kind, keeps, sort, page, ...query }: ReportQuery & OriginSelection,
): Promise<Found<ReportGroup<string>>> {
  const plan = planOf(query);
  const names = await namesOf(store, accountId, kind);
  const ownerOf = (key: SeriesId) => {
    // A name that was forgotten belongs to the others.
    const id = names.has(String(key)) ? String(key) : nameKey(OTHER);
    return keeps({ id, name: names.get(id) ?? "" }) ? id : null;
  };
  const figures = [...query.figures, sort.by];
  const histories = await readHistories(store, accountId, { ...plan, figures, series: kind, ownerOf });
  const ids = [...histories].flatMap(([id, history]) => (isEmpty(history) ? [] : [id]));
  const limit = page.offset + page.limit;
  const shown = (await firstRanked(ids, histories, { ...query, sort, limit })).slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const subjects = shown.map((id) => ({ id, name: names.get(id) ?? "" }));
  return { records: await groupsOf(subjects, plan, histories), total: ids.length };
}

async function namesOf(store: Store, accountId: number, kind: OriginKind): Promise<Map<string, string>> {
  const names = new Map(FIXED_NAMES[kind].map((name) => [nameKey(name), name]));
  for await (const chunk of store.scan(originNames, "id", accountId, [kind])) {
    for (const { name } of chunk) names.set(nameKey(name), name);
  }
  return names;
}
