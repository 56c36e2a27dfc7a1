import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { id } from "./fields.ts";
import { describe } from "./shape.ts";

/** The id that the path names, by the name that the route has for it. @throws Failure `invalid` for what is no id */
export function readPathId(event: H3Event, name = "id"): number {
  const parsed = id.safeParse(event.context.params?.[name] ?? "");
  if (parsed.success) return parsed.data;
  const fields = { [name]: ["is invalid"] };
  throw new Failure("invalid", describe(fields), fields);
}
