import { sql, type SqlBool } from "kysely";
import { among, contains, type Found, type Schema, type Window } from "../../storage/query.ts";
import type { Store } from "../../storage/store.ts";
import { promoterName, promoters } from "../promoter/promoter.ts";
import { findBusy, readHistories } from "./histories.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";

/** The promoters of a report. */
export interface PromoterSelection {
  /** null: all promoters that had a fact which the figures need. */
  promoterIds: number[] | null;
  /** Part of the name or the e-mail address. null: any. */
  text: string | null;
  sort: Sort;
  page: Window;
}

/**
 * A page of promoters sorted by one figure.
 *
 * Choice: a promoter without a name is shown by e-mail address.
 *
 * @throws Failure `invalid`
 */
export async function reportPromoters(
  store: Store,
  accountId: number,
  query: ReportQuery & PromoterSelection,
): Promise<Found<ReportGroup>> {
  const { promoterIds, range, figures, sort, page } = query;
  const plan = planOf(query);
  // Leads of a deleted promoter still count for it.
  const known = promoterQuestion(store, accountId, query);
  const wanted = {
    periods: [range],
    series: "promoter" as const,
    chosen: (column: string) => sql<SqlBool>`${sql.ref(column)} in ${known}`,
  };
  const [ranking, found] = await Promise.all([
    readHistories(store, accountId, { ...wanted, figures: [sort.by], ownerOf: Number }),
    promoterIds === null
      ? findBusy(store, accountId, { ...wanted, figures: [...figures, sort.by] })
      : (await store.rows(known)).map(({ id }) => id),
  ]);
  const ids = found.map(Number);
  const first = await firstRanked(ids, ranking, { ...query, limit: page.offset + page.limit });
  const shown = first.slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const histories = await readHistories(store, accountId, {
    ...plan,
    series: "promoter",
    chosen: (column) => among(column, shown),
    ownerOf: Number,
  });
  const subjects = [];
  for (const id of shown) {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter !== null) subjects.push({ id, name: promoterName(promoter) });
  }
  return { records: await groupsOf(subjects, plan, histories), total: ids.length };
}

/** The ids of the promoters that a report may show. */
function promoterQuestion(
  store: Store,
  accountId: number,
  { promoterIds, text }: Pick<PromoterSelection, "promoterIds" | "text">,
) {
  let question = store
    .question<Schema<{ promoters: typeof promoters }>>()
    .selectFrom("promoters")
    .where("promoters.account_id", "=", accountId)
    .select("promoters.id");
  if (promoterIds !== null) question = question.where(among("promoters.id", promoterIds));
  if (text !== null) question = question.where(contains("promoters.words", text));
  return question;
}
