import { z } from "zod";

/*
 * Paddle's package gives events their names but checks no values, so these schemas do.
 */

/** An amount in the currency's minor unit, which Paddle writes as a text. */
export const amount = z
  .string()
  .regex(/^-?\d{1,15}$/, "must be a whole number in the currency's minor unit")
  .transform(Number);

export const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date")
  .transform((text) => new Date(text));

/** What the account's own code attached to an object. */
export const customData = z.record(z.string(), z.unknown()).nullish();
