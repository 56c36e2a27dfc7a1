import { recordSignup } from "../domain/signup.ts";
import { signupError, v1Error } from "../http/errors.ts";
import { readParams } from "../http/form.ts";
import { shapeSignup } from "../http/signup-params.ts";
import { leadJson } from "./lead-json.ts";
import type { V1Request } from "./operation.ts";
import { trackedPromoterJson } from "./promoter-json.ts";
import { readPromoterParts } from "./promoter-parts.ts";

/** `POST /api/v1/track/signup` @see spec "V1 signup tracking result" */
export async function trackSignup({ event, account, context }: V1Request) {
  const signup = shapeSignup(await readParams(event));
  const { eventId, lead, promoter } = await recordSignup(context, account, signup);
  return {
    id: eventId,
    type: "signup",
    amount_cents: 0,
    reward: null,
    lead: leadJson(lead),
    promoter: trackedPromoterJson(await readPromoterParts(context.store, promoter)),
  };
}

/** The three bodies of sign-up tracking, in V1's shape. */
export const trackSignupError = signupError(v1Error);
