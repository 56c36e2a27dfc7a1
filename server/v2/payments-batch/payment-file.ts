import { z } from "zod";
import { listFiles } from "../../domain/ledger/payment/file-order.ts";
import { FILE_FORMATS } from "../../domain/ledger/payment/payment.ts";
import { loadPaymentsBatch } from "../../domain/ledger/payments-batch/batch.ts";
import { paymentFile } from "../../domain/ledger/payments-batch/payment-file.ts";
import { id, oneOf, word } from "../../input/fields.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { createdAt, field } from "../../http/fields.ts";

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

/** `GET /api/v2/company/payments_batches/{id}/file` @see docs/spec/v2.md "Payments batches" */
export const paymentFileOperation: V2Operation = {
  id: "downloadPaymentFile",
  summary: "Download the file that pays a batch",
  description:
    "Downloads the file that pays a batch: PayPal's or Wise's CSV, SEPA's XML (`pain.001.001.09`, as `application/xml`), the same for any currency (`pain001`), an ACH file for a bank in the United States (`nacha`, as `text/plain`), or a plain CSV of bank accounts. No payout is in two files. Repeated downloads give the same bytes.",
  params: fileParams,
  answer: z.string(),
  media: "text/csv",
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
    orderId: params.file_id ?? null,
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

/** `GET /api/v2/company/payments_batches/{id}/files` */
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
      created_at: order.createdAt,
    }));
  },
};
