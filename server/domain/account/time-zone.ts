import type { Account } from "./record.ts";

/** The IANA name of the zone in which the dashboard shows days. */
export function timeZoneOf({ timeZone }: Pick<Account, "timeZone">): string {
  return timeZone ?? "UTC";
}
