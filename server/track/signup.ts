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
import { isUnattended } from "./unattended.ts";
import { clickOf, isOptedOut, tellVisit, visitAnswer, visitParams } from "./visit.ts";

/**
 * A page says who signed up and no more: whose lead it is, when and from where is ours to say. Taken
 * away before they are looked at, so that a fault in them costs no lead. (The `ref_id` of a page is its
 * visit's, which counts where the visitor is not known yet.)
 */
const NOT_FOR_PAGES = {
  ref_id: null,
  promoter_email: null,
  created_at: null,
  ip: null,
  override_existing_lead: null,
};

/**
 * `POST /t/signup`, so many from one address. It carries the visit that led to it (`tid`, `ref_id`, `url`,
 * `referrer`, `cookie_tid`, `consent`), so that it may arrive before the click, or without it: visitor, click
 * and lead are then recorded in one commit, and a click that comes later is known.
 *
 * Choice: the answer is the same whether the person was known or not, since whether an e-mail
 * address is registered somewhere is personal data.
 */
export const trackSignup: PublicOperation = {
  summary: "Record a visitor's sign-up",
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
    .extend({ cid: text }),
  answer: z.object({ status: z.literal("recorded"), ...visitAnswer }),
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
  const told = shapeInput(visitParams, params);
  const click = isVisit(given.tid, request) ? clickOf(told, { tid: given.tid, address }) : null;
  const origin = event.req.headers.get("origin");
  const visit = await recordOnce(request, {
    ...given,
    address,
    click,
    isAllowedBy: ({ allowedOrigins, landingUrl }) => isAllowedOrigin(origin, allowedOrigins, landingUrl),
  });
  return { status: "recorded", ...tellVisit(request, visit, told.domain ?? "") };
}

/** Whether a sign-up may make a visitor. One by a tid of another program's making is looked up, and no more. */
function isVisit(tid: string, request: PublicRequest): boolean {
  return !isUnattended(request.event) && uuid.safeParse(tid).success && !isOptedOut(request);
}

/** Records a sign-up; of a person who is known the visit alone. */
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
