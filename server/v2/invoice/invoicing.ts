import { z } from "zod";
import {
  invoicingOf,
  latestText,
  publishText,
  updateInvoicing,
} from "../../domain/ledger/invoice/company.ts";
import {
  draftHtml,
  payoutsFor,
  checkTemplate,
  paperHtml,
  samplePaper,
  templateOf,
} from "../../domain/ledger/invoice/paper.ts";
import type { Account, Invoicing } from "../../domain/program/account/account.ts";
import type { View } from "../../storage/store.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, id, listOf, wholeAmount, word } from "../../input/fields.ts";
import { shapeFormChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";
import { readListing } from "../../resource/listing.ts";
import { htmlAnswer } from "./invoices.ts";

const HTML_LENGTH = 50_000;
const AGREEMENT_LENGTH = 20_000;
const html = field(
  word(HTML_LENGTH).min(1, "can't be blank"),
  "The template: headings, paragraphs and tables with placeholders such as `{{number}}`. Other HTML is refused.",
  "<h1>{{title}}</h1><p>{{number}}</p>",
);

export const showTemplateOperation: V2Operation = {
  id: "getInvoiceTemplate",
  summary: "Show the template of invoices",
  description: "Shows the company's template of invoices and credit notes, or the usual one.",
  answer: htmlAnswer,
  handle: async ({ account, context }) =>
    htmlJson(await templateOf(context.store, account.id, account.promoter_language)),
};

export const customTemplateOperation: V2Operation = {
  id: "updateInvoiceTemplate",
  summary: "Change the template of invoices",
  description:
    "Changes the template of later invoices and credit notes. Those that have a number stay as they were sent. HTML that could run, load or hide anything is refused.",
  body: z.object({ html }),
  answer: htmlAnswer,
  refusals: ["invalid"],
  async handle({ event, account, context }) {
    const body = shapeInput(z.object({ html }), await readJson(event));
    checkTemplate(body.html);
    const template = { kind: "template", text: body.html } as const;
    return htmlJson(
      (await context.store.transact((tx) => publishText(tx, context, account.id, template))).text,
    );
  },
};

const previewBody = z.object({
  html,
  vat_invoice: field(flag.optional(), "Whether the sample has value added tax."),
});

export const previewTemplateOperation: V2Operation = {
  id: "previewInvoiceTemplate",
  summary: "Show a sample invoice by a template",
  description: "Shows a sample invoice by a template. Nothing is stored.",
  body: previewBody,
  answer: htmlAnswer,
  refusals: ["invalid"],
  async handle({ event, account }) {
    const body = shapeInput(previewBody, await readJson(event));
    checkTemplate(body.html);
    const sample = samplePaper(body.vat_invoice ?? true, account.promoter_language ?? "en");
    return htmlJson(paperHtml(body.html, sample));
  },
};

const previewParams = z.object({
  promoter_id: field(id, "Id of the promoter.", 17),
  payout_ids: field(
    listOf(id).optional(),
    "Ids of the payouts. Without them, all that have no invoice yet.",
    [88],
  ),
});

export const previewInvoiceOperation: V2Operation = {
  id: "previewInvoice",
  summary: "Show the invoice that a promoter would get",
  description: "Shows the invoice that a promoter would get for paid payouts. Nothing is stored.",
  params: previewParams,
  answer: htmlAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { account, context } = request;
    const { params } = readListing(request, previewParams);
    const { promoter_id, payout_ids } = params;
    const payouts = await payoutsFor(context.store, account.id, { promoter_id, payout_ids });
    return htmlJson(await draftHtml(context.store, account, { promoter_id, payouts }));
  },
};

const updateBody = z
  .object({
    is_on: field(flag, "Whether paid payouts get invoices."),
    finalizes_drafts: field(
      flag,
      "Whether a draft gets its number by itself, within an hour, once nothing is missing. Default: false, so that an owner finalizes it.",
      false,
    ),
    legal_name: field(word(200), "The company's name on invoices.", "Acme Ltd"),
    address: field(word(1_000), "The company's address, with line breaks.", "1 Main Street\nDublin"),
    country: field(word(2).toUpperCase(), "Two-letter code of the company's country.", "IE"),
    vat_id: field(word(30).nullable(), "The company's VAT number.", "IE1234567A"),
    tax_number: field(word(50).nullable(), "The company's number at its tax office.", null),
    prefix: field(word(12), "The part of numbers before the year.", "AFF"),
    form_1099_threshold: field(
      wholeAmount.refine((value) => value >= 0, "must not be negative"),
      "The sum of a year, in cents, from which a promoter with a form W-9 needs a 1099-NEC.",
      200000,
    ),
    agreement: field(
      word(AGREEMENT_LENGTH).min(1, "can't be blank"),
      "The text by which promoters agree that the company writes their invoices. A changed text is a new version, which they must agree to.",
      "We write invoices in your name for the commissions that we pay you.",
    ),
  })
  .partial();

const answer = z
  .object({
    is_on: field(z.boolean(), updateBody.shape.is_on),
    finalizes_drafts: field(z.boolean(), updateBody.shape.finalizes_drafts),
    legal_name: field(z.string(), updateBody.shape.legal_name),
    address: field(z.string(), updateBody.shape.address),
    country: field(z.string(), updateBody.shape.country),
    vat_id: field(z.string().nullable(), updateBody.shape.vat_id),
    tax_number: field(z.string().nullable(), updateBody.shape.tax_number),
    prefix: field(z.string(), updateBody.shape.prefix),
    form_1099_threshold: field(z.int(), updateBody.shape.form_1099_threshold),
    agreement: field(z.string().nullable(), updateBody.shape.agreement),
    agreement_version: field(z.int().nullable(), "The version of that text, or null if there is none.", 1),
  })
  .meta({ id: "Invoicing" });

export const showInvoicingOperation: V2Operation = {
  id: "getInvoicing",
  summary: "Show the settings of invoices",
  description:
    "Shows what invoices say about the company, and the agreement of promoters. An extension of Tidemark.",
  answer,
  handle: ({ account, context }) => json(context.store, account),
};

export const updateInvoicingOperation: V2Operation = {
  id: "updateInvoicing",
  summary: "Change the settings of invoices",
  description:
    "Changes what later invoices say about the company, and the agreement of promoters. What you leave out stays. An extension of Tidemark.",
  example: { legal_name: "Acme Ltd", address: "1 Main Street\nDublin", country: "IE", is_on: true },
  body: updateBody,
  answer,
  refusals: ["invalid", "refused"],
  async handle({ event, account, context }) {
    const { agreement, ...given } = shapeFormChanges(updateBody, await readJson(event));
    const wanted = { changes: changesOf(given), agreement };
    return context.store.transact(async (tx) =>
      json(tx.view, await updateInvoicing(tx, context, account.id, wanted)),
    );
  },
};

function changesOf(given: Omit<z.output<typeof updateBody>, "agreement">): {
  [Field in keyof Invoicing]?: Invoicing[Field] | undefined;
} {
  return {
    is_on: given.is_on,
    finalizes_drafts: given.finalizes_drafts,
    legal_name: given.legal_name,
    address: given.address,
    country: given.country,
    vat_id: given.vat_id,
    tax_number: given.tax_number,
    prefix: given.prefix,
    threshold_cents: given.form_1099_threshold,
  };
}

async function json(view: View, account: Account): Promise<z.output<typeof answer>> {
  const invoicing = invoicingOf(account);
  const agreement = await latestText(view, account.id, "agreement");
  return {
    is_on: invoicing.is_on,
    finalizes_drafts: invoicing.finalizes_drafts ?? false,
    legal_name: invoicing.legal_name,
    address: invoicing.address,
    country: invoicing.country,
    vat_id: invoicing.vat_id,
    tax_number: invoicing.tax_number,
    prefix: invoicing.prefix,
    form_1099_threshold: invoicing.threshold_cents,
    agreement: agreement?.text ?? null,
    agreement_version: agreement?.version ?? null,
  };
}

function htmlJson(text: string): z.output<typeof htmlAnswer> {
  return { data: { html: text } };
}
