import type { SelectQueryBuilder } from "kysely";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";
import type { TotalMetric } from "../report/daily.ts";
import { dailyQuestion, totalsOf } from "../report/stats.ts";
import { promoters } from "./promoter.ts";
import type { Promoter } from "./record.ts";
import { conditionsOf, totalOf, type PromoterFilter, type PromoterSorting } from "./search-conditions.ts";

type PromoterSchema = Schema<{ promoters: typeof promoters }>;
type PromoterQuestion = SelectQueryBuilder<PromoterSchema, "promoters", object>;

/** A page of the promoters that pass a filter. */
export async function findPromoters(
  store: View,
  accountId: number,
  { filter, sorting = [], ...window }: { filter: PromoterFilter; sorting?: PromoterSorting } & Window,
): Promise<Found<Promoter>> {
  const named = filter.text === undefined ? null : await findByRefToken(store, accountId, filter.text);
  const metrics = sorting.map(({ by }) => by).filter((by) => by !== "joinedAt");
  const question = withTotals(store, accountId, [
    ...metrics,
    ...Object.keys(filter.stats ?? {}),
  ] as TotalMetric[])
    .where("promoters.account_id", "=", accountId)
    .where(conditionsOf(accountId, filter, named?.promoterId ?? null));
  return findPage(store, promoters, { question: inOrder(question, sorting), ...window });
}

/** How many promoter campaigns wait for a decision. */
export function countPending(store: View, accountId: number): Promise<number> {
  return store.count(promoterCampaigns, "state", accountId, ["pending"]);
}

/** The promoters with their totals of some metrics. */
function withTotals(view: View, accountId: number, metrics: TotalMetric[]): PromoterQuestion {
  const question = view.question<PromoterSchema>().selectFrom("promoters");
  if (metrics.length === 0) return question;
  const totals = dailyQuestion(view, accountId, "promoter-month")
    .groupBy("daily.subject_id")
    .select("daily.subject_id")
    .select(totalsOf([...new Set(metrics)]))
    .as("totals");
  return question.leftJoin(totals, "totals.subject_id", "promoters.id") as unknown as PromoterQuestion;
}

function inOrder(question: PromoterQuestion, sorting: PromoterSorting): PromoterQuestion {
  return sorting
    .reduce((sorted, { by, isDescending }) => {
      const direction = isDescending ? "desc" : "asc";
      if (by !== "joinedAt") return sorted.orderBy(totalOf(by), direction);
      // Of those who joined in the same millisecond, the last one has the highest id.
      return sorted.orderBy("promoters.created_at", direction).orderBy("promoters.id", direction);
    }, question)
    .orderBy("promoters.id");
}
