import type { H3Event } from "h3";
import { id } from "../http/fields.ts";

/** What no record has: ids begin with 1. */
const NO_ID = 0;

/** The id that the path names, by the name that the route has for it. Choice: what is no id names nothing, and so is not found, as any unknown one. */
export function readPathId(event: H3Event, name = "id"): number {
  const parsed = id.safeParse(event.context.params?.[name] ?? "");
  return parsed.success ? parsed.data : NO_ID;
}
