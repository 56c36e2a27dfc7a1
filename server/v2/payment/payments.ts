import { z } from "zod";
import { PAYMENT_PROVIDERS } from "../../domain/ledger/payment/connection.ts";
import { needsDecision, PAYMENT_STATES, payments } from "../../domain/ledger/payment/payment.ts";
import { decidePayment } from "../../domain/ledger/payment/steps.ts";
import { approvalOf } from "../../domain/ledger/payments-batch/changes.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, id, oneOf } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { choosePayer, intendBatch, payerOfBatch, priceBatch, type PricedPlan } from "../../payments/send.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { lists } from "../../resource/operations.ts";

const state = z.enum(PAYMENT_STATES);

/** When a payment reached each state. */
export const paymentSteps = field(
  z.array(z.object({ state: field(state, "State that was reached."), at: field(z.iso.datetime(), "When.") })),
  "When each state was reached.",
);

const paymentAnswer = shown(payments)("Payment", {
  id: recordId,
  payer: field(z.enum([...PAYMENT_PROVIDERS, "file"]), "Who moves the money. `file`: you, with a file."),
  state: field(
    state,
    "What is known. `intent`: the provider was not asked yet. `asked`: it may be paid. `unclaimed`: it waits for its receiver. `partly_returned`: a part came back, and its payouts stay paid. `returned`: it came back.",
  ),
  steps: paymentSteps,
  payments_batch_id: field(z.int(), "Id of the payments batch.", 3),
  promoter_id: field(z.int(), "Id of the promoter.", 17),
  payout_ids: field(z.array(z.int()), "Ids of the payouts that it pays.", [88, 89]),
  amount: field(z.int(), "The amount with tax, in the minor unit of its currency.", 12000),
  currency: field(z.string(), "Its currency (ISO 4217).", "USD"),
  fee: field(z.int().nullable(), "The provider's fee, or null if unknown.", 25),
  reference: field(
    z.string(),
    "Our id of the payment at the provider.",
    "5f1c2b7a-3d4e-4f60-8a1b-2c3d4e5f6071",
  ),
  ext_id: [
    field(z.string().nullable(), "The provider's own id, or null if unknown.", "8AELMXH8UB2P8"),
    ({ provider_id }) => provider_id,
  ],
  error: field(z.string().nullable(), "Why it failed or came back, or null if it did not.", null),
  needs_decision: [
    field(
      z.string().nullable(),
      "Why you must check with the provider whether it was paid, or null if you need not.",
      null,
    ),
    ({ review }) => review?.reason ?? null,
  ],
  created_at: createdAt,
});

const paymentList = listed(payments, { isNewestFirst: true })({
  filters: {
    payments_batch_id: field(id, "Only those of this payments batch.", 3),
    promoter_id: field(id, "Only those to this promoter.", 17),
    state: field(oneOf(PAYMENT_STATES), "Only those in this state."),
    needs_decision: [field(flag, "Only those that need a decision, or only the others."), needsDecision],
  },
});

export const listPaymentsOperation: V2Operation = lists(paymentAnswer, {
  id: "listPayments",
  summary: "List payments, newest first",
  description:
    "Lists the payments of payouts by providers and by files, newest first. An extension of Tidemark.",
  list: paymentList,
});

const decideBody = z.object({
  was_paid: field(flag, "Whether the money was sent, as you found out at the provider.", true),
});

export const decidePaymentOperation: V2Operation = {
  id: "decidePayment",
  summary: "Say whether an undecided payment was paid",
  description:
    "Says whether a payment was paid if its provider can't tell, or whether a downloaded file was used. The payment is never sent again. If it was not paid, its payouts have failed and can be paid again. An extension of Tidemark.",
  example: { was_paid: true },
  body: decideBody,
  answer: paymentAnswer.schema,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }: V2Request) {
    const { was_paid } = shapeInput(decideBody, await readJson(event));
    const decision = { id: readPathId(event), wasPaid: was_paid };
    return context.store.transact(async (tx) =>
      paymentAnswer.json(await decidePayment(tx, context, account.id, decision)),
    );
  },
};

const planAnswer = z
  .object({
    provider: field(z.enum(PAYMENT_PROVIDERS), "Provider that the plan is for."),
    providers: field(
      z.array(z.enum(PAYMENT_PROVIDERS)),
      "Connected providers that pay the method of the batch. If there are several, sending must name one.",
      ["paypal"],
    ),
    currency: field(z.string(), "Currency of the amounts (ISO 4217).", "USD"),
    total: field(z.int(), "Sum of the payments, in the currency's minor unit.", 24000),
    balance: field(z.int().nullable(), "Your balance at the provider, or null if unknown.", 500000),
    fee_estimate: field(
      z
        .object({
          amount: field(z.int(), "What the provider would charge, in the currency's minor unit.", 480),
          by: field(
            z.enum(["quote", "rule"]),
            "`quote`: the provider says so for an average payment. `rule`: the rule that you have set says so.",
          ),
        })
        .nullable(),
      "An estimate of the provider's fees, or null if they are unknown. The fee of each payment is known once it is paid.",
    ),
    to_pay: field(
      z.array(
        z.object({
          promoter_id: field(z.int(), "Id of the promoter.", 17),
          name: field(z.string(), "Name of the promoter.", "Jane Doe"),
          payee: field(z.string(), "Receiver at the provider.", "jane@example.com"),
          amount: field(z.int(), "Amount with tax.", 12000),
          payout_ids: field(z.array(z.int()), "Ids of the payouts.", [88]),
        }),
      ),
      "Payments that are not recorded yet.",
    ),
    left_out: field(
      z.array(
        z.object({
          payout_id: field(z.int(), "Id of the payout.", 89),
          promoter_id: field(z.int(), "Id of the promoter.", 18),
          message: field(z.string(), "Why it is not sent.", "wallet_email is missing"),
        }),
      ),
      "Payouts of the batch that are not sent, and why.",
    ),
    approval: field(
      z.object({
        is_required: field(
          z.boolean(),
          "Whether another user must approve the batch before it is sent.",
          true,
        ),
        made_by: field(
          z.string().nullable(),
          "E-mail address of the user who has made the batch. null: a program did.",
          "ada@acme.example",
        ),
        made_at: field(z.iso.datetime(), "When the batch was made."),
        approved_by: field(
          z.string().nullable(),
          "E-mail address of the user who has approved it. null: no user has.",
          null,
        ),
        approved_at: field(z.iso.datetime().nullable(), "When it was approved. null: it was not."),
        not_approvable_because: field(
          z.string().nullable(),
          "Why you can't approve it. null: you can.",
          "You have made BATCH-3, so another user must approve it",
        ),
        not_sendable_because: field(
          z.string().nullable(),
          "Why you can't send it as long as its approval stays like this. null: you can.",
          "A second person must approve BATCH-3 before it is sent",
        ),
      }),
      "Who has made the batch, and who has approved it.",
    ),
  })
  .meta({ id: "PaymentPlan" });

const provider = field(
  oneOf(PAYMENT_PROVIDERS).optional(),
  "Provider that pays. Without it, the one that is connected for the method of the batch.",
  "paypal",
);

const planParams = z.object({ provider });

export const planPaymentsOperation: V2Operation = {
  id: "planPayments",
  summary: "Show what sending a payments batch would do",
  description:
    "Shows who would be paid what by a provider of the batch's method, and why others would not. If several are connected and none is named, it is the one that can pay the most promoters. Nothing is sent. An extension of Tidemark.",
  params: planParams,
  answer: planAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request: V2Request) {
    const { event, account } = request;
    const { provider: wanted } = shapeInput(planParams, readNestedQuery(event));
    const batchId = readPathId(event);
    const chosen = wanted ?? (await choosePayer(runOf(request), account, batchId));
    return showPlan(request, await priceBatch(runOf(request), account, { batchId, provider: chosen }));
  },
};

const sendBody = z.object({
  provider,
  ignore_balance: field(flag.optional(), "Send even if the provider's balance seems too small.", false),
});

export const sendPaymentsOperation: V2Operation = {
  id: "sendPayments",
  summary: "Pay a payments batch by a provider",
  description:
    "Records the payments of a batch. The server sends them within a minute and polls their state. Repeated calls pay once. The answer lists the payments that this call added. An extension of Tidemark.",
  example: {},
  body: sendBody,
  answer: planAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request: V2Request) {
    const { event, account, context } = request;
    const body = shapeInput(sendBody, await readJson(event));
    const { provider: wanted = null, ignore_balance: ignoresBalance = false } = body;
    const batchId = readPathId(event);
    const chosen = await payerOfBatch(context.store, account.id, { batchId, wanted });
    const given = { batchId, provider: chosen, ignoresBalance };
    return showPlan(request, await intendBatch(runOf(request), account, given));
  },
};

function runOf({ context, seal }: V2Request) {
  return { ...context, clock: () => context.now, seal };
}

async function showPlan(
  { context, account }: V2Request,
  { batch, provider: payer, providers, currency, total, balance, fees, toPay, leftOut }: PricedPlan,
): Promise<z.output<typeof planAnswer>> {
  const approval = await approvalOf(context, account, batch);
  return {
    provider: payer,
    providers,
    currency,
    total,
    balance,
    fee_estimate: fees && { amount: fees.amount, by: fees.by },
    to_pay: toPay.map(({ promoter_id, name, payee, amount, payouts }) => ({
      promoter_id,
      name,
      payee,
      amount,
      payout_ids: payouts.map((payout) => payout.id),
    })),
    left_out: leftOut.map(({ payout, reason }) => ({
      payout_id: payout.id,
      promoter_id: payout.promoter_id,
      message: reason,
    })),
    approval: {
      is_required: approval.is_required,
      made_by: batch.made_by?.email ?? null,
      made_at: batch.created_at,
      approved_by: batch.approved_by?.email ?? null,
      approved_at: batch.approved_by?.at ?? null,
      not_approvable_because: approval.notApprovableBecause,
      not_sendable_because: approval.notSendableBecause,
    },
  };
}
