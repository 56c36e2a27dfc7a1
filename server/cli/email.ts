import { z } from "zod";
import { Failure } from "../failure.ts";
import { email } from "../input/fields.ts";

/** An e-mail address that somebody typed. @throws Failure `invalid` naming the wrong one */
export function emailOf(value: string): string {
  const parsed = z.safeParse(email, value);
  if (parsed.success) return parsed.data;
  throw new Failure("invalid", `${JSON.stringify(value)} is not an e-mail address`);
}
