import { z } from "zod";
import { updateOwnProfile } from "../../../domain/people/portal/profile.ts";
import { INVOICE_DETAILS_STATUSES, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { shapeFormChanges } from "../../../input/shape.ts";
import {
  profileChanges,
  profileParams,
  vatCheckFields,
  vatCheckJson,
} from "../../promoter/promoter-profile.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field } from "../../../http/fields.ts";

const shown = z.string().nullable();

/** The promoter's details on invoices. */
export const invoiceFields = {
  company_name: field(shown, "Name of the company.", "Acme"),
  company_number: field(shown, "Registration number of their company.", "HRB 12345"),
  vat_id: field(shown, "VAT id of their company.", "DE123456789"),
  address: field(shown, "Postal address.", "1 Main Street, Springfield"),
  country: field(shown, "Two-letter code of their country.", "US"),
};

const answer = z
  .object({
    status: field(
      z.enum([...INVOICE_DETAILS_STATUSES, "not_submitted"]),
      "The company's review of the details. `not_submitted` if there are none.",
    ),
    is_required: field(z.boolean(), "Whether promoters are paid only with approved invoice details."),
    ...invoiceFields,
    ...vatCheckFields,
  })
  .meta({ id: "InvoiceDetails" });

const updateBody = profileParams.pick({
  company_name: true,
  company_number: true,
  vat_id: true,
  address: true,
  country: true,
});

export const showInvoiceDetailsOperation: AffiliateOperation = {
  id: "getInvoiceDetails",
  summary: "Show the promoter's invoice details",
  description: "Shows the promoter's details on invoices.",
  answer,
  handle: (request) => Promise.resolve(json(request, request.promoter)),
};

export const updateInvoiceDetailsOperation: AffiliateOperation = {
  id: "updateInvoiceDetails",
  summary: "Change the promoter's invoice details",
  description: "Changes the promoter's details on invoices. The company has to approve them again.",
  example: { company_name: "Doe Media Ltd", country: "US" },
  body: updateBody,
  answer,
  async handle(request) {
    const body = shapeFormChanges(updateBody, await readJson(request.event));
    const after = await updateOwnProfile(request.context, request.promoter, profileChanges(body));
    request.inquireVat(after);
    return json(request, after);
  },
};

function json({ account }: AffiliateRequest, promoter: Promoter): z.output<typeof answer> {
  const fields = invoiceFieldsJson(promoter);
  const isEmpty = Object.values(fields).every((value) => value === null);
  const status = promoter.invoice_details_status;
  return {
    status: isEmpty && status === "pending" ? "not_submitted" : status,
    is_required: account.requires_invoice_details,
    ...fields,
    ...vatCheckJson(promoter),
  };
}

/** The values of the invoice fields. */
export function invoiceFieldsJson({ profile }: Promoter) {
  return {
    company_name: profile.company_name,
    company_number: profile.company_number,
    vat_id: profile.vat_id,
    address: profile.address,
    country: profile.country,
  };
}
