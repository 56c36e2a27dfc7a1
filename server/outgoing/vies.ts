import { z } from "zod";
import type { AskVies } from "../domain/people/vat-number.ts";

const TIMEOUT_MS = 10_000;

/** An answer of VIES. Errors such as `MS_UNAVAILABLE` have no `valid`, or name themselves in `userError`. */
const viesAnswer = z.object({
  valid: z.boolean(),
  userError: z.enum(["VALID", "INVALID"]).optional(),
});

/**
 * Makes the function that asks VIES. The address is the operator's own, so it may be private. Only whether the number is valid
 * is read: names and addresses of the answer are dropped.
 */
export function newAskVies(baseUrl: string): AskVies {
  return async (number) => {
    try {
      const response = await fetch(`${baseUrl}/check-vat-number`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(number),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: "error",
      });
      const read = viesAnswer.safeParse(JSON.parse(await response.text()));
      if (!response.ok || !read.success) return "unknown";
      return read.data.valid ? "valid" : "invalid";
    } catch (error) {
      return error instanceof SyntaxError ? "unknown" : "unreachable";
    }
  };
}
