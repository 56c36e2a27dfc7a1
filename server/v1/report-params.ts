import { z } from "zod";
import { GROUPINGS, addMonths, dayOf } from "../domain/period.ts";
import type { ReportQuery } from "../domain/report.ts";
import { id, instant } from "../http/fields.ts";
import { shape } from "../http/shape.ts";
import { readNestedQuery } from "../http/nested-query.ts";
import type { V1Request } from "./operation.ts";
import { column, figureOf, type Column } from "./report-columns.ts";

const MONTHS_USUALLY = 12;

/** A list, or one value, or values with commas between; blank ones are left out. */
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .preprocess(
      (value) => {
        const items = typeof value === "string" ? value.split(",") : value;
        return Array.isArray(items) ? items.filter((one) => one !== "") : items;
      },
      z.array(item, "is invalid"),
    )
    .transform((items) => (items.length === 0 ? undefined : items));

/** The calendar day (UTC) of a date or date-time, with room for the days around it in four digits of a year. */
const day = instant
  .refine((value) => value.getUTCFullYear() >= 10 && value.getUTCFullYear() <= 9998, "is invalid")
  .transform(dayOf);

/** What all reports take. @see operations-v1 "/api/v1/reports" */
export const reportParams = z
  .object({
    selected_fields: listOf(column),
    group_by: z.enum(GROUPINGS, "is invalid"),
    start_date: day,
    end_date: day,
  })
  .partial();

export const overviewParams = reportParams.extend({
  sort: column.optional(),
  sort_dir: z.enum(["asc", "desc"], "is invalid").optional(),
});

export const promotersParams = reportParams.extend({
  promoter_ids: listOf(id).optional(),
  top_50: column.optional(),
});

/** A report's query with the columns to write. */
export interface V1ReportQuery extends ReportQuery {
  columns: Column[];
}

/** The parameters of a report. @throws Failure `invalid` */
export function readReportParams<S extends z.ZodType>({ event }: V1Request, schema: S): z.output<S> {
  return shape(schema, readNestedQuery(event));
}

/** By month over the twelve months until today, unless told otherwise. */
export function readReportQuery(
  { context }: V1Request,
  params: z.output<typeof reportParams>,
  usualColumns: Column[],
): V1ReportQuery {
  const columns = params.selected_fields ?? usualColumns;
  const to = params.end_date ?? dayOf(context.now);
  return {
    range: { from: params.start_date ?? addMonths(to, -MONTHS_USUALLY), to },
    groupBy: params.group_by ?? "month",
    columns,
    figures: columns.map(figureOf),
  };
}
