import { z } from "zod";
import {
  loadPaymentsBatch,
  batchReference,
  batchTotals,
  paymentsBatches,
  PAYMENTS_BATCH_STATUSES,
} from "../../domain/ledger/payments-batch/batch.ts";
import {
  approveBatch,
  createPaymentsBatch,
  payBatch,
  removePaymentsBatch,
  PAYABLE,
  RETRIABLE,
} from "../../domain/ledger/payments-batch/changes.ts";
import { oneOf, text, id, word } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { readListing, readPathId } from "../../resource/listing.ts";
import { does, lists } from "../../resource/operations.ts";
import { field, message, createdAt, recordId } from "../../http/fields.ts";
import { listFiles } from "../../domain/ledger/payment/file-order.ts";
import { FILE_FORMATS } from "../../domain/ledger/payment/payment.ts";
import { paymentFile } from "../../domain/ledger/payments-batch/payment-file.ts";
import { PAYOUT_METHODS } from "../../domain/ledger/payout-method/payout-method.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Payments batch" */
export const paymentsBatchAnswer = shown(paymentsBatches, batchTotals)("PaymentsBatch", {
  id: recordId,
  method: field(z.enum(PAYOUT_METHODS), "Way of payment of all its payouts."),
  status: field(z.enum(PAYMENTS_BATCH_STATUSES), "State of the record."),
  ext_reference: [
    field(z.string(), "Name of the batch in its files and at the bank.", "BATCH-5"),
    batchReference,
  ],
  // Providers get an order for each payment, and don't know the batch.
  ext_id: [
    field(z.string().nullable(), "The payment provider's own id, or null if no provider is connected.", null),
    () => null,
  ],
  scheduled_at: [
    field(instant.nullable(), "When the provider pays, or null if that is not planned.", null),
    () => null,
  ],
  processing_started_at: field(instant.nullable(), "When the payment began, or null if it has not."),
  completed_at: field(instant.nullable(), "When the last payout was paid, or null if it was not yet."),
  is_payable: [field(z.boolean(), "Whether it can be confirmed."), ({ status }) => PAYABLE.includes(status)],
  is_retriable: [
    field(z.boolean(), "Whether it has failed and can be tried again."),
    ({ status }) => RETRIABLE.includes(status),
  ],
  is_payment_otp_required: [
    field(z.boolean(), "Whether the provider asks for a one-time password.", false),
    () => false,
  ],
  total: [
    field(z.number(), "Sum of its payouts with tax, in cents.", 24000),
    (_, { total_incl_tax }) => total_incl_tax,
  ],
  promoters_count: [
    field(z.int(), "How many promoters it pays.", 8),
    (_, { promotersCount }) => promotersCount,
  ],
  error: field(z.string().nullable(), "Why it failed, or null if it did not.", null),
});

/** @see docs/spec/v2.md "Payments batches" */
export const listPaymentsBatchesOperation: V2Operation = lists(paymentsBatchAnswer, {
  id: "listPaymentsBatches",
  summary: "List payments batches, newest first",
  description: "Lists the payments batches, newest first.",
  refusals: [],
  list: listed(paymentsBatches, { isNewestFirst: true })(),
});

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

/** @see docs/spec/v2.md "Payments batches" */
export const createPaymentsBatchOperation: V2Operation = {
  id: "createPaymentsBatch",
  summary: "Put all payable payouts of a method into a batch",
  description:
    "Puts all pending payouts that can be paid by one method into a batch. `meta.failed` lists those that can't be paid yet, with the reason.",
  example: { method: "bank" },
  body: createBody,
  answer: z.object({
    data: field(paymentsBatchAnswer.schema, "The records."),
    meta: field(
      z.object({
        failed: field(
          z.array(
            z.object({
              payout_id: field(z.int(), "Id of the payout.", 88),
              promoter_id: field(z.int(), "Id of the promoter.", 17),
              message,
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

/** @see docs/spec/v2.md "Payments batches" */
export const payPaymentsBatchOperation: V2Operation = {
  id: "payPaymentsBatch",
  summary: "Confirm a payments batch, or try a failed one again",
  description:
    "Confirms a batch: its payouts are processing from now on. Upload the batch's file to your bank or wallet, and mark the payouts as paid afterwards. A failed batch is tried again.",
  example: {},
  body: payBody,
  answer: paymentsBatchAnswer.schema,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }: V2Request) {
    shapeInput(payBody, await readJson(event));
    const batchId = readPathId(event);
    return context.store.transact(async (tx) =>
      paymentsBatchAnswer.show(tx.view, await payBatch(tx, context, account.id, batchId)),
    );
  },
};

export const approvePaymentsBatchOperation: V2Operation = does(paymentsBatchAnswer, {
  id: "approvePaymentsBatch",
  summary: "Approve a payments batch for another user",
  description:
    "Approves that a provider pays a batch. If the account asks for a second person, another user must have approved a batch before it is sent. Only a user with a second factor can approve, and not the one who has made the batch. An extension of Tidemark.",
  refusals: ["not_found", "refused"],
  run: (tx, { account, context }, batchId) => approveBatch(tx, context, account.id, batchId),
});

/** @see docs/spec/v2.md "Payments batches" */
export const removePaymentsBatchOperation: V2Operation = {
  id: "deletePaymentsBatch",
  summary: "Delete a payments batch that is not under way",
  description: "Deletes a batch that is not under way. Its payouts are pending again.",
  answer: z.object({
    message,
  }),
  refusals: ["not_found", "refused"],
  async handle({ event, account, context }: V2Request) {
    const batchId = readPathId(event);
    await context.store.transact((tx) => removePaymentsBatch(tx, context, account.id, batchId));
    return { message: "Payments batch deleted" };
  },
};

async function create({ event, account, context }: V2Request) {
  const { method } = shapeInput(createBody, await readJson(event));
  const { show } = paymentsBatchAnswer;
  const { batch, leftOut } = await createPaymentsBatch(context, account, { method, show });
  const failed = leftOut.map(({ payout, reason }) => ({
    payout_id: payout.id,
    promoter_id: payout.promoter_id,
    message: reason,
  }));
  return { data: batch, meta: { failed } };
}

const NAME_LENGTH = 70;
const IBAN_LENGTH = 42;

const fileParams = z.object({
  format: field(
    oneOf(FILE_FORMATS),
    "Format of the file. It must fit the batch's method; `sepa`, `pain001`, `nacha` and `bank` fit `bank`.",
  ),
  part: field(id.optional(), "Which file to download, if a batch has too many payments for one file.", 1),
  file_id: field(
    id.optional(),
    "An earlier file to download again. Without it, the payouts that no file pays yet make a new file; if there are none, the latest one is downloaded again.",
    4,
  ),
  debtor_name: field(
    word(NAME_LENGTH).optional(),
    "For `sepa` and `pain001`: your own name. Without it, that of your bank account.",
    "Acme Ltd",
  ),
  debtor_iban: field(
    word(IBAN_LENGTH).optional(),
    "For `sepa` and `pain001`: the account that the money comes from. Without it, your bank account.",
    "NL91ABNA0417164300",
  ),
  debtor_bic: field(
    word(IBAN_LENGTH).optional(),
    "For `sepa` and `pain001`: the BIC of your bank.",
    "ABNANL2A",
  ),
});

/** @see docs/spec/v2.md "Payments batches" */
export const paymentFileOperation: V2Operation = {
  id: "downloadPaymentFile",
  summary: "Download the file that pays a batch",
  description:
    "Downloads the file that pays a batch: PayPal's or Wise's CSV, SEPA's XML (`pain.001.001.09`, as `application/xml`), the same for any currency (`pain001`), an ACH file for a bank in the United States (`nacha`, as `text/plain`), or a plain CSV of bank accounts. No payout is in two files. Repeated downloads give the same bytes.",
  params: fileParams,
  answer: z.string(),
  media: "text/csv",
  furtherMedia: ["application/xml", "text/plain"],
  refusals: ["not_found", "invalid", "refused"],
  handle: download,
};

async function download(request: V2Request) {
  const { event, account, context, headers } = request;
  const { params } = readListing(request, fileParams);
  const { name, media, text } = await paymentFile(context, account, {
    id: readPathId(event),
    format: params.format,
    part: params.part ?? null,
    order_id: params.file_id ?? null,
    debtor: {
      name: params.debtor_name ?? null,
      iban: params.debtor_iban ?? null,
      bic: params.debtor_bic ?? null,
    },
  });
  // Not all formats are CSV.
  headers["content-type"] = `${media}; charset=utf-8`;
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return text;
}

const fileAnswer = z
  .object({
    id: field(z.int(), "Id of the file.", 4),
    format: field(
      z.enum(FILE_FORMATS).nullable(),
      "Its format. Null: an earlier release made it, and it can be downloaded in any.",
    ),
    message_id: field(
      z.string(),
      "The id of the message at the bank, in the formats that have one.",
      "5f1c2b7a3d4e4f608a1b2c3d4e5f6071",
    ),
    payments_count: field(z.int(), "How many payments it has.", 12),
    open_count: field(z.int(), "Those of them that you have not marked as paid or as failed.", 12),
    total: field(z.int(), "Their sum with tax, in the minor unit of the account's currency.", 144000),
    created_at: createdAt,
  })
  .meta({ id: "PaymentFile" });

export const listPaymentFilesOperation: V2Operation = {
  id: "listPaymentFiles",
  summary: "List the files that pay a batch",
  description: "Lists the files that were downloaded to pay a batch, oldest first. An extension of Tidemark.",
  answer: z.array(fileAnswer),
  refusals: ["not_found"],
  async handle({ event, account, context: { store } }: V2Request) {
    const batch = await loadPaymentsBatch(store, account.id, readPathId(event));
    const files = await listFiles(store, batch);
    return files.map(({ order, payments }) => ({
      id: order.id,
      format: order.file?.format ?? null,
      message_id: order.reference.replaceAll("-", ""),
      payments_count: payments.length,
      open_count: payments.filter(({ state }) => state === "asked").length,
      total: payments.reduce((sum, { amount }) => sum + amount, 0),
      created_at: order.created_at,
    }));
  },
};
