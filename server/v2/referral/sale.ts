import { z } from "zod";
import { rewards } from "../../domain/reward/reward.ts";
import { recordSale, type RecordedSale } from "../../domain/sale/new-sale.ts";
import { missingRate } from "../../domain/money/rate.ts";
import type { ShownWaiting } from "../../domain/sale/waiting.ts";
import { accepted, waitingForAnswer, waitingForJson } from "../../http/answer.ts";
import { V2_SALE_BODIES, V2_SALE_STATUSES, v2SaleError } from "../../http/errors.ts";
import { readJson } from "../../http/parameters/json.ts";
import { saleParams, shapeSale } from "../../input/event-params.ts";
import type { View } from "../../storage/store.ts";
import { commissionAnswer, showCommission } from "../commission/commission-json.ts";
import type { V2Operation } from "../operation.ts";

const referral = z.object({ id: z.int(), email: z.string().nullable(), uid: z.string().nullable() });

/** `POST /api/v2/track/sale` @see docs/spec/v2.md "Tracking" */
export const trackSale: V2Operation = {
  isTracking: true,
  summary: "Record a sale",
  body: saleParams,
  answer: z
    .object({
      id: z.int(),
      etype: z.literal("sale"),
      sale_amount: z.int(),
      original_sale_amount: z.int(),
      original_sale_currency: z.string().nullable(),
      event_id: z.string(),
      plan_id: z.string().nullable(),
      billing_period: z.string().nullable(),
      quantity: z.int(),
      mrr: z.int().nullable(),
      referral_reward: z.object({ id: z.int(), name: z.string() }).nullable(),
      created_at: z.iso.datetime(),
      referral,
      commissions: z.array(commissionAnswer),
    })
    .meta({ id: "Sale" }),
  acceptedAnswer: z
    .object({
      id: z.int(),
      etype: z.literal("sale"),
      sale_amount: z.null(),
      original_sale_amount: z.int(),
      original_sale_currency: z.string(),
      event_id: z.string(),
      plan_id: z.string().nullable(),
      billing_period: z.string().nullable(),
      quantity: z.int(),
      mrr: z.null(),
      referral_reward: z.null(),
      created_at: z.iso.datetime(),
      referral,
      commissions: z.array(commissionAnswer),
      waiting_for: waitingForAnswer,
    })
    .meta({ id: "WaitingSale" }),
  refusals: ["missing", "invalid", "rule_broken", "worthless", "not_found", "already_registered"],
  statuses: V2_SALE_STATUSES,
  bodies: V2_SALE_BODIES,
  shape: v2SaleError,
  handle: async ({ event, account, context }) =>
    recordSale(context, account, { ...shapeSale(await readJson(event)), show: showSale, showWaiting }),
};

/** Shows a sale that waits for an exchange rate, with status 202. */
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

/** Choice: `quantity`, `mrr` and `referral_reward` are our additions. They show how the sale was understood. */
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
