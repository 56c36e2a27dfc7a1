import { z } from "zod";
import { ERROR_CODES } from "./errors.ts";

const messages = z.array(z.string());

/** The body of a refusal in V2. */
export const v2ErrorAnswer = z
  .object({
    message: z.string(),
    code: z.enum(ERROR_CODES),
    errors: z.record(z.string(), messages).optional(),
  })
  .meta({ id: "Error" });

/** The body of a refusal in V1, except for field errors. */
export const v1ErrorAnswer = z.object({ error: z.string() }).meta({ id: "V1Error" });

/** The field errors of a record. A new promoter's also contain a message and the errors of the promotion. */
export const fieldErrorsAnswer = z
  .object({
    message: z.string().optional(),
    promotions: z.array(z.record(z.string(), messages)).optional(),
  })
  .catchall(messages)
  .meta({ id: "V1FieldErrors" });

/** The body if sign-up tracking finds no promoter, or neither e-mail nor uid is given. */
export const messageAnswer = z.object({ message: z.string() }).meta({ id: "ErrorMessage" });

/** The body if the lead has signed up before. */
const alreadyRegisteredAnswer = z.object({ transaction_id: z.string() }).meta({ id: "AlreadyRegistered" });

/** The bodies of sign-up tracking's own refusals. @see SIGNUP_STATUSES */
export const SIGNUP_BODIES = {
  missing: messageAnswer,
  not_found: messageAnswer,
  already_registered: alreadyRegisteredAnswer,
};
