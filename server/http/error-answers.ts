import { z } from "zod";
import { ERROR_CODES } from "./errors.ts";
import { field } from "./fields.ts";

const messages = z.array(z.string());

/** The body of a refusal in V2. */
export const v2ErrorAnswer = z
  .object({
    message: field(z.string(), "What happened, for people.", "Validation failed: email is invalid"),
    code: field(z.enum(ERROR_CODES), "What kind of error it is, for programs.", "invalid_params"),
    errors: field(z.record(z.string(), messages).optional(), "Faults by field.", { email: ["is invalid"] }),
  })
  .meta({ id: "Error" });

/** The body of a refusal in V1, except for field errors. */
export const v1ErrorAnswer = z
  .object({ error: field(z.string(), "What went wrong, for people.", "Campaign 7 was not found") })
  .meta({ id: "V1Error" });

/** The field errors of a record. A new promoter's also contain a message and the errors of the promotion. */
export const fieldErrorsAnswer = z
  .object({
    message: field(z.string().optional(), v2ErrorAnswer.shape.message),
    promotions: field(
      z.array(z.record(z.string(), messages)).optional(),
      "The faults of the promotion, repeated.",
      [{ ref_id: ["has already been taken"] }],
    ),
  })
  .catchall(messages)
  .meta({ id: "V1FieldErrors" });

/** The body if sign-up tracking finds no promoter, or neither e-mail nor uid is given. */
export const messageAnswer = z
  .object({ message: field(z.string(), v2ErrorAnswer.shape.message) })
  .meta({ id: "ErrorMessage" });

/** The body if the lead has signed up before. */
const alreadyRegisteredAnswer = z
  .object({
    transaction_id: field(
      z.string(),
      "Says that the sign-up was recorded before.",
      "Signup event is already registered on this lead.",
    ),
  })
  .meta({ id: "AlreadyRegistered" });

/** The bodies of sign-up tracking's own refusals. @see SIGNUP_STATUSES */
export const SIGNUP_BODIES = {
  missing: messageAnswer,
  not_found: messageAnswer,
  already_registered: alreadyRegisteredAnswer,
};
