import { date } from "../../ui/format.ts";
import type { Grouping } from "./query.ts";

/** The name of a period by its first day: `4 Mar 2026`, `Week of 2 Mar 2026`, `March 2026`, `2026`. */
export function periodName(day: string, by: Grouping): string {
  if (by === "year") return day.slice(0, 4);
  if (by === "week") return `Week of ${date(day)}`;
  if (by === "day") return date(day);
  return MONTH.format(new Date(day));
}

/** A calendar day has no time zone, so it is formatted in the zone in which it is parsed. */
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
