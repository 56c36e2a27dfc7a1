import { date } from "../../ui/format.ts";
import type { Grouping } from "./query.ts";

/** How a period is called, by its first day: `4 Mar 2026`, `Week of 2 Mar 2026`, `March 2026`, `2026`. */
export function periodName(day: string, by: Grouping): string {
  if (by === "year") return day.slice(0, 4);
  if (by === "week") return `Week of ${date(day)}`;
  if (by === "day") return date(day);
  return MONTH.format(new Date(day));
}

/** A calendar day belongs to no time zone, so it is written in the one that it is read in. */
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
