import { z } from "zod";
import { findPaymentsBatches } from "../../domain/ledger/payments-batch/batch.ts";
import { approveBatch } from "../../domain/ledger/payments-batch/approval.ts";
import {
  createPaymentsBatch,
  payBatch,
  removePaymentsBatch,
} from "../../domain/ledger/payments-batch/changes.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { oneOf, text } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { paymentsBatchAnswer, showPaymentsBatch } from "./payments-batch-json.ts";
import { field, message } from "../../http/fields.ts";

/** `GET /api/v2/company/payments_batches` @see docs/spec/v2.md "Payments batches" */
export const listPaymentsBatchesOperation: V2Operation = {
  id: "listPaymentsBatches",
  summary: "List payments batches, newest first",
  description: "Lists the payments batches, newest first.",
  params: pageParams,
  answer: z.array(paymentsBatchAnswer),
  isPaged: true,
  async handle(request: V2Request) {
    const { account, context } = request;
    const { page, window } = readListing(request, pageParams);
    const { records, total } = await findPaymentsBatches(context.store, account.id, window);
    setPageHeaders(request, page, total);
    return Promise.all(records.map((batch) => showPaymentsBatch(context.store, batch)));
  },
};

const createBody = z.object({
  method: field(oneOf(["paypal", "bank", "wise", "crypto", "dots", "custom"]), "Way of payment."),
});

/** Both fields are accepted and ignored, because no payment provider needs them. */
const payBody = z
  .object({
    otp: field(text, "Ignored: no provider asks for a one-time password.", "123456"),
    otp_code: field(text, "Ignored, like `otp`.", "123456"),
  })
  .partial();

/** `POST /api/v2/company/payouts/create_payments_batch` @see docs/spec/v2.md "Payments batches" */
export const createPaymentsBatchOperation: V2Operation = {
  id: "createPaymentsBatch",
  summary: "Put all payable payouts of a method into a batch",
  description:
    "Puts all pending payouts that can be paid by one method into a batch. `meta.failed` lists those that can't be paid yet, with the reason.",
  example: { method: "bank" },
  body: createBody,
  answer: z.object({
    data: field(paymentsBatchAnswer, "The records."),
    meta: field(
      z.object({
        failed: field(
          z.array(
            z.object({
              payout_id: field(z.int(), "Id of the payout.", 88),
              promoter_id: field(z.int(), "Id of the promoter.", 17),
              message: message,
            }),
          ),
          "Pending payouts of this method that can't be paid yet.",
        ),
      }),
      "Further data.",
    ),
  }),
  status: 201,
  refusals: ["invalid", "refused"],
  handle: create,
};

/** `POST /api/v2/company/payments_batches/{id}/pay` @see docs/spec/v2.md "Payments batches" */
export const payPaymentsBatchOperation: V2Operation = {
  id: "payPaymentsBatch",
  summary: "Confirm a payments batch, or try a failed one again",
  description:
    "Confirms a batch: its payouts are processing from now on. Upload the batch's file to your bank or wallet, and mark the payouts as paid afterwards. A failed batch is tried again.",
  example: {},
  body: payBody,
  answer: paymentsBatchAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }: V2Request) {
    shapeInput(payBody, await readJson(event));
    return payBatch(context, account.id, { id: readPathId(event), show: showPaymentsBatch });
  },
};

/** `POST /api/v2/company/payments_batches/{id}/approve` */
export const approvePaymentsBatchOperation: V2Operation = {
  id: "approvePaymentsBatch",
  summary: "Approve a payments batch for another user",
  description:
    "Approves that a provider pays a batch. If the account asks for a second person, another user must have approved a batch before it is sent. Only a user with a second factor can approve, and not the one who has made the batch. An extension of Tidemark.",
  answer: paymentsBatchAnswer,
  refusals: ["not_found", "refused"],
  handle: ({ event, account, context }: V2Request) =>
    approveBatch(context, account.id, { id: readPathId(event), show: showPaymentsBatch }),
};

/** `DELETE /api/v2/company/payments_batches/{id}` @see docs/spec/v2.md "Payments batches" */
export const removePaymentsBatchOperation: V2Operation = {
  id: "deletePaymentsBatch",
  summary: "Delete a payments batch that is not under way",
  description: "Deletes a batch that is not under way. Its payouts are pending again.",
  answer: z.object({
    message: message,
  }),
  refusals: ["not_found", "refused"],
  async handle({ event, account, context }: V2Request) {
    await removePaymentsBatch(context, account.id, readPathId(event));
    return { message: "Payments batch deleted" };
  },
};

async function create({ event, account, context }: V2Request) {
  const { method } = shapeInput(createBody, await readJson(event));
  const { batch, leftOut } = await createPaymentsBatch(context, account, { method, show: showPaymentsBatch });
  const failed = leftOut.map(({ payout, reason }) => ({
    payout_id: payout.id,
    promoter_id: payout.promoterId,
    message: reason,
  }));
  return { data: batch, meta: { failed } };
}
