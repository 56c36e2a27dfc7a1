import { z } from "zod";
import { Failure } from "../failure.ts";
import { normaliseAddress } from "../http/client-address.ts";
import {
  email,
  flag,
  id,
  instant,
  jsonObject,
  text,
  customFields,
  refToken,
  subId,
  tid,
  uid,
} from "./fields.ts";
import { shapeInput } from "./shape.ts";
import { field } from "../http/fields.ts";

/** The parameters of every sign-up call, in V1 and V2. @see docs/spec/v1.md "Track a sign-up" */
export const signupParams = z
  .object({
    email: field(email, "The person's e-mail address.", "jane@example.com"),
    uid: field(text, uid),
    tid: field(text, tid),
    ref_id: field(text, refToken),
    // A malformed address counts as missing, because a lost lead is worse than an unknown address.
    // @see docs/spec/v1.md "Track a sign-up"
    ip: field(
      z.string().transform(normaliseAddress).catch(null),
      "The visitor's network address. It is used to detect fraud.",
      "203.0.113.7",
    ),
    promoter_id: field(id, "Id of the promoter. Their default campaign gets the lead.", 17),
    promoter_email: field(text, "E-mail of the promoter.", "jane@example.com"),
    created_at: field(instant, "When the record was created.", "2026-03-01T09:30:00.000Z"),
    skip_email_notification: field(flag, "`true` sends no e-mail about this. Default: `false`."),
    username: field(text, "The lead's user name.", "sam"),
    first_name: field(text, "First name.", "Jane"),
    last_name: field(text, "Last name.", "Doe"),
    website: field(text, "Address of their web site.", "https://blog.example.com"),
    custom_fields: field(jsonObject, customFields),
    sub_id: field(text, subId),
    override_existing_lead: field(flag, "`true` replaces the data of a lead that exists. Default: `false`."),
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
      first_name: params.first_name ?? null,
      last_name: params.last_name ?? null,
      website: params.website ?? null,
      custom_fields: params.custom_fields ?? null,
      sub_id: params.sub_id ?? null,
    },
    tid: params.tid ?? null,
    ref_token: params.ref_id ?? null,
    promoter_id: params.promoter_id ?? null,
    promoterEmail: params.promoter_email ?? null,
    address: params.ip ?? null,
    created_at: params.created_at ?? null,
    skip_email_notification: params.skip_email_notification ?? false,
    overridesExistingLead: params.override_existing_lead ?? false,
  };
}
