import { z } from "zod";
import { recordRefund } from "../../domain/ledger/sale/refund.ts";
import { loadLead } from "../../domain/people/lead/search.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { refundParams, saleAmount } from "../../input/event-params.ts";
import { instant, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { commissionAnswer, showCommission } from "../commission/commission-json.ts";
import type { V2Operation } from "../operation.ts";
import { readPathId } from "../path-id.ts";

const body = z.object({
  sale_event_id: field(text.optional(), refundParams.shape.sale_event_id),
  amount: field(saleAmount, "What was refunded, in the minor unit of its currency, such as cents.", 10000),
  currency: refundParams.shape.currency,
  event_id: field(text.optional(), "Your own id of the refund. Default: a new one.", "refund-7"),
  event_date: field(instant.optional(), "When it happened. Default: now.", "2026-03-01"),
});

/** `POST /api/v2/company/referrals/{id}/refund` */
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
      commissions: field(z.array(commissionAnswer), "The commissions that take others back."),
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
    return recordRefund(context, account, {
      customer: { uid: null, email: null, leadId: id },
      eventId: given.event_id ?? `manual-${context.chance.uuid()}`,
      saleEventId: given.sale_event_id ?? null,
      amount: given.amount,
      currency: given.currency ?? null,
      createdAt: given.event_date ?? null,
      show: async (view, { refund, commissions }) => ({
        id: refund.id,
        event_id: refund.eventId,
        amount: refund.amountCents,
        created_at: refund.createdAt,
        commissions: await Promise.all(commissions.map((each) => showCommission(view, each))),
      }),
    });
  },
};
