import { FIXED_NAMES, nameKey, originNames, OTHER, type OriginKind } from "../origin/origin.ts";
import type { Store } from "../../storage/store.ts";
import { among, type Found, type Window } from "../../storage/query.ts";
import { readHistories, type SubjectId } from "./histories.ts";
import { isEmpty } from "./history.ts";
import { firstRanked, type Sort } from "./ranking.ts";
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
  const ownerOf = (key: SubjectId) => {
    // A name that was forgotten belongs to the others.
    const id = names.has(String(key)) ? String(key) : nameKey(OTHER);
    return keeps({ id, name: names.get(id) ?? "" }) ? id : null;
  };
  const figures = [...query.figures, sort.by];
  const whole = { periods: [query.range], figures, series: kind };
  /** The keys that belong to each id. */
  const keys = new Map<string, SubjectId[]>();
  const ranking = await readHistories(store, accountId, {
    ...whole,
    ownerOf(key) {
      const id = ownerOf(key);
      if (id !== null) keys.set(id, [...(keys.get(id) ?? []), key]);
      return id;
    },
  });
  const ids = [...ranking].flatMap(([id, history]) => (isEmpty(history) ? [] : [id]));
  const limit = page.offset + page.limit;
  const shown = (await firstRanked(ids, ranking, { ...query, sort, limit })).slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const shownKeys = [...new Set(shown.flatMap((id) => keys.get(id) ?? []))];
  const chosen = (column: string) => among(column, shownKeys);
  const histories = await readHistories(store, accountId, { ...plan, series: kind, chosen, ownerOf });
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
