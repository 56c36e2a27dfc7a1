import { z } from "zod";
import {
  findPayments,
  PAYMENT_STATES,
  type Payment,
  type PaymentState,
} from "../../../domain/ledger/payment/payment.ts";
import { field, recordId } from "../../../http/fields.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { pageParams, readListing } from "../../../resource/listing.ts";
import type { AffiliateOperation } from "../operation.ts";
import { textsOf, type Say, type TextKey } from "../../../languages/languages.ts";

const state = z.enum(PAYMENT_STATES);

/** A payment as its promoter sees it. Only the company sees the provider's error messages. */
const ownPaymentAnswer = z
  .object({
    id: recordId,
    payout_ids: field(z.array(z.int()), "Ids of the payouts that it pays.", [88, 89]),
    amount: field(z.int(), "The amount with tax, in the minor unit of its currency.", 12000),
    currency: field(z.string(), "Its currency (ISO 4217).", "USD"),
    state: field(state, "Its state. `asked`: it was sent. `unclaimed`: it waits for you at the provider."),
    steps: field(
      z.array(
        z.object({ state: field(state, "State that was reached."), at: field(z.iso.datetime(), "When.") }),
      ),
      "When each state was reached.",
    ),
    what_to_do: field(
      z.string().nullable(),
      "What the promoter can do, or null if nothing.",
      "The money waits for you. Sign in at the provider with the address of your payout method, and accept it.",
    ),
  })
  .meta({ id: "PortalPayment" });

/** `GET /api/v2/affiliate/payments` */
export const listOwnPaymentsOperation: AffiliateOperation = {
  id: "listOwnPayments",
  summary: "List the promoter's payments by providers, newest first",
  description:
    "Lists the promoter's payments that a provider makes, newest first, with the date of each step. An extension of Tidemark.",
  params: pageParams,
  answer: z.array(ownPaymentAnswer),
  isPaged: true,
  async handle(request) {
    const { account, context, promoter } = request;
    const { page, window } = readListing(request, pageParams);
    const filter = { promoter_id: promoter.id, isByProvider: true } as const;
    const { records, total } = await findPayments(context.store, account.id, { ...window, filter });
    setPageHeaders(request, page, total);
    const say = textsOf(request.language ?? "en");
    return records.map((payment) => ownPaymentJson(payment, say));
  },
};

/** The keys of what a promoter can do about a payment in each state. */
const ADVICE: Partial<Record<PaymentState, TextKey>> = {
  unclaimed: "payment.unclaimed",
  failed: "payment.failed",
  returned: "payment.returned",
};

function ownPaymentJson(payment: Payment, say: Say): z.output<typeof ownPaymentAnswer> {
  const advice = ADVICE[payment.state];
  return {
    id: payment.id,
    payout_ids: payment.payout_ids,
    amount: payment.amount,
    currency: payment.currency,
    state: payment.state,
    steps: payment.steps.map(({ state: reached, at }) => ({ state: reached, at })),
    what_to_do: advice === undefined ? null : say(advice),
  };
}
