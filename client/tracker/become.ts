import { writeVisitor } from "./cookie.ts";
import { cookie, memory, type Visitor } from "./visitor.ts";

/** Remembers a visitor for a number of days; -1 forgets them. */
export function become({ tid, ref_id }: Visitor, days: number): void {
  writeVisitor({ tid, ref_id }, days);
  const isKept = cookie("tid");
  Object.assign(memory, isKept ? { tid: undefined, ref_id: undefined } : { tid, ref_id });
}
