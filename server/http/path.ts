import type { H3Event } from "h3";
import { Failure } from "../failure.ts";

/** The `{id}` of a path as the client meant it, raw or percent-encoded. @throws Failure `malformed` */
export function pathText(event: H3Event, name = "id"): string {
  const raw = event.context.params?.[name] ?? "";
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Failure("malformed", "The path is not valid percent-encoded UTF-8");
  }
}

/** The `{id}` of a path as a number. @throws Failure `not_found` for what can be nobody's id */
export function pathId(event: H3Event): number {
  const text = pathText(event);
  if (!/^\d{1,15}$/.test(text)) throw new Failure("not_found", "Record not found");
  return Number(text);
}
