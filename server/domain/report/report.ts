import { setImmediate as othersTurn } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import { findCampaigns } from "../campaign/campaign.ts";
import { addToHistory, type History } from "./running-totals.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { periodsOf, type Grouping, type Period } from "./period.ts";
import { figuresOf, firstDayFor, type Figure, type Figures } from "./figures.ts";
import { dailySums, type Series } from "./stats.ts";

/** Choice: about a megabyte of text. A client that needs more asks page by page. */
const MOST_CELLS = 50_000;

/** What a report covers. */
export interface ReportQuery {
  range: Period;
  groupBy: Grouping;
  figures: readonly Figure[];
}

/** The figures of one period. */
export interface ReportRow {
  period: Period;
  figures: Figures;
}

/** The figures of a campaign or promoter: over the whole range and for each period. */
export interface ReportGroup {
  id: number;
  name: string;
  total: Figures;
  rows: ReportRow[];
}

/** A query with its range cut into periods. */
export interface Plan extends ReportQuery {
  periods: Period[];
}

/** The account's periods sorted by one figure, equal ones oldest first. @throws Failure `invalid` */
export async function reportOverview(
  store: Store,
  accountId: number,
  query: ReportQuery & { sort: { by: Figure; isDescending: boolean } },
): Promise<ReportRow[]> {
  const { by, isDescending } = query.sort;
  const figures = [...query.figures, by];
  const plan = planOf({ ...query, figures });
  refuseTooManyCells(plan, 1);
  const ownerOf = async () => accountId;
  const histories = await readHistories(store, accountId, { ...plan, series: "campaign", ownerOf });
  const rows = rowsOf(historyOf(histories, accountId), plan);
  const sign = isDescending ? -1 : 1;
  return rows.sort((one, other) => sign * ((one.figures[by] ?? 0) - (other.figures[by] ?? 0)));
}

/** A page of the campaigns, oldest first. @throws Failure `invalid` */
export async function reportCampaigns(
  store: Store,
  accountId: number,
  { page, ...query }: ReportQuery & { page: Window },
): Promise<Found<ReportGroup>> {
  const plan = planOf(query);
  const { records, total } = await findCampaigns(store, accountId, page);
  refuseTooManyCells(plan, records.length);
  const wanted = new Set(records.map(({ id }) => id));
  const ownerOf = async (id: number) => (wanted.has(id) ? id : null);
  const histories = await readHistories(store, accountId, { ...plan, series: "campaign", ownerOf });
  return { records: await groupsOf(records, plan, histories), total };
}

/** Cuts the range of a query into periods. @throws Failure `invalid` */
export function planOf(query: ReportQuery): Plan {
  return { ...query, periods: periodsOf(query.range, query.groupBy) };
}

/** Refuses a report that would be too large. @throws Failure `invalid` */
export function refuseTooManyCells({ periods, figures }: Plan, groupsCount: number): void {
  // Each row also names its period.
  const cells = groupsCount * (periods.length + 1) * (figures.length + 1);
  if (cells <= MOST_CELLS) return;
  throw new Failure(
    "invalid",
    `The report would have ${cells} cells, more than ${MOST_CELLS}; ask for fewer fields, longer periods or a smaller per_page`,
  );
}

interface Reading extends ReportQuery {
  series: Series;
  /** Maps the id of a series to the id whose totals it belongs to. Absent: the id itself. null: to skip. */
  ownerOf?: (id: number) => Promise<number | null>;
}

/** Reads the running totals that the figures need. The cost depends on the days that had facts. */
export async function readHistories(
  store: Store,
  accountId: number,
  { range, figures, series, ownerOf }: Reading,
): Promise<Map<number, History>> {
  const histories = new Map<number, History>();
  const days = { series, from: firstDayFor(figures, range.from), to: range.to };
  for await (const sums of dailySums(store, accountId, days)) {
    for (const { id, ...sum } of sums) {
      const owner = ownerOf === undefined ? id : await ownerOf(id);
      if (owner === null) continue;
      const history = historyOf(histories, owner);
      histories.set(owner, history);
      addToHistory(history, sum);
    }
  }
  return histories;
}

/** The running totals of an id. Empty if it had no facts. */
export function historyOf(histories: Map<number, History>, id: number): History {
  return histories.get(id) ?? new Map();
}

/** The groups of a report, in the order of their subjects. Other requests get a turn after each group. */
export async function groupsOf(
  subjects: { id: number; name: string }[],
  plan: Plan,
  histories: Map<number, History>,
): Promise<ReportGroup[]> {
  const groups: ReportGroup[] = [];
  for (const { id, name } of subjects) {
    const history = historyOf(histories, id);
    const total = figuresOf(history, plan.range, plan.figures);
    groups.push({ id, name, total, rows: rowsOf(history, plan) });
    await othersTurn();
  }
  return groups;
}

function rowsOf(history: History, { periods, figures }: Plan): ReportRow[] {
  return periods.map((period) => ({
    period,
    figures: figuresOf(history, period, figures),
  }));
}
