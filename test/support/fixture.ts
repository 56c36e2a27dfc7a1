import { readFileSync } from "node:fs";

/** An export of a program whose promoters have payout methods, with their details. */
export const PAYOUT_METHODS = "test/fixtures/payout-methods";

/** The answers from that program, by their paths. */
export const PAYOUT_METHODS_ANSWERS = JSON.parse(
  readFileSync("test/fixtures/payout-methods.json", "utf8"),
) as Record<string, unknown>;
