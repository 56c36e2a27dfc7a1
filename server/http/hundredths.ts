import { z } from "zod";

/** Twelve digits before the point, so that hundredths stay safe integers. */
const DECIMAL = /^(\d{1,12})(?:\.(\d{1,2}))?$/;

/**
 * A number of at most two decimals, not below zero, also as text; given as integer hundredths. Read
 * from its digits, as floats would turn 1.15 into 114.
 */
export const hundredths = z.union([z.number(), z.string()], "is invalid").transform((value, context) => {
  const [, units, decimals = ""] = DECIMAL.exec(String(value).trim()) ?? [];
  if (units === undefined) context.addIssue("must be a number of at most two decimals");
  return Number(`${units ?? "0"}${decimals.padEnd(2, "0")}`);
});
