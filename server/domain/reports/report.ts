import { sql, type SqlBool } from "kysely";
import { setImmediate as othersTurn } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import { among, contains, type Schema, type Window } from "../../storage/query.ts";
import type { Store } from "../../storage/store.ts";
import { campaigns, type Campaign } from "../program/campaign/campaign.ts";
import { promoterName, promoters } from "../people/promoter/promoter.ts";
import {
  figureIn,
  figuresOf,
  periodsOf,
  type Figure,
  type Figures,
  type Grouping,
  type History,
  type Period,
} from "./figures.ts";
import { findBusy, historyOf, readHistories, type Histories, type SubjectId } from "./histories.ts";

/** The range, the rows and the columns of a report. */
export interface ReportQuery {
  range: Period;
  groupBy: Grouping;
  figures: readonly Figure[];
  /** The maximum size of the report. Absent: that of an answer which is written whole. */
  mostBytes?: number;
}

/** The figures of one period. */
export interface ReportRow {
  period: Period;
  figures: Figures;
}

/** The figures of a campaign or promoter: over the whole range and for each period. */
export interface ReportGroup<Id extends SubjectId = number> {
  id: Id;
  name: string;
  total: Figures;
  rows: ReportRow[];
}

/** A page of the groups of a report, each computed when it is asked for. Other requests get a turn between two of them. */
export interface FoundGroups<Id extends SubjectId = number> {
  groups: AsyncIterable<ReportGroup<Id>>;
  /** How many there are on all pages. */
  total: number;
}

/** The account's periods, sorted by a figure or, without one, by time. @throws Failure `invalid` */
export async function reportOverview(
  store: Store,
  accountId: number,
  { sort, ...query }: ReportQuery & { sort: Sort | null },
): Promise<ReportRow[]> {
  const figures = sort === null ? query.figures : [...query.figures, sort.by];
  const plan = planOf({ ...query, figures });
  refuseTooLarge(plan, 1);
  const whole = { series: "campaign" as const, isWhole: true, ownerOf: Number };
  const histories = await readHistories(store, accountId, { ...plan, ...whole });
  return sortRows(rowsOf(historyOf(histories, accountId), plan), sort);
}

/** Sorts periods by a figure or, without one, by time. */
export function sortRows(rows: ReportRow[], sort: Sort | null): ReportRow[] {
  if (sort === null) return rows;
  const sign = sort.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => sign * ((one.figures[sort.by] ?? 0) - (other.figures[sort.by] ?? 0)));
}

/** The account's figures over the whole range. */
export async function reportTotal(store: Store, accountId: number, query: ReportQuery): Promise<Figures> {
  const histories = await readHistories(store, accountId, {
    ...query,
    periods: [query.range],
    series: "campaign",
    isWhole: true,
    ownerOf: Number,
  });
  return figuresOf(historyOf(histories, accountId), query.range, query.figures);
}

/** The campaigns of a report. */
interface CampaignSelection {
  keeps?: ((campaign: Campaign) => boolean) | undefined;
  /** Null: oldest first. */
  sort: Sort | null;
  page: Window;
}

/** A page of the campaigns. @throws Failure `invalid` */
export async function reportCampaigns(
  store: Store,
  accountId: number,
  { keeps = () => true, sort, page, ...query }: ReportQuery & CampaignSelection,
): Promise<FoundGroups> {
  const plan = planOf(query);
  const found = new Map<number, Campaign>();
  for await (const chunk of store.scan(campaigns, "id", accountId, [])) {
    for (const campaign of chunk) if (keeps(campaign)) found.set(campaign.id, campaign);
  }
  const ids = [...found.keys()];
  const shown =
    sort === null ? pageOf(ids, page) : await rankedPage(store, accountId, { ...query, ids, sort, page });
  refuseTooLarge(plan, shown.length);
  const histories = await readHistories(store, accountId, {
    ...plan,
    series: "campaign",
    chosen: (column) => among(column, shown),
    ownerOf: Number,
  });
  const subjects = shown.map((id) => ({ id, name: found.get(id)?.name ?? "" }));
  return { groups: groupsOf(subjects, plan, histories), total: ids.length };
}

/** A query with its range split into periods. */
interface Plan extends ReportQuery {
  periods: Period[];
}

/**
 * Splits the range of a query into periods.
 *
 * @throws Failure `invalid`
 */
export function planOf(query: ReportQuery): Plan {
  return { ...query, periods: periodsOf(query.range, query.groupBy) };
}

/** A value with the name of its column, and its part of the name of its period. */
const CELL_BYTES = 40;
/** An answer that is written whole. For more, clients request pages. */
const WHOLE_BYTES = 2_000_000;
/** An answer that is written group by group, and a file. */
export const STREAMED_BYTES = 40_000_000;
const BYTES_OF_MB = 1_000_000;

/** Refuses a report that would be too large. @throws Failure `invalid` */
export function refuseTooLarge(
  { periods, figures, mostBytes = WHOLE_BYTES }: Plan,
  groupsCount: number,
): void {
  // Each row also names its period.
  const bytes = groupsCount * (periods.length + 1) * (figures.length + 1) * CELL_BYTES;
  if (bytes <= mostBytes) return;
  const [size, most] = [bytes, mostBytes].map((length) => (length / BYTES_OF_MB).toFixed(1));
  throw new Failure(
    "invalid",
    `The report would have about ${size} MB, more than ${most} MB; ask for fewer fields, longer periods or a smaller per_page`,
  );
}

/** The groups of a report, in the order of their subjects. */
export async function* groupsOf<Id extends SubjectId>(
  subjects: { id: Id; name: string }[],
  plan: Plan,
  histories: Histories<Id>,
): AsyncGenerator<ReportGroup<Id>> {
  for (const { id, name } of subjects) {
    const history = historyOf(histories, id);
    const total = figuresOf(history, plan.range, plan.figures);
    yield { id, name, total, rows: rowsOf(history, plan) };
    await othersTurn();
  }
}

/** The periods of a plan with their figures. */
export function rowsOf(history: History, { periods, figures }: Plan): ReportRow[] {
  return periods.map((period) => ({
    period,
    figures: figuresOf(history, period, figures),
  }));
}

/** The figure that a report is sorted by. */
export interface Sort {
  by: Figure;
  isDescending: boolean;
}

/** Ids ranked before other requests get a turn. This takes a few milliseconds. */
const RANKED_AT_ONCE = 1_000;

/** The first ids by a figure. Equal ones are sorted by id. */
export async function firstRanked<Id extends SubjectId>(
  ids: Id[],
  histories: Histories<Id>,
  { range, sort, limit }: { range: Period; sort: Sort; limit: number },
): Promise<Id[]> {
  const sign = sort.isDescending ? -1 : 1;
  const valueOf = figureIn(range, sort.by);
  let first: { id: Id; value: number }[] = [];
  for (let at = 0; at < ids.length; at += RANKED_AT_ONCE) {
    for (const id of ids.slice(at, at + RANKED_AT_ONCE)) {
      first.push({ id, value: valueOf(historyOf(histories, id)) });
    }
    first.sort((one, other) => sign * (one.value - other.value) || (one.id < other.id ? -1 : 1));
    first = first.slice(0, limit);
    await othersTurn();
  }
  return first.map(({ id }) => id);
}

/** The promoters of a report. */
interface PromoterSelection {
  /** Null: all promoters with events that the figures need. */
  promoterIds: number[] | null;
  /** Part of the name or the e-mail address, or null for any. */
  text: string | null;
  sort: Sort;
  page: Window;
}

/**
 * A page of promoters sorted by one figure. A promoter without a name is shown by e-mail address.
 *
 * @throws Failure `invalid`
 */
export async function reportPromoters(
  store: Store,
  accountId: number,
  query: ReportQuery & PromoterSelection,
): Promise<FoundGroups> {
  const { promoterIds, range, figures, sort, page } = query;
  const plan = planOf(query);
  // Leads of a deleted promoter still count for it.
  const known = promoterQuery(store, accountId, query);
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
  refuseTooLarge(plan, shown.length);
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
  return { groups: groupsOf(subjects, plan, histories), total: ids.length };
}

/** The part of a list that a page shows. */
function pageOf<T>(items: T[], { limit, offset }: Window): T[] {
  return items.slice(offset, offset + limit);
}

/** A page of campaigns sorted by a figure over the whole range. */
async function rankedPage(
  store: Store,
  accountId: number,
  { ids, range, sort, page }: { ids: number[]; range: Period; sort: Sort; page: Window },
): Promise<number[]> {
  const wanted = { periods: [range], figures: [sort.by], series: "campaign" as const, ownerOf: Number };
  const ranking = await readHistories(store, accountId, wanted);
  const first = await firstRanked(ids, ranking, { range, sort, limit: page.offset + page.limit });
  return first.slice(page.offset);
}

/** The ids of the promoters that a report may show. */
function promoterQuery(
  store: Store,
  accountId: number,
  { promoterIds, text }: Pick<PromoterSelection, "promoterIds" | "text">,
) {
  let query = store
    .query<Schema<{ promoters: typeof promoters }>>()
    .selectFrom("promoters")
    .where("promoters.account_id", "=", accountId)
    .select("promoters.id");
  if (promoterIds !== null) query = query.where(among("promoters.id", promoterIds));
  if (text !== null) query = query.where(contains("promoters.words", text));
  return query;
}
