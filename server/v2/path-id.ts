import type { H3Event } from "h3";
import { id } from "../input/fields.ts";

/** No record has this id, because ids begin with 1. */
const NO_ID = 0;

/** Reads an id from the path. A malformed id is answered like an unknown one: 404. */
export function readPathId(event: H3Event, name = "id"): number {
  const parsed = id.safeParse(event.context.params?.[name] ?? "");
  return parsed.success ? parsed.data : NO_ID;
}
