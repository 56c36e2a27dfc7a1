import { z } from "zod";
import {
  putTaxDetails,
  TAX_CLASSES,
  TAX_FORMS,
  taxDetails,
  type TaxDetails,
} from "../../../domain/ledger/invoice/tax-details.ts";
import { field } from "../../../http/fields.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { oneOf, word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation } from "../operation.ts";

const NAME_LENGTH = 200;
const NUMBER_LENGTH = 40;
const name = word(NAME_LENGTH).min(1, "can't be blank");

const body = z.object({
  form: field(
    oneOf(TAX_FORMS),
    "The form: W-9 for persons of the United States, W-8BEN or W-8BEN-E for others.",
  ),
  name: field(name, "Name on the tax return.", "Jane Doe"),
  classification: field(oneOf(TAX_CLASSES), "What the promoter is for taxes."),
  tax_number: field(
    word(NUMBER_LENGTH).optional(),
    "The tax number. It is kept encrypted and never shown. Without it, the former one stays.",
    "123-45-6789",
  ),
  signature: field(name, "The promoter's name, typed as a signature under the form.", "Jane Doe"),
});

const answer = z
  .object({
    details: field(
      z
        .object({
          form: field(z.enum(TAX_FORMS), body.shape.form),
          name: field(z.string(), body.shape.name),
          classification: field(z.enum(TAX_CLASSES), body.shape.classification),
          tax_number_end: field(z.string(), "The last four characters of the tax number.", "6789"),
          signature: field(z.string(), body.shape.signature),
          signed_at: field(z.iso.datetime(), "When the promoter signed the form."),
        })
        .nullable(),
      "The form, or null if there is none.",
    ),
  })
  .meta({ id: "TaxDetails" });

export const showTaxDetailsOperation: AffiliateOperation = {
  id: "getTaxDetails",
  summary: "Show the promoter's tax form",
  description: "Shows the data of the promoter's form W-9 or W-8, without the tax number.",
  answer,
  handle: async ({ account, promoter, context }) =>
    json(await context.store.get(taxDetails, account.id, promoter.id)),
};

export const updateTaxDetailsOperation: AffiliateOperation = {
  id: "updateTaxDetails",
  summary: "Sign a tax form",
  description: "Keeps the data of the promoter's form W-9 or W-8. The tax number is encrypted.",
  body,
  answer,
  refusals: ["invalid", "refused"],
  async handle({ event, promoter, context }) {
    const given = shapeInput(body, await readJson(event));
    const { form, name: onReturn, classification: taxClass, tax_number, signature } = given;
    const input = { form, name: onReturn, tax_class: taxClass, tax_number, signature };
    return json(await context.store.transact((tx) => putTaxDetails(tx, context, promoter, input)));
  },
};

function json(details: TaxDetails | null): z.output<typeof answer> {
  return {
    details: details && {
      form: details.form,
      name: details.name,
      classification: details.tax_class,
      tax_number_end: details.tax_number_end,
      signature: details.signature,
      signed_at: details.signed_at,
    },
  };
}
