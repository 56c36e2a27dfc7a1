import { z } from "zod";

/** A whole number. */
export function count(fallback: string) {
  return z
    .string()
    .default(fallback)
    .refine((value) => /^\d{1,9}$/.test(value), "must be a whole number")
    .transform(Number);
}
