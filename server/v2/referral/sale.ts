import { z } from "zod";
import { rewards } from "../../domain/program/reward/reward.ts";
import { recordSale, type RecordedSale } from "../../domain/ledger/sale/new-sale.ts";
import { missingRate } from "../../domain/ledger/rate.ts";
import type { ShownWaiting } from "../../domain/ledger/sale/waiting.ts";
import { accepted, waitingForAnswer, waitingForJson } from "../../http/answer.ts";
import { v2SaleRefusals } from "../../http/errors.ts";
import { readJson } from "../../http/parameters/json.ts";
import { saleParams, shapeSale } from "../../input/event-params.ts";
import type { View } from "../../storage/store.ts";
import { commissionAnswer, showCommission } from "../commission/commission-json.ts";
import type { V2Operation } from "../operation.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { referralAnswer } from "./referral-json.ts";

const referral = field(
  z.object({
    id: recordId,
    email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
    uid: field(z.string().nullable(), referralAnswer.shape.uid),
  }),
  "The lead (V2 calls it a referral).",
);

/** `POST /api/v2/track/sale` @see docs/spec/v2.md "Tracking" */
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
        z.array(commissionAnswer),
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
      commissions: field(z.array(commissionAnswer), "Always empty: nothing is earned yet."),
      waiting_for: field(waitingForAnswer, "The exchange rate that is missing."),
    })
    .meta({ id: "WaitingSale" }),
  refusals: ["missing", "invalid", "rule_broken", "worthless", "not_found", "already_registered"],
  ...v2SaleRefusals,
  handle: async ({ event, account, context }) =>
    recordSale(context, account, { ...shapeSale(await readJson(event)), show: showSale, showWaiting }),
};

/** Answers a sale that waits for an exchange rate with 202. */
async function showWaiting(_view: View, { waiting, lead }: ShownWaiting) {
  if (waiting.kind !== "sale") throw new Error("A sale became another event");
  const { facts, rate } = waiting;
  return accepted({
    id: waiting.id,
    etype: "sale",
    sale_amount: null,
    original_sale_amount: facts.amount,
    original_sale_currency: rate.from,
    event_id: waiting.eventId,
    plan_id: facts.planId,
    billing_period: facts.billingPeriod,
    quantity: facts.quantity,
    mrr: null,
    referral_reward: null,
    created_at: waiting.createdAt,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: [],
    waiting_for: waitingForJson(rate, missingRate(rate)),
  });
}

/** `quantity`, `mrr` and `referral_reward` are additions that show how the sale was understood. */
async function showSale(view: View, { sale, lead, commissions }: RecordedSale) {
  const { accountId, referralRewardId } = sale;
  const reward = referralRewardId === null ? null : await view.get(rewards, accountId, referralRewardId);
  return {
    id: sale.id,
    etype: "sale",
    sale_amount: sale.amountCents,
    original_sale_amount: sale.originalAmount,
    original_sale_currency: sale.originalCurrency,
    event_id: sale.eventId,
    plan_id: sale.planId,
    billing_period: sale.billingPeriod,
    quantity: sale.quantity,
    mrr: sale.mrrCents,
    referral_reward: reward && { id: reward.id, name: reward.name },
    created_at: sale.createdAt,
    referral: { id: lead.id, email: lead.email, uid: lead.uid },
    commissions: await Promise.all(commissions.map((commission) => showCommission(view, commission))),
  };
}
