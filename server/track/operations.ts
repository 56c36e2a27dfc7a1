import { z } from "zod";
import { signupSource } from "../domain/program/account/account.ts";
import { loadCampaign } from "../domain/program/campaign/campaign.ts";
import { recordSignup, registered } from "../domain/ledger/signup.ts";
import type { Signup } from "../domain/people/lead/signup.ts";
import { recordClick, type Click, type Visit } from "../domain/people/visitor/click.ts";
import { findVisitorDetails, withdrawVisitor } from "../domain/people/visitor/visitor.ts";
import { Failure } from "../failure.ts";
import { v1SignupRefusals } from "../http/errors.ts";
import type { Method } from "../http/operation.ts";
import { isAllowedOrigin } from "../domain/program/campaign/allowed-origin.ts";
import { email, flag, text, coupon, refToken, tid } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import { shapeSignup, signupParams } from "../input/signup-params.ts";
import { isUnattended, type PublicOperation, type PublicRequest } from "./public-route.ts";
import { answerVisit, clickOf, isOptedOut, NO_VISIT, visitAnswer, visitParams } from "./visit.ts";
import { field, recordId } from "../http/fields.ts";

const clickParams = visitParams.extend({
  tid: field(z.uuidv4("is not a UUID v4"), tid),
  url_tracking: field(flag.optional(), "Whether the page itself may name the promoter, without a parameter."),
});

/**
 * `POST /t/click`: records a click once, even if it is sent again. The status is `known` if it was recorded before or the
 * visitor already belongs to this promoter, and `refused` if the link belongs to no promoter.
 *
 * Bots are refused before their body is read, so even a malformed body gets this answer.
 */
const trackClick: PublicOperation = {
  id: "trackClick",
  summary: "Record the click of a referral link",
  description:
    "Records that a visitor came through a referral link. The script on your pages calls it. For bots, and for links that belong to no promoter, `tid` and `ref_id` are null.",
  example: { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7", ref_id: "jane" },
  params: clickParams.extend({ cid: field(text, "The public id of your account.", "acme") }),
  answer: z.object({
    status: field(z.enum(["recorded", "known", "refused"]), "State of the record."),
    ...visitAnswer,
  }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicClicks",
  unattended: { status: "refused", ...NO_VISIT },
  handle: click,
};

/**
 * Parameters that a page may not set: the promoter, the time and the address. They are removed before validation, so that
 * an error in them loses no lead. (The page's `ref_id` belongs to the visit; it applies if the visitor is unknown.)
 */
const NOT_FOR_PAGES = {
  ref_id: null,
  promoter_email: null,
  created_at: null,
  ip: null,
  override_existing_lead: null,
};

const uuid = z.uuidv4();

/**
 * `POST /t/signup`, limited per address. It contains the visit (`tid`, `ref_id`, `url`, `referrer`, `cookie_tid`,
 * `consent`), so it may arrive before the click or without it. Then one commit records visitor, click and lead, and a
 * later click is `known`.
 *
 * The answer is the same whether or not the person was known, because that is personal data.
 */
const trackSignup: PublicOperation = {
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
  ...v1SignupRefusals,
  limit: "publicSignups",
  handle: signup,
};

/**
 * `GET /t/details`: what a page may show visitors about the promoter who sent them. It needs the visitor's own id, because
 * ref ids are public, and promoters' names are not.
 */
const trackDetails: PublicOperation = {
  id: "getVisitorDetails",
  summary: "Show which promoter sent a visitor",
  description:
    "Shows the promoter who sent the visitor, so that the page can greet the visitor or show the promoter's code.",
  params: z.object({
    cid: field(text, "The public id of your account.", "acme"),
    tid: field(text, tid),
  }),
  answer: z.object({
    details: field(
      z
        .object({
          ref_id: refToken,
          campaign_id: field(z.int(), "Id of the campaign.", 1),
          campaign: field(
            z.object({
              id: recordId,
              name: field(z.string(), "The record's display name.", "Jane Doe"),
            }),
            "The campaign, or null if it was deleted.",
          ),
          promo_code: coupon,
          customer_promo_code: field(
            z.string().nullable(),
            "The code that customers type at the checkout.",
            "JANE10",
          ),
          offer: field(z.null(), "Always null."),
          promoter: field(
            z.object({
              id: recordId,
              first_name: field(z.string().nullable(), "First name.", "Jane"),
              last_name: field(z.string().nullable(), "Last name.", "Doe"),
            }),
            "The promoter, or null if they were deleted.",
          ),
        })
        .nullable(),
      "The promoter who sent the visitor, or null if none did.",
    ),
  }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicQuestions",
  handle: details,
};

/**
 * `POST /t/withdraw`: deletes a visitor who has withdrawn consent, and those of the browser's earlier links. The answer is the
 * same for unknown visitors.
 *
 * @see docs/spec/tracking.md "Consent"
 */
const trackWithdrawal: PublicOperation = {
  id: "withdrawVisitor",
  summary: "Delete a visitor who has withdrawn consent",
  description:
    "Deletes a visitor who has withdrawn consent, and those of the browser's earlier links. Leads stay counted, and so do clicks that are at least a minute old.",
  example: { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: z.object({ cid: field(text, "The public id of your account.", "acme"), tid: field(text, tid) }),
  answer: z.object({ status: field(z.literal("withdrawn"), "State of the record.") }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicQuestions",
  handle: withdraw,
};

/** All operations that browsers call. */
export const PUBLIC_OPERATIONS: [Method, path: string, PublicOperation][] = [
  ["POST", "/t/click", trackClick],
  ["POST", "/t/signup", trackSignup],
  ["POST", "/t/withdraw", trackWithdrawal],
  ["GET", "/t/details", trackDetails],
  ["POST", "/t/details", trackDetails],
];

async function click(request: PublicRequest) {
  const given = shapeInput(clickParams, request.params);
  const { context, account, address } = request;
  const click = clickOf(given, { tid: given.tid, address });
  const namesNoPromoter = click.refTokens.length === 0 && !given.url_tracking;
  const visit = namesNoPromoter || isOptedOut(request) ? null : await recordClick(context, account, click);
  const status = visit === null ? "refused" : visit.isNew ? "recorded" : "known";
  return { status, ...answerVisit(request, visit, given.domain ?? "") };
}

/**
 * The e-mail address of a sloppy page: `mailto:lead@example.com`, or something like `n/a` beside a valid uid.
 *
 * @see docs/spec/tracking.md "Public sign-up"
 */
function addressOf({ email: given, uid }: PublicRequest["params"]) {
  if (typeof given !== "string") return {};
  const address = given.trim().replace(/^mailto:([^?]*).*$/i, "$1");
  return { email: uid && !email.safeParse(address).success ? null : address };
}

async function signup(request: PublicRequest) {
  const { event, params, address } = request;
  const { details, ...given } = shapeSignup({ ...params, ...addressOf(params), ...NOT_FOR_PAGES });
  if (given.tid === null) throw new Failure("not_found", "Visitor invalid or not found.");
  const visited = shapeInput(visitParams, params);
  const click = isVisit(given.tid, request) ? clickOf(visited, { tid: given.tid, address }) : null;
  const origin = event.req.headers.get("origin");
  const visit = await recordOnce(request, {
    ...given,
    details: isLong(details.custom_fields) ? { ...details, custom_fields: null } : details,
    address,
    click,
    isAllowedBy: ({ allowed_origins, landing_url }) => isAllowedOrigin(origin, allowed_origins, landing_url),
  });
  return { status: "recorded", ...answerVisit(request, visit, visited.domain ?? "") };
}

/** In bytes. A page's form has little to say, and anyone can send it. */
const LONGEST_CUSTOM_FIELDS = 2_048;

/** Whether custom fields are too long to be taken from a page. */
const isLong = (fields: object | null) => Buffer.byteLength(JSON.stringify(fields)) > LONGEST_CUSTOM_FIELDS;

/**
 * Whether a sign-up may create a visitor. A tid of another program is only looked up.
 *
 * A bot's sign-up is recorded if its visitor is known, because some people's browsers look like bots, and a lost lead is
 * worse than a false one. Clicks of bots are refused.
 */
function isVisit(tid: string, request: PublicRequest): boolean {
  return !isUnattended(request.event) && uuid.safeParse(tid).success && !isOptedOut(request);
}

/**
 * Records a sign-up. If the person is known, or sign-ups come from the company's server alone, it records only the visit.
 *
 * @see docs/spec/tracking.md "Whose word counts"
 */
async function recordOnce(
  { context, account }: PublicRequest,
  signup: Signup & { click: Click | null },
): Promise<Visit | null> {
  const visited = async () => signup.click && recordClick(context, account, signup.click);
  const source = signupSource(account);
  if (source === "server") return visited();
  try {
    const isClaim = source === "both";
    const given = { ...signup, is_claim: isClaim };
    return registered(await context.store.transact((tx) => recordSignup(tx, context, account, given))).visit;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "already_registered") throw error;
    return visited();
  }
}

async function details({ params, account, context }: PublicRequest) {
  const tid = String(params["tid"] ?? "");
  const found = await findVisitorDetails(context.store, account.id, { tid, now: context.now });
  if (found === null) return { details: null };
  const { promoter, promoterCampaign } = found;
  const campaign = await loadCampaign(context.store, account.id, promoterCampaign.campaign_id);
  return {
    details: {
      ref_id: promoterCampaign.ref_token,
      campaign_id: promoterCampaign.campaign_id,
      campaign: { id: campaign.id, name: campaign.name },
      promo_code: promoterCampaign.coupon,
      customer_promo_code: promoterCampaign.display_coupon,
      offer: null,
      promoter: {
        id: promoter.id,
        first_name: promoter.profile.first_name,
        last_name: promoter.profile.last_name,
      },
    },
  };
}

async function withdraw({ params, account, context }: PublicRequest) {
  await withdrawVisitor(context, account.id, String(params["tid"] ?? ""));
  return { status: "withdrawn" };
}
