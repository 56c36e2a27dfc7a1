import { z } from "zod";
import type { Span } from "../domain/span.ts";
import { instant, wholeAmount } from "../input/fields.ts";
import { field } from "../http/fields.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The exclusive end of a range: the end of the named day, or of the named millisecond. */
const until = z
  .string("is invalid")
  .trim()
  .transform((value, context) => {
    const parsed = instant.safeParse(value);
    if (!parsed.success) context.addIssue("is invalid");
    return (parsed.data?.getTime() ?? 0) + (value.length === 10 ? DAY_MS : 1);
  });

/** A filter's range of time. Both ends are inclusive and optional. */
export const period = z
  .object(
    {
      from: field(instant, "From this day or moment on.", "2026-03-01"),
      to: field(until, "Until this moment, or the end of this day.", "2026-03-01"),
    },
    "is invalid",
  )
  .partial()
  .optional();

/** A filter's range of integers. Both ends are inclusive and optional. */
export const amounts = z
  .object(
    {
      from: field(wholeAmount, "At least this much.", 1000),
      to: field(wholeAmount, "At most this much.", 100_000),
    },
    "is invalid",
  )
  .partial()
  .optional();

/** A filter's range of cents. */
export const cents = z
  .object(
    {
      from: field(wholeAmount, "At least this much, in cents.", 1000),
      to: field(wholeAmount, "At most this much, in cents.", 100_000),
    },
    "is invalid",
  )
  .partial()
  .optional();

/** The domain's form of a range of time, with an exclusive end. */
export function span(given: z.output<typeof period>): Span | undefined {
  if (given === undefined) return undefined;
  return { from: given.from?.getTime() ?? null, before: given.to ?? null };
}

/** The domain's form of a range of integers, with an exclusive end. */
export function amountSpan(given: z.output<typeof amounts>): Span | undefined {
  if (given === undefined) return undefined;
  return { from: given.from ?? null, before: given.to === undefined ? null : given.to + 1 };
}
