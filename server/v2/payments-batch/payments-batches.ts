import { z } from "zod";
import { findPaymentsBatches } from "../../domain/payments-batch/batch.ts";
import { createPaymentsBatch, payBatch, removePaymentsBatch } from "../../domain/payments-batch/changes.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { oneOf, text } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { paymentsBatchAnswer, showPaymentsBatch } from "./payments-batch-json.ts";

/** `GET /api/v2/company/payments_batches` @see docs/spec/v2.md "Payments batches" */
export const listPaymentsBatchesOperation: V2Operation = {
  summary: "List payments batches, newest first",
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

const createBody = z.object({ method: oneOf(["paypal", "bank", "wise", "crypto", "dots"]) });

/** Choice: both are accepted and ignored, because no payment provider asks for them. */
const payBody = z.object({ otp: text, otp_code: text }).partial();

/** `POST /api/v2/company/payouts/create_payments_batch` @see docs/spec/v2.md "Payments batches" */
export const createPaymentsBatchOperation: V2Operation = {
  summary: "Put all payable payouts of a method into a batch",
  body: createBody,
  answer: z.object({
    data: paymentsBatchAnswer,
    meta: z.object({
      failed: z.array(z.object({ payout_id: z.int(), promoter_id: z.int(), message: z.string() })),
    }),
  }),
  status: 201,
  refusals: ["invalid", "refused"],
  handle: create,
};

/** `POST /api/v2/company/payments_batches/{id}/pay` @see docs/spec/v2.md "Payments batches" */
export const payPaymentsBatchOperation: V2Operation = {
  summary: "Confirm a payments batch, or try a failed one again",
  body: payBody,
  answer: paymentsBatchAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }: V2Request) {
    shapeInput(payBody, await readJson(event));
    return payBatch(context, account.id, { id: readPathId(event), show: showPaymentsBatch });
  },
};

/** `DELETE /api/v2/company/payments_batches/{id}` @see docs/spec/v2.md "Payments batches" */
export const removePaymentsBatchOperation: V2Operation = {
  summary: "Delete a payments batch that is not under way",
  answer: z.object({ message: z.string() }),
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
