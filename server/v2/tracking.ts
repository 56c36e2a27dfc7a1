import { recordSignup } from "../domain/signup.ts";
import { signupError, v2Error } from "../http/errors.ts";
import { readJson } from "../http/json.ts";
import { shapeSignup } from "../http/signup-params.ts";
import type { V2Request } from "./operation.ts";

/** `POST /api/v2/track/signup` @see gaps "V2", beyond the specification */
export async function trackSignup({ event, account, context }: V2Request) {
  const signup = shapeSignup(await readJson(event));
  const { eventId, lead } = await recordSignup(context, account, signup);
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

/** The three bodies of sign-up tracking, in V2's shape. */
export const trackSignupError = signupError(v2Error);
