import { z } from "zod";
import { loadCampaign } from "../domain/campaign.ts";
import { loadPromoterCampaign } from "../domain/promoter-campaign.ts";
import { recordSignup } from "../domain/signup.ts";
import { findVisitor } from "../domain/visitor.ts";
import { Failure } from "../failure.ts";
import { isAllowedOrigin } from "../http/allowed-origin.ts";
import { SIGNUP_STATUSES, signupError, v1Error } from "../http/errors.ts";
import { text } from "../http/fields.ts";
import { rateLimitHeaders } from "../http/rate-limit.ts";
import { shapeSignup, signupParams } from "../http/signup-params.ts";
import type { Campaign } from "../records.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";

/**
 * Choice: the answer is the same whether the person was known or not, since whether an e-mail
 * address is registered somewhere is personal data.
 */
const RECORDED = { recorded: true } as const;

/**
 * A page says who signed up and no more: whose lead it is, when and from where is ours to say. Taken
 * away before they are looked at, so that a fault in them costs no lead.
 */
const NOT_FOR_PAGES = {
  ref_id: null,
  promoter_email: null,
  created_at: null,
  ip: null,
  override_existing_lead: null,
};

/** `POST /t/signup`, so many from one address. */
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
    .extend({ cid: text }),
  answer: z.object({ recorded: z.literal(true) }),
  refusals: ["missing", "not_found", "forbidden", "rate_limited"],
  statuses: SIGNUP_STATUSES,
  shape: signupError(v1Error),
  handle: signup,
};

async function signup({ event, params, account, context, address, limits, headers }: PublicRequest) {
  const state = await limits.publicSignups.take(address ?? "unknown");
  if (state?.allowed === false) {
    Object.assign(headers, rateLimitHeaders(state));
    throw new Failure("rate_limited", "Too many sign-ups from this address");
  }
  const given = shapeSignup({ ...params, ...NOT_FOR_PAGES });
  if (given.tid === null) throw new Failure("not_found", "Visitor invalid or not found.");
  const campaign = await campaignOfVisitor({ account, context }, given.tid);
  const origin = event.req.headers.get("origin");
  if (!isAllowedOrigin(origin, campaign.allowedOrigins, campaign.landingUrl)) {
    throw new Failure("forbidden", "This site may not send sign-ups");
  }
  await recordUnlessKnown(() => recordSignup(context, account, { ...given, address }));
  return RECORDED;
}

/** @throws Failure `not_found` when the tid is nobody's */
async function campaignOfVisitor(
  { account, context }: Pick<PublicRequest, "account" | "context">,
  tid: string,
): Promise<Campaign> {
  const visitor = await findVisitor(context.store, account.id, tid);
  if (visitor === null) throw new Failure("not_found", "Visitor invalid or not found.");
  const { campaignId } = await loadPromoterCampaign(context.store, account.id, visitor.promoterCampaignId);
  return loadCampaign(context.store, account.id, campaignId);
}

async function recordUnlessKnown(record: () => Promise<unknown>): Promise<void> {
  try {
    await record();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "already_registered") throw error;
  }
}
