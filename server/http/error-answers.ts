import { z } from "zod";
import { ERROR_CODES } from "./errors.ts";

const messages = z.array(z.string());

/** What a refusal of V2 looks like. */
export const v2ErrorAnswer = z
  .object({
    message: z.string(),
    code: z.enum(ERROR_CODES),
    errors: z.record(z.string(), messages).optional(),
  })
  .meta({ id: "Error" });

/** What a refusal of V1 looks like, but for faults of a record. */
export const v1ErrorAnswer = z.object({ error: z.string() }).meta({ id: "V1Error" });

/** The faults of a record, by field; a new promoter's with a message, and those of the promotion once more. */
export const fieldErrorsAnswer = z
  .object({
    message: z.string().optional(),
    promotions: z.array(z.record(z.string(), messages)).optional(),
  })
  .catchall(messages)
  .meta({ id: "V1FieldErrors" });

/** What sign-up tracking says where a sign-up can't be anybody's. */
export const messageAnswer = z.object({ message: z.string() }).meta({ id: "ErrorMessage" });

/** What sign-up tracking says where the lead has signed up before. */
export const alreadyRegisteredAnswer = z
  .object({ transaction_id: z.string() })
  .meta({ id: "AlreadyRegistered" });

/** The bodies of sign-up tracking's own refusals. @see SIGNUP_STATUSES */
export const SIGNUP_BODIES = {
  missing: messageAnswer,
  not_found: messageAnswer,
  already_registered: alreadyRegisteredAnswer,
};
