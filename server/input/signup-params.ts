import { z } from "zod";
import { Failure } from "../failure.ts";
import { normaliseAddress } from "../http/client-address.ts";
import { email, flag, instant, jsonObject, text } from "./fields.ts";
import { shapeInput } from "./shape.ts";

/** The parameters of every sign-up call, in V1 and V2. @see docs/spec/v1.md "Track a sign-up" */
export const signupParams = z
  .object({
    email,
    uid: text,
    tid: text,
    ref_id: text,
    // Choice: a malformed address counts as absent, because a lost lead is worse than an unknown address.
    ip: z.string().transform(normaliseAddress).catch(null),
    promoter_email: text,
    created_at: instant,
    skip_email_notification: flag,
    username: text,
    first_name: text,
    last_name: text,
    website: text,
    custom_fields: jsonObject,
    sub_id: text,
    override_existing_lead: flag,
  })
  .partial()
  .meta({ id: "SignupInput" });

/**
 * The parameters of a sign-up call. Those not given are null.
 *
 * @throws Failure `missing` if neither e-mail nor uid is given, `invalid` naming every faulty field
 */
export function shapeSignup(input: Record<string, unknown>) {
  const params = shapeInput(signupParams, input);
  if (params.email === undefined && params.uid === undefined) {
    throw new Failure("missing", "Error. Email and uid can not be blank!");
  }
  return {
    details: {
      email: params.email ?? null,
      uid: params.uid ?? null,
      username: params.username ?? null,
      firstName: params.first_name ?? null,
      lastName: params.last_name ?? null,
      website: params.website ?? null,
      customFields: params.custom_fields ?? null,
      subId: params.sub_id ?? null,
    },
    tid: params.tid ?? null,
    refToken: params.ref_id ?? null,
    promoterEmail: params.promoter_email ?? null,
    address: params.ip ?? null,
    createdAt: params.created_at ?? null,
    skipEmailNotification: params.skip_email_notification ?? false,
    overridesExistingLead: params.override_existing_lead ?? false,
  };
}
