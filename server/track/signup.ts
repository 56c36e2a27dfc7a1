import { z } from "zod";
import { recordClick, type Click, type Visit } from "../domain/visitor/click.ts";
import { asItIs } from "../domain/show.ts";
import { recordSignup, type Signup } from "../domain/lead/signup.ts";
import { Failure } from "../failure.ts";
import { isAllowedOrigin } from "../http/allowed-origin.ts";
import { SIGNUP_BODIES } from "../http/error-answers.ts";
import { SIGNUP_STATUSES, signupError, v1Error } from "../http/errors.ts";
import { text } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import { shapeSignup, signupParams } from "../input/signup-params.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";
import { isUnattended } from "./bots.ts";
import { clickOf, isOptedOut, answerVisit, visitAnswer, visitParams } from "./visit.ts";
import { field } from "../http/fields.ts";

/**
 * Parameters that a page may not decide: whose lead it is, when it signed up, and from where. They are
 * removed before validation, so that a fault in them costs no lead. (The page's `ref_id` belongs to its
 * visit; it counts if the visitor is not known yet.)
 */
const NOT_FOR_PAGES = {
  ref_id: null,
  promoter_email: null,
  created_at: null,
  ip: null,
  override_existing_lead: null,
};

/**
 * `POST /t/signup`, limited per address. It carries the visit that led to it (`tid`, `ref_id`, `url`,
 * `referrer`, `cookie_tid`, `consent`), so it may arrive before the click, or without it. One commit then
 * records visitor, click and lead, and a later click is `known`.
 *
 * Choice: the answer is the same whether or not the person was known, because it is personal data whether an
 * e-mail address is registered somewhere.
 */
export const trackSignup: PublicOperation = {
  id: "trackVisitorSignup",
  summary: "Record a visitor's sign-up",
  description:
    "Records a sign-up from your page. The script calls it. The answer is the same whether the person was known or not.",
  example: { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7", email: "sam@example.net" },
  params: signupParams
    .pick({
      email: true,
      uid: true,
      tid: true,
      username: true,
      first_name: true,
      last_name: true,
      website: true,
      custom_fields: true,
      sub_id: true,
    })
    .extend(visitParams.shape)
    .extend({ cid: field(text, "The public id of your account.", "acme") }),
  answer: z.object({ status: field(z.literal("recorded"), "State of the record."), ...visitAnswer }),
  refusals: ["missing", "not_found", "forbidden", "rate_limited"],
  statuses: SIGNUP_STATUSES,
  bodies: SIGNUP_BODIES,
  shape: signupError(v1Error),
  limit: "publicSignups",
  handle: signup,
};

const uuid = z.uuidv4();

async function signup(request: PublicRequest) {
  const { event, params, address } = request;
  const given = shapeSignup({ ...params, ...NOT_FOR_PAGES });
  if (given.tid === null) throw new Failure("not_found", "Visitor invalid or not found.");
  const visited = shapeInput(visitParams, params);
  const click = isVisit(given.tid, request) ? clickOf(visited, { tid: given.tid, address }) : null;
  const origin = event.req.headers.get("origin");
  const visit = await recordOnce(request, {
    ...given,
    address,
    click,
    isAllowedBy: ({ allowedOrigins, landingUrl }) => isAllowedOrigin(origin, allowedOrigins, landingUrl),
  });
  return { status: "recorded", ...answerVisit(request, visit, visited.domain ?? "") };
}

/**
 * Whether a sign-up may create a visitor. A tid that another program made is only looked up.
 *
 * Choice: a sign-up of a bot is recorded if its visitor is known, because some people's browsers look like bots and a
 * lost lead is worse than a false one. Clicks of bots are refused.
 */
function isVisit(tid: string, request: PublicRequest): boolean {
  return !isUnattended(request.event) && uuid.safeParse(tid).success && !isOptedOut(request);
}

/** Records a sign-up. If the person is known, it records only the visit. */
async function recordOnce(
  { context, account }: PublicRequest,
  signup: Signup & { click: Click | null },
): Promise<Visit | null> {
  try {
    return (await recordSignup(context, account, { ...signup, show: asItIs })).visit;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "already_registered") throw error;
    return signup.click && recordClick(context, account, signup.click);
  }
}
