import type { Store } from "../../storage/store.ts";
import { groupingOf } from "./chart.ts";
import { figuresOf, type Figure, type Figures } from "./figures.ts";
import { historyOf, readHistories } from "./histories.ts";
import { addDays, periodsOf, type Grouping, type Period } from "./period.ts";
import { rowsOf, type ReportRow } from "./report.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The figures of a range of days. */
export interface RangeFigures {
  range: Period;
  total: Figures;
  rows: ReportRow[];
}

/** A range of days beside the one before it, which is as long. */
export interface Comparison {
  groupBy: Grouping;
  current: RangeFigures;
  previous: RangeFigures;
}

/**
 * Compares the account's figures of a range with those of the range before.
 *
 * @throws Failure `invalid` if the range ends before it begins, or is too long
 */
export async function compareRanges(
  store: Store,
  accountId: number,
  { range, figures }: { range: Period; figures: readonly Figure[] },
): Promise<Comparison> {
  const groupBy = groupingOf(range);
  // Cutting a range checks it, so this comes before the reading.
  const now = { range, periods: periodsOf(range, groupBy) };
  const earlier = rangeBefore(range);
  const before = { range: earlier, periods: periodsOf(earlier, groupBy) };
  const histories = await readHistories(store, accountId, {
    periods: [...before.periods, ...now.periods],
    figures,
    series: "campaign",
    isWhole: true,
    ownerOf: Number,
  });
  const history = historyOf(histories, accountId);
  const figuresIn = ({ range, periods }: typeof now): RangeFigures => ({
    range,
    total: figuresOf(history, range, figures),
    rows: rowsOf(history, { range, groupBy, figures, periods }),
  });
  return { groupBy, current: figuresIn(now), previous: figuresIn(before) };
}

function rangeBefore({ from, to }: Period): Period {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return { from: addDays(from, -days), to: addDays(from, -1) };
}
