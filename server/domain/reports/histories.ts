import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { View } from "../../storage/store.ts";
import { dailyQuery, totalsOf, type Metric, type Series } from "../people/daily.ts";
import { ORIGIN_KINDS } from "../people/origin.ts";
import {
  addMonths,
  addSums,
  daysFor,
  metricsFor,
  type DaySums,
  type Figure,
  type History,
  type Period,
} from "./figures.ts";

/** The id of a campaign or a promoter, or the key of a source or a page. */
export type SubjectId = number | string;

/** Running totals by id. */
export type Histories<Id extends SubjectId> = Map<Id, History>;

interface Reading<Id extends SubjectId> {
  /** The periods whose figures will be computed. */
  periods: Period[];
  figures: readonly Figure[];
  series: Series;
  /** The condition on the column of the subjects' ids. Absent: none. */
  chosen?: ((column: string) => RawBuilder<SqlBool>) | undefined;
  /** Whether to sum all subjects. The id is then the account's. */
  isWhole?: boolean | undefined;
  /** Maps a subject to the id whose totals include it, or to null to skip it. */
  ownerOf: (id: SubjectId) => Id | null;
}

/** Reads the running totals that the figures need. The cost depends on the days with events. */
export async function readHistories<Id extends SubjectId>(
  view: View,
  accountId: number,
  { periods, figures, series, chosen, isWhole, ownerOf }: Reading<Id>,
): Promise<Histories<Id>> {
  const histories: Histories<Id> = new Map();
  const metrics = metricsFor(figures);
  const parts = stretchesBetween(daysFor(figures, periods)).flatMap((each) => partsOf(each, series));
  const reads = parts.map((part) => readPart(view, accountId, { chosen, isWhole, metrics, part }));
  for (const sums of await Promise.all(reads)) {
    for (const { id, ...daySums } of sums) {
      const owner = ownerOf(id);
      if (owner !== null) addSums(historyIn(histories, owner), daySums);
    }
  }
  return histories;
}

/** Days whose sums are needed. */
interface Stretch {
  /** The first day. Empty: from the beginning. */
  from: string;
  /** The day after the last one. */
  before: string;
  /** Which sums are needed: of all days together, of each month, or of each day. */
  by: "whole" | "month" | "day";
}

/** Rows that are read together. */
interface Part extends Stretch {
  series: Series;
  /** The day on which the sums of all its days count. */
  at: string;
}

/** The maximum of stretches that are each summed as a whole. */
const MOST_WHOLE = 5;

/**
 * The stretches between neighbouring days. Their sums give the sum between any two of the given days, but not
 * between others.
 */
function stretchesBetween(days: string[]): Stretch[] {
  const between = days.slice(1).map((before, at): Stretch => ({ from: days[at]!, before, by: "whole" }));
  if (between.length <= MOST_WHOLE) return between;
  const earlier = between.filter(({ from }) => from === "");
  const [from, ...inner] = days.slice(earlier.length);
  const before = inner.pop()!;
  const by = inner.every((day) => day.endsWith("-01")) ? "month" : "day";
  return [...earlier, { from: from!, before, by }];
}

/**
 * Whole months of promoters are read from the monthly sums, and only the days before and after them by day.
 */
function partsOf(stretch: Stretch, series: Series): Part[] {
  const { from, before, by } = stretch;
  const whole = { ...stretch, series, at: from };
  if (series !== "promoter" || by !== "whole") return [whole];
  const end = `${before.slice(0, 7)}-01`;
  const first = from === "" || from.endsWith("-01") ? from : addMonths(`${from.slice(0, 7)}-01`, 1);
  if (first >= end) return [whole];
  const parts: Part[] = [
    { ...whole, before: first },
    { ...whole, series: "promoter-month", from: first, before: end },
    { ...whole, from: end },
  ];
  return parts.filter((part) => part.from < part.before);
}

/** A query for the sums of each subject in a part, or of all subjects together. */
function partQuery(view: View, accountId: number, { chosen, isWhole, metrics, part }: PartReading) {
  const { series, from, before } = part;
  const id = isNamed(series) ? ("daily.subject_key" as const) : ("daily.subject_id" as const);
  const days = dailyQuery(view, accountId, series)
    .where("daily.day", ">=", from)
    .where("daily.day", "<", before);
  // All columns of the key before the day, so that the database reads only these days.
  const all = isNamed(series)
    ? days.where("daily.subject_id", "=", 0)
    : days.where("daily.subject_key", "=", "");
  const wanted = chosen === undefined ? all : all.where(chosen(id));
  const sums = wanted.select(totalsOf(metrics));
  if (isWhole) return sums.select(sql<SubjectId>`${sql.lit(accountId)}`.as("id"));
  return sums.groupBy(id).select(sql<SubjectId>`${sql.ref(id)}`.as("id"));
}

type PartReading = Pick<Reading<SubjectId>, "chosen" | "isWhole"> & { metrics: Metric[]; part: Part };

function isNamed(series: Series): boolean {
  return ORIGIN_KINDS.some((kind) => kind === series);
}

/** Reads the sums of a part, in the order of time. */
async function readPart(
  view: View,
  accountId: number,
  reading: PartReading,
): Promise<(DaySums & { id: SubjectId })[]> {
  const query = partQuery(view, accountId, reading);
  const { series, from, by, at } = reading.part;
  const idOf = (id: SubjectId) => (isNamed(series) ? id : Number(id));
  if (by === "whole")
    return (await view.rows(query)).map(({ id, ...sums }) => ({ id: idOf(id), day: at, sums }));
  const time: RawBuilder<string> = by === "day" ? sql`daily.day` : sql`substr(daily.day, 1, 7)`;
  const rows = await view.rows(query.select(time.as("time")).groupBy(time).orderBy(time));
  return rows.map(({ id, time, ...sums }) => {
    const day = by === "day" ? time : `${time}-01`;
    return { id: idOf(id), day: day < from ? from : day, sums };
  });
}

/** The subjects with a sum other than zero in any metric that the figures need. */
export async function findBusy(
  view: View,
  accountId: number,
  { periods, figures, series, chosen }: Omit<Reading<SubjectId>, "ownerOf">,
): Promise<SubjectId[]> {
  const metrics = metricsFor(figures);
  const days = daysFor(figures, periods);
  const parts = partsOf({ from: days[0]!, before: days.at(-1)!, by: "whole" }, series).map((part) =>
    partQuery(view, accountId, { chosen, metrics, part }),
  );
  const all = parts.reduce((former, each) => former.unionAll(each));
  const isBusy = metrics.map((metric) => sql<SqlBool>`sum(${sql.ref(metric)}) <> 0`);
  const rows = await view.rows(
    view
      .query<object>()
      .selectFrom(all.as("parts"))
      .select("parts.id")
      .groupBy("parts.id")
      .having(sql<SqlBool>`${sql.join(isBusy, sql` or `)}`),
  );
  return rows.map(({ id }) => (isNamed(series) ? id : Number(id)));
}

/** The running totals of an id, for adding. */
function historyIn<Id extends SubjectId>(histories: Histories<Id>, id: Id): History {
  let history = histories.get(id);
  if (history === undefined) histories.set(id, (history = new Map()));
  return history;
}

/** The running totals of an id, empty if it had no events. */
export function historyOf<Id extends SubjectId>(histories: Histories<Id>, id: Id): History {
  return histories.get(id) ?? new Map();
}
