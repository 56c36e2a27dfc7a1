import { z } from "zod";
import { addMonths, dayOf } from "../../domain/report/period.ts";
import type { ReportQuery } from "../../domain/report/report.ts";
import { calendarDay, direction, id, listOf, oneOf, splitList } from "../../input/fields.ts";
import { readNestedParams } from "../../http/parameters/form.ts";
import type { Page } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { readListPage } from "../list.ts";
import type { V1Request } from "../operation.ts";
import { column, figureOf, V1_GROUPINGS, type Column, type V1Grouping } from "./report-columns.ts";
import { field } from "../../http/fields.ts";

const MONTHS_USUALLY = 12;
/** The length of a page in the report on promoters. */
export const ROWS_PER_PAGE = 50;

/** A list of which blank items are dropped. */
const commaListOf = <S extends z.ZodType>(item: S) =>
  z
    .preprocess((value) => withoutBlanks(splitList(value)), listOf(item))
    .transform((items) => (items.length === 0 ? undefined : items));

function withoutBlanks(list: unknown): unknown {
  return Array.isArray(list) ? list.filter((item) => item !== "") : list;
}

/** The parameters of every report. @see docs/spec/v1.md "Reports" */
export const reportParams = z
  .object({
    selected_fields: field(commaListOf(column), "Columns of the report. May be separated by commas."),
    group_by: field(oneOf(V1_GROUPINGS), "Whether each row is a day, a month or a year. Default: `month`."),
    start_date: field(
      calendarDay,
      "First day of the report. Default: twelve months before its last day.",
      "2025-03-01",
    ),
    end_date: field(calendarDay, "Last day of the report. Default: today.", "2026-02-28"),
  })
  .partial();

export const overviewParams = reportParams.extend({
  sort: field(column.optional(), "Column that the rows are sorted by. Default: the first."),
  sort_dir: field(direction.optional(), "Order of the rows. Default: `desc`."),
});

export const promotersParams = reportParams.extend({
  promoter_ids: field(
    commaListOf(id).optional(),
    "Ids of the promoters to report on. May be separated by commas. Default: all.",
    [17, 18],
  ),
  top_50: field(
    column.optional(),
    "Column that decides which promoters come first. Default: `revenue_amount`.",
  ),
});

/** A report's query and the columns to write. */
export interface V1ReportQuery extends ReportQuery {
  columns: Column[];
  groupBy: V1Grouping;
}

/** Reads the parameters of a report and the page that they ask for. @throws Failure `invalid` */
export async function readReportParams<S extends z.ZodObject>(
  { event }: V1Request,
  schema: S,
  usualPerPage: number,
): Promise<{ params: z.output<S>; page: Page }> {
  const given = await readNestedParams(event);
  return { params: shapeInput(schema, given), page: readListPage(given, usualPerPage) };
}

/** By default, the report covers the twelve months until today, by month. */
export function readReportQuery(
  { context }: V1Request,
  params: z.output<typeof reportParams>,
  usualColumns: Column[],
): V1ReportQuery {
  const columns = [...new Set(params.selected_fields ?? usualColumns)];
  const to = params.end_date ?? dayOf(context.now);
  return {
    range: { from: params.start_date ?? addMonths(to, -MONTHS_USUALLY), to },
    groupBy: params.group_by ?? "month",
    columns,
    figures: columns.map(figureOf),
  };
}
