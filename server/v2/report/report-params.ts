import { z } from "zod";
import { GROUPINGS } from "../../domain/reports/figures.ts";
import type { ReportQuery, Sort } from "../../domain/reports/report.ts";
import { calendarDay, direction, id, listOf, oneOf, text } from "../../input/fields.ts";
import type { Query } from "../../http/parameters/pairs.ts";
import { pageParams } from "../params.ts";
import { ALL_COLUMNS, figureOf, orders, type Column } from "./report-columns.ts";
import { field } from "../../http/fields.ts";

/** The last sentence in the description of each report. */
export const QUERY = "Choose `columns`, the days, and whether each row is a day, week, month or year.";

/** The parameters of a report that has these columns. @see docs/spec/v2.md "Reports" */
export function paramsOf<N extends Column>(names: readonly [N, ...N[]]) {
  return z.object({
    columns: field(listOf(oneOf(names)), "The columns to show.", ["revenue_amount", "clicks_count"]),
    q: field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"),
    group_by: field(
      oneOf(GROUPINGS),
      "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
    ),
    start_date: field(
      calendarDay,
      "First day of the report. Default: twelve months before its last day.",
      "2025-03-01",
    ),
    end_date: field(calendarDay, "Last day of the report. Default: today.", "2026-02-28"),
    sorting: field(
      orders(names, direction).optional(),
      "Order of the records. Of several, the first counts most.",
    ),
  });
}

export const reportParams = paramsOf(ALL_COLUMNS);
export const pagedParams = reportParams.extend(pageParams.shape);

type Params = Pick<z.output<typeof reportParams>, "columns" | "group_by" | "start_date" | "end_date">;

/** A report's query and the columns to write. */
export interface V2ReportQuery extends ReportQuery {
  columns: Column[];
}

/** The query of a report. */
export function queryOf(params: Params): V2ReportQuery {
  const columns = [...new Set(params.columns)];
  return {
    range: { from: params.start_date, to: params.end_date },
    groupBy: params.group_by,
    columns,
    figures: columns.map(figureOf),
  };
}

/** The first sort column in the query, or null if there is none. */
export function sortOf(
  sorting: Partial<Record<Column, "asc" | "desc" | undefined>> | undefined,
  query: Query,
): Sort | null {
  const names = Object.keys(query["sorting"] ?? {}) as Column[];
  const name = names.find((each) => sorting?.[each] !== undefined);
  return name === undefined ? null : { by: figureOf(name), isDescending: sorting?.[name] === "desc" };
}

/** The text or the id (`id:5`) that a report is filtered by. */
export function narrowing(q: string | undefined): { text: string | null; id: string | null } {
  const wanted = q?.trim().toLowerCase() ?? "";
  const [, named = null] = /^id:\s*(\S+)$/.exec(wanted) ?? [];
  return { id: named, text: wanted === "" || named !== null ? null : wanted };
}

/** The number in `id:5`, or null if it is not a number. */
export function numberOf(named: string): number | null {
  const parsed = id.safeParse(named);
  return parsed.success ? parsed.data : null;
}
