import { z } from "zod";

const MIN_LENGTH = 8;
const MAX_LENGTH = 200;

/** A new password. Its length is the only rule (NIST SP 800-63B, 5.1.1.2). */
export const newPassword = z
  .string("is invalid")
  .min(MIN_LENGTH, `is too short (minimum is ${MIN_LENGTH} characters)`)
  .max(MAX_LENGTH, `is too long (maximum is ${MAX_LENGTH} characters)`);
