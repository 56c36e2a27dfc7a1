import type { Query } from "../http/parameters/pairs.ts";
import type { Sort } from "../storage/query.ts";

/** The sort orders in the order of the query: the first counts most. `names` maps the API's names to the domain's. */
export function sortsOf<By extends string>(
  sorting: Record<string, "asc" | "desc" | undefined>,
  query: Query,
  names: Record<string, By>,
): Sort<By>[] {
  const sorts: Sort<By>[] = [];
  for (const name of Object.keys(query["sorting"] ?? {})) {
    const by = names[name];
    const direction = sorting[name];
    if (by !== undefined && direction !== undefined) sorts.push({ by, isDescending: direction === "desc" });
  }
  return sorts;
}
