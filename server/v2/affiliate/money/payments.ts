import { z } from "zod";
import {
  IS_BY_PROVIDER,
  PAYMENT_STATES,
  payments,
  type Payment,
  type PaymentState,
} from "../../../domain/ledger/payment/payment.ts";
import { field, recordId } from "../../../http/fields.ts";
import { shown } from "../../../resource/answer.ts";
import { having, listed } from "../../../resource/list.ts";
import { paymentSteps } from "../../payment/payments.ts";
import type { AffiliateOperation } from "../operation.ts";
import { textsOf, type Say, type TextKey } from "../../../languages/languages.ts";

/** A payment as its promoter sees it. Only the company sees the provider's error messages. */
const ownPaymentAnswer = shown<Payment, Say>(payments)("PortalPayment", {
  id: recordId,
  payout_ids: field(z.array(z.int()), "Ids of the payouts that it pays.", [88, 89]),
  amount: field(z.int(), "The amount with tax, in the minor unit of its currency.", 12000),
  currency: field(z.string(), "Its currency (ISO 4217).", "USD"),
  state: field(
    z.enum(PAYMENT_STATES),
    "Its state. `asked`: it was sent. `unclaimed`: it waits for you at the provider.",
  ),
  steps: paymentSteps,
  what_to_do: [
    field(
      z.string().nullable(),
      "What the promoter can do, or null if nothing.",
      "The money waits for you. Sign in at the provider with the address of your payout method, and accept it.",
    ),
    ({ state }, say) => {
      const advice = ADVICE[state];
      return advice === undefined ? null : say(advice);
    },
  ],
});

const ownPayments = listed(payments, { only: IS_BY_PROVIDER, isNewestFirst: true })();

export const listOwnPaymentsOperation: AffiliateOperation = {
  id: "listOwnPayments",
  summary: "List the promoter's payments by providers, newest first",
  description:
    "Lists the promoter's payments that a provider makes, newest first, with the date of each step. An extension of Tidemark.",
  params: ownPayments.params,
  answer: z.array(ownPaymentAnswer.schema),
  isPaged: true,
  async handle(request) {
    const records = await ownPayments.read(request, having(payments, { promoter_id: request.promoter.id }));
    const say = textsOf(request.language ?? "en");
    return records.map((payment) => ownPaymentAnswer.json(payment, say));
  },
};

/** The keys of what a promoter can do about a payment in each state. */
const ADVICE: Partial<Record<PaymentState, TextKey>> = {
  unclaimed: "payment.unclaimed",
  failed: "payment.failed",
  returned: "payment.returned",
};
