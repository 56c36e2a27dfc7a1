import { setImmediate as othersTurn } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import { campaigns, type Campaign } from "../campaign/campaign.ts";
import type { History } from "./history.ts";
import { among, type Found, type Window } from "../../storage/query.ts";
import { periodsOf, type Grouping, type Period } from "./period.ts";
import { figuresOf, type Figure, type Figures } from "./figures.ts";
import { historyOf, readHistories, type Histories, type SubjectId } from "./histories.ts";
import { firstRanked, type Sort } from "./ranking.ts";

/** Choice: about a megabyte of text. A client that needs more asks page by page. */
const MOST_CELLS = 50_000;

/** The range, the rows and the columns of a report. */
export interface ReportQuery {
  range: Period;
  groupBy: Grouping;
  figures: readonly Figure[];
  /** How large the report may be. Absent: as large as an answer of JSON should be. */
  mostCells?: number;
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

/** A query with its range cut into periods. */
export interface Plan extends ReportQuery {
  periods: Period[];
}

/** The account's periods, sorted by a figure or, without one, by time. @throws Failure `invalid` */
export async function reportOverview(
  store: Store,
  accountId: number,
  { sort, ...query }: ReportQuery & { sort: Sort | null },
): Promise<ReportRow[]> {
  const figures = sort === null ? query.figures : [...query.figures, sort.by];
  const plan = planOf({ ...query, figures });
  refuseTooManyCells(plan, 1);
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
export interface CampaignSelection {
  keeps?: ((campaign: Campaign) => boolean) | undefined;
  /** null: oldest first. */
  sort: Sort | null;
  page: Window;
}

/** A page of the campaigns. @throws Failure `invalid` */
export async function reportCampaigns(
  store: Store,
  accountId: number,
  { keeps = () => true, sort, page, ...query }: ReportQuery & CampaignSelection,
): Promise<Found<ReportGroup>> {
  const plan = planOf(query);
  const found = new Map<number, Campaign>();
  for await (const chunk of store.scan(campaigns, "id", accountId, [])) {
    for (const campaign of chunk) if (keeps(campaign)) found.set(campaign.id, campaign);
  }
  const ids = [...found.keys()];
  const shown =
    sort === null ? pageOf(ids, page) : await rankedPage(store, accountId, { ...query, ids, sort, page });
  refuseTooManyCells(plan, shown.length);
  const histories = await readHistories(store, accountId, {
    ...plan,
    series: "campaign",
    chosen: (column) => among(column, shown),
    ownerOf: Number,
  });
  const subjects = shown.map((id) => ({ id, name: found.get(id)?.name ?? "" }));
  return { records: await groupsOf(subjects, plan, histories), total: ids.length };
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

/** Cuts the range of a query into periods. @throws Failure `invalid` */
export function planOf(query: ReportQuery): Plan {
  return { ...query, periods: periodsOf(query.range, query.groupBy) };
}

/** Refuses a report that would be too large. @throws Failure `invalid` */
export function refuseTooManyCells(
  { periods, figures, mostCells = MOST_CELLS }: Plan,
  groupsCount: number,
): void {
  // Each row also names its period.
  const cells = groupsCount * (periods.length + 1) * (figures.length + 1);
  if (cells <= mostCells) return;
  throw new Failure(
    "invalid",
    `The report would have ${cells} cells, more than ${mostCells}; ask for fewer fields, longer periods or a smaller per_page`,
  );
}

/** The part of a list that a page shows. */
export function pageOf<T>(items: T[], { limit, offset }: Window): T[] {
  return items.slice(offset, offset + limit);
}

/** The groups of a report, in the order of their subjects. Other requests get a turn after each group. */
export async function groupsOf<Id extends SubjectId>(
  subjects: { id: Id; name: string }[],
  plan: Plan,
  histories: Histories<Id>,
): Promise<ReportGroup<Id>[]> {
  const groups: ReportGroup<Id>[] = [];
  for (const { id, name } of subjects) {
    const history = historyOf(histories, id);
    const total = figuresOf(history, plan.range, plan.figures);
    groups.push({ id, name, total, rows: rowsOf(history, plan) });
    await othersTurn();
  }
  return groups;
}

/** The periods of a plan with their figures. */
export function rowsOf(history: History, { periods, figures }: Plan): ReportRow[] {
  return periods.map((period) => ({
    period,
    figures: figuresOf(history, period, figures),
  }));
}
