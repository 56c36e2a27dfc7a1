import { z } from "zod";
import { findPaymentConnection } from "../../../domain/ledger/payment/connection.ts";
import {
  findStripeAccount,
  STRIPE_ACCOUNT_STATES,
  type StripeAccount,
} from "../../../domain/ledger/payment/stripe-account.ts";
import { field } from "../../../http/fields.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { checkStripeAccount, startStripeAccount } from "../../../payments/stripe-accounts.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const stripeAccountAnswer = z
  .object({
    is_available: field(z.boolean(), "Whether the company pays by Stripe."),
    state: field(
      z.enum(["none", ...STRIPE_ACCOUNT_STATES]),
      "State of the promoter's account. `none`: there is none. `opening`: Stripe was asked for it. `incomplete`: Stripe's form needs more. `pending`: Stripe checks what was entered. `enabled`: the promoter can be paid by it. `rejected`: Stripe refuses it. `lost`: the company's key can't see it any more; start again. `closing`: the promoter was erased.",
      "incomplete",
    ),
    country: field(
      z.string().nullable(),
      "Country of the account (ISO 3166). Null without an account.",
      "DE",
    ),
    missing: field(z.array(z.string()), "Fields that Stripe's form still needs, in Stripe's words.", [
      "individual.verification.document",
    ]),
    payouts_enabled: field(z.boolean(), "Whether Stripe pays out to the promoter's bank.", false),
    payout_method_id: field(
      z.int().nullable(),
      "Id of the payout method that pays by it. Null: it was never enabled.",
      null,
    ),
    checked_at: field(
      z.iso.datetime().nullable(),
      "When Stripe was last asked about it, or null if it has not answered yet.",
    ),
  })
  .meta({ id: "StripeAccount" });

const startBody = z.object({
  country: field(
    word(2)
      .transform((value) => value.toUpperCase())
      .refine((value) => /^[A-Z]{2}$/.test(value), "must be the two letters of a country"),
    "Country of the promoter (ISO 3166). An account that exists keeps its own.",
    "DE",
  ),
});

export const showStripeAccountOperation: AffiliateOperation = {
  id: "getOwnStripeAccount",
  summary: "Show the promoter's account at Stripe",
  description:
    "Shows what the server last knew about the promoter's account at Stripe. An extension of Tidemark.",
  answer: stripeAccountAnswer,
  async handle(request) {
    const { context, promoter } = request;
    return show(request, await findStripeAccount(context.store, promoter.account_id, promoter.id));
  },
};

/** Repeated calls open one account. */
export const startStripeAccountOperation: AffiliateOperation = {
  id: "startOwnStripeAccount",
  summary: "Be paid by Stripe, or go on with Stripe's form",
  description:
    "Opens an account at Stripe under the company's key, or goes on with the promoter's own, and answers with a link to Stripe's form, which works once. If nothing is left to enter, the link is null, and the promoter is paid by Stripe from then on. An extension of Tidemark.",
  example: { country: "DE" },
  body: startBody,
  answer: stripeAccountAnswer.extend({
    link: field(
      z.url().nullable(),
      "Page of Stripe to open now. Null: nothing is left to enter.",
      "https://connect.stripe.com/setup/e/acct_1/abc",
    ),
  }),
  refusals: ["invalid", "refused"],
  async handle(request) {
    const { event, context, seal, promoter, public_url } = request;
    const { country } = shapeInput(startBody, await readJson(event));
    await request.limitOutsideCheck();
    const { id: promoterId, email } = promoter;
    const given = { promoter_id: promoterId, email, country, public_url };
    const started = await startStripeAccount({ ...context, seal }, promoter.account_id, given);
    return { ...(await show(request, started.account)), link: started.link };
  },
};

export const checkStripeAccountOperation: AffiliateOperation = {
  id: "checkOwnStripeAccount",
  summary: "Ask Stripe about the promoter's account",
  description:
    "Asks Stripe what the promoter's account lacks. Once it takes transfers, the promoter is paid by it. An extension of Tidemark.",
  answer: stripeAccountAnswer,
  refusals: ["refused"],
  async handle(request) {
    const { context, seal, promoter } = request;
    await request.limitOutsideCheck();
    return show(request, await checkStripeAccount({ ...context, seal }, promoter.account_id, promoter.id));
  },
};

async function show(
  { context, promoter }: AffiliateRequest,
  account: StripeAccount | null,
): Promise<z.output<typeof stripeAccountAnswer>> {
  const connection = await findPaymentConnection(context.store, promoter.account_id, "stripe");
  return {
    is_available: connection !== null,
    state: account?.state ?? "none",
    country: account?.country ?? null,
    missing: account?.missing ?? [],
    payouts_enabled: account?.has_payouts ?? false,
    payout_method_id: account?.payout_method_id ?? null,
    checked_at: account?.checked_at ?? null,
  };
}
