import type { Store } from "../storage/store.ts";
import { listCampaigns } from "./campaign.ts";
import { addToHistory, type History } from "./history.ts";
import { periodsOf, type Grouping, type Period } from "./period.ts";
import { promoterName, promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { figuresOf, firstDayFor, type Figure, type Figures } from "./report-figures.ts";
import { dailySums, type Series } from "./stats.ts";

/** What a report is to tell. */
export interface ReportQuery {
  range: Period;
  groupBy: Grouping;
  figures: readonly Figure[];
}

/** One period's figures. */
export interface ReportRow {
  period: Period;
  figures: Figures;
}

/** The figures of a campaign or promoter: of the whole range, and of each period. */
export interface ReportGroup {
  id: number;
  name: string;
  total: Figures;
  rows: ReportRow[];
}

/** Which promoters a report is about. */
export interface PromoterSelection {
  /** null: all that had a fact on the days that the figures are made of. */
  promoterIds: number[] | null;
  /** The greatest come first. */
  rankBy: Figure;
  page: { limit: number; offset: number };
}

/** A query whose range is cut into the periods of its rows. */
interface Plan extends ReportQuery {
  periods: Period[];
}

/** The account's periods in the order of one figure; equal ones oldest first. @throws Failure `invalid` */
export async function reportOverview(
  store: Store,
  accountId: number,
  query: ReportQuery & { sort: { by: Figure; isDescending: boolean } },
): Promise<ReportRow[]> {
  const { by, isDescending } = query.sort;
  const figures = [...query.figures, by];
  const plan = planOf({ ...query, figures });
  const ownerOf = async () => accountId;
  const histories = await readHistories(store, accountId, { ...plan, series: "campaign", ownerOf });
  const rows = rowsOf(historyOf(histories, accountId), plan);
  const sign = isDescending ? -1 : 1;
  return rows.sort((one, other) => sign * ((one.figures[by] ?? 0) - (other.figures[by] ?? 0)));
}

/** Every campaign, oldest first. @throws Failure `invalid` */
export async function reportCampaigns(
  store: Store,
  accountId: number,
  query: ReportQuery,
): Promise<ReportGroup[]> {
  const plan = planOf(query);
  const histories = await readHistories(store, accountId, { ...plan, series: "campaign" });
  const campaigns = await listCampaigns(store, accountId);
  return campaigns.map(({ id, name }) => groupOf(historyOf(histories, id), plan, { id, name }));
}

/**
 * A page of promoters in the order of one figure. Choice: the e-mail address stands for a promoter who
 * gave no name.
 *
 * @throws Failure `invalid`
 */
export async function reportPromoters(
  store: Store,
  accountId: number,
  query: ReportQuery & PromoterSelection,
): Promise<{ groups: ReportGroup[]; total: number }> {
  const { promoterIds, rankBy, page } = query;
  const plan = planOf(query);
  const wanted = promoterIds && (await knownPromoters(store, accountId, promoterIds));
  const histories = await readHistories(store, accountId, {
    ...plan,
    figures: [...query.figures, rankBy],
    series: "promoter-campaign",
    ownerOf: promoterReader(store, accountId, wanted),
  });
  const ranked = [...(wanted ?? histories.keys())]
    .map((id) => ({ id, value: figuresOf(historyOf(histories, id), query.range, [rankBy])[rankBy] ?? 0 }))
    .sort((one, other) => other.value - one.value || one.id - other.id);
  const groups: ReportGroup[] = [];
  for (const { id } of ranked.slice(page.offset, page.offset + page.limit)) {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter !== null)
      groups.push(groupOf(historyOf(histories, id), plan, { id, name: promoterName(promoter) }));
  }
  return { groups, total: ranked.length };
}

function planOf(query: ReportQuery): Plan {
  return { ...query, periods: periodsOf(query.range, query.groupBy) };
}

interface Reading extends ReportQuery {
  series: Series;
  /** Whose history a series' id belongs to; its own unless told. null: nobody's of interest. */
  ownerOf?: (id: number) => Promise<number | null>;
}

/** What the figures need, of each whom the report speaks of. Its cost is that of the days that had facts. */
async function readHistories(
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

async function knownPromoters(store: Store, accountId: number, ids: number[]): Promise<Set<number>> {
  const known = new Set<number>();
  for (const id of ids) if ((await store.get(promoters, accountId, id)) !== null) known.add(id);
  return known;
}

/** Gives the promoter of a promoter campaign, each read once; null where not wanted, or gone. */
function promoterReader(store: Store, accountId: number, wanted: Set<number> | null) {
  const known = new Map<number, number | null>();
  return async (id: number): Promise<number | null> => {
    let promoterId = known.get(id);
    if (promoterId === undefined) {
      const promoterCampaign = await store.get(promoterCampaigns, accountId, id);
      promoterId = promoterCampaign?.promoterId ?? null;
      if (promoterId !== null && wanted?.has(promoterId) === false) promoterId = null;
      known.set(id, promoterId);
    }
    return promoterId;
  };
}

function historyOf(histories: Map<number, History>, id: number): History {
  return histories.get(id) ?? new Map();
}

function groupOf(history: History, plan: Plan, { id, name }: { id: number; name: string }): ReportGroup {
  const total = figuresOf(history, plan.range, plan.figures);
  return { id, name, total, rows: rowsOf(history, plan) };
}

function rowsOf(history: History, { periods, figures }: Plan): ReportRow[] {
  return periods.map((period) => ({
    period,
    figures: figuresOf(history, period, figures),
  }));
}
