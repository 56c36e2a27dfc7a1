import { z } from "zod";
import {
  recordSignup,
  recordSubscription,
  type RecordedSignup,
  type RecordedSubscription,
} from "../../domain/people/lead/signup.ts";
import { v1SignupRefusals, v1SubscriptionRefusals } from "../../http/errors.ts";
import { readParams } from "../../http/parameters/form.ts";
import { shapeSignup, signupParams } from "../../input/signup-params.ts";
import type { View } from "../../storage/store.ts";
import { leadAnswer, leadJson } from "../lead/lead-json.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { promoterSubsetAnswer, trackedPromoterJson } from "../promoter/promoter-json.ts";
import { readPromoterParts } from "../promoter/promoter-parts.ts";
import { field, recordId } from "../../http/fields.ts";

/** `POST /api/v1/track/signup` @see docs/spec/v1.md "Sign-up result" */
export const trackSignup: V1Operation = {
  id: "v1TrackSignup",
  isTracking: true,
  summary: "Record a sign-up",
  description:
    "Records a sign-up as a lead of the promoter who sent them. Give `email` or `uid`, and `tid` (from the cookie `_svc_tid`) or `ref_id`. Call it from your server when the account is created.",
  example: { email: "sam@example.net", uid: "cus_99", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: signupParams,
  answer: z
    .object({
      id: recordId,
      type: field(z.literal("signup"), "What kind of event was recorded."),
      amount_cents: field(z.int(), "What was sold, in cents. 0 for sign-ups.", 0),
      reward: field(z.string().nullable(), "What the sign-up earned, or null if nothing.", null),
      lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
      promoter: field(promoterSubsetAnswer, "The promoter, or null if they were deleted."),
    })
    .meta({ id: "V1Signup" }),
  refusals: ["missing", "not_found", "already_registered"],
  ...v1SignupRefusals,
  handle: signup,
};

/** `POST /api/v1/track/subscriber` @see docs/spec/v1.md "Subscribers" */
export const trackSubscriber: V1Operation = {
  id: "v1TrackSubscriber",
  isTracking: true,
  summary: "Record a subscriber",
  description:
    "Records a newsletter subscription as a lead of the promoter who sent them. A sign-up may follow. Give `email` or `uid`, and `tid` or `ref_id`.",
  example: { email: "sam@example.net", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: signupParams,
  answer: z
    .object({
      id: recordId,
      type: field(z.literal("subscriber"), "What kind of event was recorded."),
      lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
      promoter: field(promoterSubsetAnswer, "The promoter, or null if they were deleted."),
    })
    .meta({ id: "V1Subscriber" }),
  emptyAnswer: "No promoter referred the person.",
  refusals: ["missing", "not_found", "already_registered"],
  ...v1SubscriptionRefusals,
  handle: subscriber,
};

async function signup({ event, account, context }: V1Request) {
  const given = shapeSignup(await readParams(event));
  return recordSignup(context, account, { ...given, show: showSignup });
}

async function showSignup(view: View, { eventId, lead, promoter }: RecordedSignup) {
  return {
    id: eventId,
    type: "signup",
    amount_cents: 0,
    reward: null,
    lead: leadJson(lead),
    promoter: trackedPromoterJson(await readPromoterParts(view, promoter)),
  };
}

async function subscriber({ event, account, context }: V1Request) {
  const given = shapeSignup(await readParams(event));
  return recordSubscription(context, account, { ...given, show: showSubscription });
}

async function showSubscription(view: View, { eventId, lead, promoter }: RecordedSubscription) {
  return {
    id: eventId,
    type: "subscriber",
    lead: leadJson(lead),
    promoter: trackedPromoterJson(await readPromoterParts(view, promoter)),
  };
}
