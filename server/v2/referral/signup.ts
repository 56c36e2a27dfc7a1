import { z } from "zod";
import { asItIs } from "../../domain/show.ts";
import { recordSignup } from "../../domain/lead/signup.ts";
import {
  SIGNUP_BODIES,
  SIGNUP_STATUSES,
  signupError,
  V2_TRACKING_STATUSES,
  v2TrackingError,
} from "../../http/errors.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeSignup, signupParams } from "../../input/signup-params.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** `POST /api/v2/track/signup` @see docs/spec/v2.md "Tracking" */
export const trackSignup: V2Operation = {
  isTracking: true,
  summary: "Record a sign-up",
  body: signupParams,
  answer: z
    .object({
      id: z.int(),
      etype: z.literal("signup"),
      sale_amount: z.number().nullable(),
      original_sale_amount: z.number().nullable(),
      original_sale_currency: z.string().nullable(),
      event_id: z.string().nullable(),
      plan_id: z.int().nullable(),
      billing_period: z.string().nullable(),
      created_at: z.iso.datetime(),
      referral: z.object({ id: z.int(), email: z.string().nullable(), uid: z.string().nullable() }),
      commissions: z.array(z.unknown()),
    })
    .meta({ id: "Signup" }),
  refusals: ["missing", "not_found", "already_registered"],
  statuses: { ...SIGNUP_STATUSES, ...V2_TRACKING_STATUSES },
  bodies: SIGNUP_BODIES,
  shape: signupError(v2TrackingError),
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
