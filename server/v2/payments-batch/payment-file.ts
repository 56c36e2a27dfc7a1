import { z } from "zod";
import { FILE_FORMATS, paymentFile } from "../../domain/ledger/payments-batch/payment-file.ts";
import { id, oneOf, word } from "../../input/fields.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { field } from "../../http/fields.ts";

const NAME_LENGTH = 70;
const IBAN_LENGTH = 42;

const fileParams = z.object({
  format: field(
    oneOf(FILE_FORMATS),
    "Format of the file. It must fit the batch's method; `sepa` and `bank` fit `bank`.",
  ),
  part: field(id.optional(), "Which file to download, if a batch has too many payments for one file.", 1),
  debtor_name: field(
    word(NAME_LENGTH).optional(),
    "For SEPA: your own name. Without it, the account's.",
    "Acme Ltd",
  ),
  debtor_iban: field(
    word(IBAN_LENGTH).optional(),
    "For SEPA: the account that the money comes from.",
    "NL91ABNA0417164300",
  ),
  debtor_bic: field(word(IBAN_LENGTH).optional(), "For SEPA: the BIC of your bank.", "ABNANL2A"),
});

/** `GET /api/v2/company/payments_batches/{id}/file` @see docs/spec/v2.md "Payments batches" */
export const paymentFileOperation: V2Operation = {
  id: "downloadPaymentFile",
  summary: "Download the file that pays a batch",
  description:
    "Downloads the file that pays a batch: PayPal's or Wise's CSV, SEPA's XML (`pain.001.001.03`, as `application/xml`), or a plain CSV of bank accounts. SEPA needs your own account, `debtor_iban`.",
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
    debtor: {
      name: params.debtor_name ?? null,
      iban: params.debtor_iban ?? null,
      bic: params.debtor_bic ?? null,
    },
  });
  // SEPA's format is XML.
  headers["content-type"] = `${media}; charset=utf-8`;
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return text;
}
