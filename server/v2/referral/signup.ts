import { z } from "zod";
import { asItIs } from "../../domain/show.ts";
import { recordSignup } from "../../domain/people/lead/signup.ts";
import { v2SignupRefusals } from "../../http/errors.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeSignup, signupParams } from "../../input/signup-params.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { referralAnswer } from "./referral-json.ts";

/** `POST /api/v2/track/signup` @see docs/spec/v2.md "Tracking" */
export const trackSignup: V2Operation = {
  id: "trackSignup",
  isTracking: true,
  summary: "Record a sign-up",
  description:
    "Records a sign-up as a lead of the promoter who sent them. Give `email` or `uid`, and `tid` (from the cookie `_svc_tid`) or `ref_id`.",
  example: { email: "sam@example.net", uid: "cus_99", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  body: signupParams,
  answer: z
    .object({
      id: recordId,
      etype: field(z.literal("signup"), "What kind of event was recorded."),
      sale_amount: field(z.number().nullable(), "What was sold, in cents. Null for sign-ups.", null),
      original_sale_amount: field(
        z.number().nullable(),
        "The same in the sale's own currency. Null for sign-ups.",
        null,
      ),
      original_sale_currency: field(
        z.string().nullable(),
        "The sale's own currency. Null for sign-ups.",
        null,
      ),
      event_id: field(z.string().nullable(), "Your own id of the event. Null for sign-ups.", null),
      plan_id: field(z.int().nullable(), "Id of the plan. Null for sign-ups.", null),
      billing_period: field(z.string().nullable(), "How often the plan is paid. Null for sign-ups.", null),
      created_at: createdAt,
      referral: field(
        z.object({
          id: recordId,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
          uid: field(z.string().nullable(), referralAnswer.shape.uid),
        }),
        "The lead (V2 calls it a referral).",
      ),
      commissions: field(z.array(z.unknown()), "The commissions that the event earned.", []),
    })
    .meta({ id: "Signup" }),
  refusals: ["missing", "not_found", "already_registered"],
  ...v2SignupRefusals,
  handle: signup,
};

async function signup({ event, account, context }: V2Request) {
  const given = shapeSignup(await readJson(event));
  const { eventId, lead } = await recordSignup(context, account, { ...given, show: asItIs });
  return {
    id: eventId,
    etype: "signup",
    sale_amount: null,
    original_sale_amount: null,
    original_sale_currency: null,
    event_id: null,
    plan_id: null,
    billing_period: null,
    created_at: lead.createdAt,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: [],
  };
}
