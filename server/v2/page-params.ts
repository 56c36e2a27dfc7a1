import type { z } from "zod";
import { Failure } from "../failure.ts";
import { readNestedQuery } from "../http/parameters/form.ts";
import type { Query } from "../http/parameters/pairs.ts";
import { pageParams as paramsOf, readPage, type Page } from "../http/pages.ts";
import { describe, shapeInput, unlistedNames } from "../input/shape.ts";
import type { V2Request } from "./operation.ts";

/** The page sizes of V2. @see docs/spec/common.md "Pages" */
const LENGTHS = { usual: 20, most: 100 };

/** Parameters of every paged list. */
export const pageParams = paramsOf(LENGTHS);

/**
 * Reads a list's parameters, the raw query, and the requested page.
 *
 * @throws Failure `invalid`, `malformed` or `too_large`
 */
export function readListing<S extends z.ZodObject>(
  { event }: Pick<V2Request, "event">,
  schema: S,
  lengths = LENGTHS,
): { params: z.output<S>; query: Query; page: Page; window: { limit: number; offset: number } } {
  const query: Query = readNestedQuery(event);
  refuseUnknownFilters(schema, query);
  const page = readPage(query, lengths);
  return {
    params: shapeInput(schema, query),
    query,
    page,
    window: { limit: page.limit, offset: page.offset },
  };
}

/** If a misspelt filter were ignored, the client would mistake the whole list for the filtered one. */
function refuseUnknownFilters(schema: z.ZodObject, query: Query): void {
  const unknown = unlistedNames(schema, query).filter((name) => name.startsWith("filters["));
  if (unknown.length === 0) return;
  const fields = Object.fromEntries(unknown.map((name) => [name, ["is not a filter"]]));
  throw new Failure("invalid", describe(fields), fields);
}
