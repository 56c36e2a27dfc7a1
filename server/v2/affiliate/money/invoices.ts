import { z } from "zod";
import { agree, agreementState, type AgreementState } from "../../../domain/ledger/invoice/company.ts";
import { invoices, IS_NUMBERED, loadInvoice, type Invoice } from "../../../domain/ledger/invoice/invoice.ts";
import { Failure } from "../../../failure.ts";
import { field } from "../../../http/fields.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { id } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { invoiceFileName, invoicePdf, invoiceAnswer } from "../../invoice/invoices.ts";
import { having, listed } from "../../../resource/list.ts";
import { readPathId } from "../../../resource/listing.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const ownInvoices = listed(invoices, { only: IS_NUMBERED, isNewestFirst: true })();

const ownInvoiceAnswer = invoiceAnswer.schema.omit({ promoter: true }).meta({ id: "PortalInvoice" });

export const listOwnInvoicesOperation: AffiliateOperation = {
  id: "listOwnInvoices",
  summary: "List the promoter's invoices and credit notes, newest first",
  description: "Lists the invoices that the company has written in the promoter's name. Drafts are left out.",
  params: ownInvoices.params,
  answer: z.object({ data: field(z.array(ownInvoiceAnswer), "The records.") }),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const records = await ownInvoices.read(request, having(invoices, { promoter_id: request.promoter.id }));
    return { data: records.map((invoice) => ownInvoiceJson(request, invoice)) };
  },
};

export const ownInvoicePdfOperation: AffiliateOperation = {
  id: "downloadOwnInvoice",
  summary: "Download one of the promoter's invoices as a PDF file",
  description: "Downloads an invoice or a credit note as it was sent.",
  answer: z.string(),
  media: "application/pdf",
  refusals: ["not_found"],
  async handle({ event, account, promoter, context, headers }) {
    const invoice = await loadInvoice(context.store, account.id, readPathId(event));
    if (invoice.promoter_id !== promoter.id || invoice.number === null)
      throw new Failure("not_found", "Invoice not found.");
    headers["content-disposition"] = `attachment; filename="${invoiceFileName(invoice)}"`;
    return invoicePdf(invoice);
  },
};

const agreementAnswer = z
  .object({
    is_on: field(z.boolean(), "Whether the company writes invoices in the name of its promoters."),
    agreement: field(
      z
        .object({
          version: field(z.int(), "Version of the text.", 1),
          text: field(
            z.string(),
            "The text that promoters agree to.",
            "We write invoices in your name for the commissions that we pay you.",
          ),
          published_at: field(z.iso.datetime(), "When this version was published."),
          agreed_at: field(
            z.iso.datetime().nullable(),
            "When the promoter agreed to it, or null if not yet.",
          ),
        })
        .nullable(),
      "The newest agreement, or null if the company has none.",
    ),
  })
  .meta({ id: "InvoiceAgreement" });

export const showAgreementOperation: AffiliateOperation = {
  id: "getInvoiceAgreement",
  summary: "Show the agreement about invoices",
  description: "Shows the text by which promoters agree that the company writes their invoices.",
  answer: agreementAnswer,
  handle: async (request) =>
    agreementJson(request, await agreementState(request.context.store, request.promoter)),
};

const agreeBody = z.object({ version: field(id, "Version of the text that the promoter has read.", 1) });

export const agreeOperation: AffiliateOperation = {
  id: "agreeToInvoices",
  summary: "Agree that the company writes the promoter's invoices",
  description: "Records that the promoter agrees to the newest version of the text, with the present time.",
  body: agreeBody,
  answer: agreementAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { event, promoter, context } = request;
    const { version } = shapeInput(agreeBody, await readJson(event));
    const agreed = await context.store.transact((tx) => agree(tx, context, promoter, version));
    return agreementJson(request, agreed);
  },
};

function agreementJson(
  { account }: AffiliateRequest,
  state: AgreementState | null,
): z.output<typeof agreementAnswer> {
  return {
    is_on: account.invoicing?.is_on ?? false,
    agreement: state && {
      version: state.version,
      text: state.text,
      published_at: state.publishedAt,
      agreed_at: state.agreed_at,
    },
  };
}

function ownInvoiceJson(
  { public_url }: AffiliateRequest,
  invoice: Invoice,
): z.output<typeof ownInvoiceAnswer> {
  const api_url = `${public_url}/api/v2/affiliate`;
  const { promoter: _, ...own } = invoiceAnswer.json(invoice, { promoter: null, api_url });
  return own;
}
