import { z } from "zod";
import { rewards } from "../../domain/program/reward/reward.ts";
import { recordSale, type RecordedSale } from "../../domain/ledger/sale/new-sale.ts";
import { missingRate } from "../../domain/ledger/rate.ts";
import { unlessWaiting, type ShownWaiting } from "../../domain/ledger/sale/waiting.ts";
import { accepted, waitingForAnswer, waitingForJson } from "../../http/answer.ts";
import { v2SaleRefusals, v2SignupRefusals } from "../../http/errors.ts";
import { readJson } from "../../http/parameters/json.ts";
import { saleParams, shapeSale, refundParams, saleAmount } from "../../input/event-params.ts";
import type { View } from "../../storage/store.ts";
import { commissionAnswer } from "../commission/commissions.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { referralAnswer } from "./referral-json.ts";
import { recordRefund } from "../../domain/ledger/sale/refund.ts";
import { loadLead } from "../../domain/people/lead/search.ts";
import { instant, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { readPathId } from "../../resource/listing.ts";
import { recordSignup, registered } from "../../domain/ledger/signup.ts";
import { shapeSignup, signupParams } from "../../input/signup-params.ts";

const referral = field(
  z.object({
    id: recordId,
    email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
    uid: field(z.string().nullable(), referralAnswer.schema.shape.uid),
  }),
  "The lead (V2 calls it a referral).",
);

/** @see docs/spec/v2.md "Tracking" */
export const trackSale: V2Operation = {
  id: "trackSale",
  isTracking: true,
  summary: "Record a sale",
  description:
    "Records a payment of a lead and what promoters earn from it. Give `email` or `uid`, and your own `event_id`, so that the sale is recorded once. If the person has not signed up, `tid`, `ref_id` or `promo_code` names the promoter.",
  example: { email: "sam@example.net", event_id: "order-1001", amount: 10000 },
  body: saleParams,
  answer: z
    .object({
      id: recordId,
      etype: field(z.literal("sale"), "What kind of event was recorded."),
      sale_amount: field(z.int(), "What was sold, in cents of your account's currency.", 10000),
      original_sale_amount: field(z.int(), "The same in the sale's own currency.", 10000),
      original_sale_currency: field(
        z.string().nullable(),
        "The sale's own currency, or null if it is your account's.",
        null,
      ),
      event_id: field(z.string(), "Your own id of the sale.", "order-1001"),
      plan_id: field(z.string().nullable(), "Your own id of the price or plan.", "price_pro_monthly"),
      billing_period: field(
        z.string().nullable(),
        "How often the plan is paid, or null if unknown.",
        "monthly",
      ),
      quantity: field(z.int(), "How many pieces were sold.", 1),
      mrr: field(
        z.int().nullable(),
        "The monthly recurring revenue, in cents of your account's currency, or null if it was not given.",
        2900,
      ),
      referral_reward: field(
        z
          .object({
            id: recordId,
            name: field(z.string(), "The record's display name.", "Jane Doe"),
          })
          .nullable(),
        "The reward that the lead gets with the sale, or null if there is none.",
      ),
      created_at: createdAt,
      referral,
      commissions: field(
        z.array(commissionAnswer.schema),
        "What the promoters earned, one entry for each tier and each part of a split.",
      ),
    })
    .meta({ id: "Sale" }),
  acceptedAnswer: z
    .object({
      id: recordId,
      etype: field(z.literal("sale"), "What kind of event was recorded."),
      sale_amount: field(z.null(), "Always null, because it is not converted yet.", null),
      original_sale_amount: field(z.int(), "What was sold, in the sale's own currency.", 10000),
      original_sale_currency: field(z.string(), "The sale's own currency.", "EUR"),
      event_id: field(z.string(), "Your own id of the sale.", "order-1001"),
      plan_id: field(z.string().nullable(), "Your own id of the price or plan.", "price_pro_monthly"),
      billing_period: field(
        z.string().nullable(),
        "How often the plan is paid, or null if unknown.",
        "monthly",
      ),
      quantity: field(z.int(), "How many pieces were sold.", 1),
      mrr: field(z.null(), "Always null, because it is not converted yet.", null),
      referral_reward: field(z.null(), "Always null.", null),
      created_at: createdAt,
      referral,
      commissions: field(z.array(commissionAnswer.schema), "Always empty: nothing is earned yet."),
      waiting_for: field(waitingForAnswer, "The exchange rate that is missing."),
    })
    .meta({ id: "WaitingSale" }),
  refusals: ["missing", "invalid", "rule_broken", "worthless", "not_found", "already_registered"],
  ...v2SaleRefusals,
  async handle({ event, account, context }) {
    const given = shapeSale(await readJson(event));
    return context.store.transact(async (tx) => {
      const outcome = await recordSale(tx, context, account, given);
      return "waiting" in outcome ? waitingJson(outcome) : showSale(tx.view, outcome);
    });
  },
};

/** Answers a sale that waits for an exchange rate with 202. */
function waitingJson({ waiting, lead }: ShownWaiting) {
  if (waiting.kind !== "sale") throw new Error("A sale became another event");
  const { facts, rate } = waiting;
  return accepted({
    id: waiting.id,
    etype: "sale",
    sale_amount: null,
    original_sale_amount: facts.amount,
    original_sale_currency: rate.from,
    event_id: waiting.event_id,
    plan_id: facts.plan_id,
    billing_period: facts.billing_period,
    quantity: facts.quantity,
    mrr: null,
    referral_reward: null,
    created_at: waiting.created_at,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: [],
    waiting_for: waitingForJson(rate, missingRate(rate)),
  });
}

/** `quantity`, `mrr` and `referral_reward` are additions that show how the sale was understood. */
async function showSale(view: View, { sale, lead, commissions }: RecordedSale) {
  const { account_id, referral_reward_id } = sale;
  const reward = referral_reward_id === null ? null : await view.get(rewards, account_id, referral_reward_id);
  return {
    id: sale.id,
    etype: "sale",
    sale_amount: sale.amount_cents,
    original_sale_amount: sale.original_amount,
    original_sale_currency: sale.original_currency,
    event_id: sale.event_id,
    plan_id: sale.plan_id,
    billing_period: sale.billing_period,
    quantity: sale.quantity,
    mrr: sale.mrr_cents,
    referral_reward: reward && { id: reward.id, name: reward.name },
    created_at: sale.created_at,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: await commissionAnswer.showAll(view, commissions),
  };
}

const body = z.object({
  sale_event_id: field(text.optional(), refundParams.shape.sale_event_id),
  amount: field(saleAmount, "What was refunded, in the minor unit of its currency, such as cents.", 10000),
  currency: refundParams.shape.currency,
  event_id: field(text.optional(), "Your own id of the refund. Default: a new one.", "refund-7"),
  event_date: field(instant.optional(), "When it happened. Default: now.", "2026-03-01"),
});

export const refundReferralOperation: V2Operation = {
  id: "refundReferral",
  summary: "Record a refund by hand",
  description:
    "Records that a sale of the lead, or a part of it, was refunded, like `track/refund`: it takes back the same part of the sale's commissions. An extension of Tidemark.",
  example: { sale_event_id: "order-1001", amount: 10000 },
  body,
  answer: z
    .object({
      id: recordId,
      event_id: field(z.string(), "The id of the refund.", "refund-7"),
      amount: field(z.int(), "What was refunded, in cents of your account's currency.", 10000),
      created_at: createdAt,
      commissions: field(z.array(commissionAnswer.schema), "The commissions that take others back."),
    })
    .meta({ id: "Refund" }),
  refusals: ["not_found", "invalid", "already_registered", "rule_broken", "worthless"],
  async handle({ event, account, context }) {
    const given = shapeInput(body, await readJson(event));
    const { id } = await loadLead(context.store, account.id, {
      id: readPathId(event),
      uid: null,
      email: null,
    });
    const back = {
      customer: { uid: null, email: null, lead_id: id },
      event_id: given.event_id ?? `manual-${context.chance.uuid()}`,
      sale_event_id: given.sale_event_id ?? null,
      amount: given.amount,
      currency: given.currency ?? null,
      created_at: given.event_date ?? null,
    };
    return context.store.transact(async (tx) => {
      const { refund, commissions } = unlessWaiting(await recordRefund(tx, context, account, back));
      return {
        id: refund.id,
        event_id: refund.event_id,
        amount: refund.amount_cents,
        created_at: refund.created_at,
        commissions: await commissionAnswer.showAll(tx.view, commissions),
      };
    });
  },
};

/** @see docs/spec/v2.md "Tracking" */
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
          uid: field(z.string().nullable(), referralAnswer.schema.shape.uid),
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
  const recorded = await context.store.transact((tx) => recordSignup(tx, context, account, given));
  const { event_id, lead } = registered(recorded);
  return {
    id: event_id,
    etype: "signup",
    sale_amount: null,
    original_sale_amount: null,
    original_sale_currency: null,
    event_id: null,
    plan_id: null,
    billing_period: null,
    created_at: lead.created_at,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: [],
  };
}
