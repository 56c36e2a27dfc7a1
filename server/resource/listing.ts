import { z } from "zod";
import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { readNestedQuery } from "../http/parameters/form.ts";
import type { Query } from "../http/parameters/pairs.ts";
import { pageParams as paramsOf, readPage, type Page } from "../http/pages.ts";
import { describe, shapeInput, unlistedNames } from "../input/shape.ts";
import type { Context } from "../domain/context.ts";
import type { Account } from "../domain/program/account/account.ts";
import type { AnswerHeaders } from "../http/answer.ts";
import type { Sort } from "../storage/query.ts";
import { id, instant, wholeAmount } from "../input/fields.ts";
import { DAY_MS, type Span } from "../domain/span.ts";
import { field } from "../http/fields.ts";

/** The page sizes of V2. @see docs/spec/common.md "Pages" */
export const LENGTHS = { usual: 20, most: 100 };

/** Parameters of every paged list. */
export const pageParams = paramsOf(LENGTHS);

/** A request for a list of an account's records. */
export interface ListRequest {
  event: H3Event;
  account: Account;
  context: Context;
  public_url: string;
  /** Headers of the answer. */
  headers: AnswerHeaders;
}

/**
 * Reads a list's parameters, the raw query, and the requested page.
 *
 * @throws Failure `invalid`, `malformed` or `too_large`
 */
export function readListing<S extends z.ZodObject>(
  { event }: Pick<ListRequest, "event">,
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

/** No record has this id, because ids begin with 1. */
const NO_ID = 0;

/** Reads an id from the path. A malformed id is answered like an unknown one: 404. */
export function readPathId(event: H3Event, name = "id"): number {
  const parsed = id.safeParse(event.context.params?.[name] ?? "");
  return parsed.success ? parsed.data : NO_ID;
}

/** The exclusive end of a range of time, in milliseconds: the end of the named day, or of the named millisecond. */
const until = z
  .string("is invalid")
  .trim()
  .transform((value, context) => {
    const parsed = instant.safeParse(value);
    if (!parsed.success) context.addIssue("is invalid");
    return (parsed.data?.getTime() ?? 0) + (value.length === 10 ? DAY_MS : 1);
  });

/** A filter's range of time. Both ends are optional, and for clients both are inclusive. */
export const period = z
  .object(
    {
      from: field(instant, "From this day or moment on.", "2026-03-01"),
      to: field(until, "Until this moment, or the end of this day.", "2026-03-01"),
    },
    "is invalid",
  )
  .partial()
  .transform(({ from, to }): Span => ({ from: from?.getTime() ?? null, before: to ?? null }))
  .optional();

const amountsIn = (unit: string) =>
  z
    .object(
      {
        from: field(wholeAmount, `At least this much${unit}.`, 1000),
        to: field(wholeAmount, `At most this much${unit}.`, 100_000),
      },
      "is invalid",
    )
    .partial()
    .transform(({ from, to }): Span => ({ from: from ?? null, before: to === undefined ? null : to + 1 }))
    .optional();

/** A filter's range of integers. Both ends are optional, and for clients both are inclusive. */
export const amounts = amountsIn("");

/** A filter's range of cents. */
export const cents = amountsIn(", in cents");
