import { decimal } from "./fields.ts";

/** A percentage that is added to payouts, as a number or as text, in hundredths of a percent. */
export const taxRate = decimal(2)
  .refine((value) => value <= 10_000, "must be from 0 to 100")
  .meta({ documentedAs: { type: "number", minimum: 0, maximum: 100 } });
