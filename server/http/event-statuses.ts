import { z } from "zod";
import { messageAnswer, v2ErrorAnswer } from "./error-answers.ts";
import { empty, json } from "./answer.ts";
import { V2_TRACKING_STATUSES, v2TrackingError, type ErrorShape } from "./errors.ts";
import { field } from "./fields.ts";

/** What an event waits for that is answered with 202. */
export const waitingForAnswer = z
  .object({
    currency: field(z.string(), "The currency without a rate (ISO 4217).", "EUR"),
    date: field(z.iso.date(), "Day of the rate, in UTC.", "2026-03-04"),
    message: field(
      z.string(),
      "The same for people.",
      "There is no exchange rate from EUR to USD for 2026-03-04. The event is kept, and recorded when there is one.",
    ),
  })
  .meta({ id: "WaitingFor" });

/** What an event waits for: the rate, and a sentence that says it is missing. */
export function waitingForJson(
  { from, day }: { from: string; day: string },
  sentence: string,
): z.output<typeof waitingForAnswer> {
  const message = `${sentence}. The event is kept, and recorded when there is one.`;
  return { currency: from, date: day, message };
}

/** The statuses of refused sales, refunds and cancellations. */
export const EVENT_STATUSES = {
  missing: 400,
  invalid: 400,
  rule_broken: 400,
  worthless: 400,
  already_registered: 409,
  not_found: 204,
} as const;

/** The bodies of refused events. A 204 has none. */
export const EVENT_BODIES = {
  missing: messageAnswer,
  invalid: messageAnswer,
  rule_broken: messageAnswer,
  worthless: messageAnswer,
  already_registered: messageAnswer,
};

/** 400 and 409 with `{message}`, and 204 for a person whom nobody referred. */
export function eventError(generation: ErrorShape): ErrorShape {
  return (failure, headers) => {
    const { kind, message } = failure;
    if (kind === "not_found") return empty(headers);
    const status = kind in EVENT_STATUSES ? EVENT_STATUSES[kind as keyof typeof EVENT_STATUSES] : null;
    return status === null ? generation(failure, headers) : json({ message }, headers, status);
  };
}

/** The statuses and bodies of a sale in V2, which answers 404 for a person whom nobody referred. */
export const V2_SALE_STATUSES = { ...EVENT_STATUSES, ...V2_TRACKING_STATUSES, not_found: 404 } as const;
export const V2_SALE_BODIES = { ...EVENT_BODIES, not_found: v2ErrorAnswer };

/** The refusals of a sale in V2. */
export const v2SaleError: ErrorShape = (failure, headers) =>
  failure.kind === "not_found"
    ? v2TrackingError(failure, headers)
    : eventError(v2TrackingError)(failure, headers);
