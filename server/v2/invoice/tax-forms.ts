import { z } from "zod";
import type { Line } from "../../csv.ts";
import { csvForPeople } from "../../csv.ts";
import { invoicingOf } from "../../domain/ledger/invoice/company.ts";
import { taxDetails, type TaxDetails } from "../../domain/ledger/invoice/tax-details.ts";
import { thresholdOf, yearSums, type YearSum } from "../../domain/ledger/invoice/year-sums.ts";
import { promoterName, promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { field } from "../../http/fields.ts";
import { wholeNumber } from "../../input/fields.ts";
import { amountCell } from "../export/csv-pages.ts";
import { logExport } from "../export/exports.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";

const params = z.object({ year: field(wholeNumber(2_000, 9_998), "Calendar year of the payments.", 2026) });

const COLUMNS = [
  "promoter_id",
  "promoter_email",
  "promoter_name",
  "country",
  "address",
  "form",
  "name_on_form",
  "classification",
  "tax_number",
  "signature",
  "signed_at",
  "paid_directly",
  "paid_by_processors",
  "currency",
  "needs_1099_nec",
];

/** `GET /api/v2/company/tax_forms/export`. For owners, because it has whole tax numbers. */
export const exportTaxFormsOperation: V2Operation = {
  id: "exportTaxForms",
  summary: "Download what promoters were paid in a year, with their tax forms",
  description:
    "One line for each promoter who was paid money in the year: the sums, and the data of the form W-9 or W-8 with the whole tax number. `needs_1099_nec` says whether the form W-9 and the sum paid directly ask for a 1099-NEC; `unknown` if there is no form. What PayPal and Stripe paid is apart, because they report it. The audit log records who downloaded it. An extension of Tidemark.",
  params,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid", "refused"],
  async handle(request) {
    const { account, context, headers } = request;
    const { year } = readListing(request, params).params;
    const sums = await yearSums(context.store, account, year);
    const lines: Line[] = [];
    for (const sum of sums) lines.push(await lineOf(request, sum, year));
    await logExport(request, "tax_details");
    headers["content-disposition"] = `attachment; filename="tax-forms-${year}.csv"`;
    return csvForPeople(lines, { columns: COLUMNS, header: true });
  },
};

async function lineOf({ account, context: { store } }: V2Request, sum: YearSum, year: number): Promise<Line> {
  const { promoterId, directCents, processedCents } = sum;
  const promoter: Promoter | null = await store.get(promoters, account.id, promoterId);
  const details = await store.get(taxDetails, account.id, promoterId);
  const threshold = thresholdOf(invoicingOf(account), year);
  return {
    promoter_id: promoterId,
    promoter_email: promoter?.email ?? null,
    promoter_name: promoter && promoterName(promoter),
    country: promoter?.profile.country ?? null,
    address: promoter?.profile.address ?? null,
    form: details?.form ?? null,
    name_on_form: details?.name ?? null,
    classification: details?.taxClass ?? null,
    tax_number: details && details.taxNumber,
    signature: details?.signature ?? null,
    signed_at: details?.signedAt ?? null,
    paid_directly: amountCell(directCents, "cash", account.currency),
    paid_by_processors: amountCell(processedCents, "cash", account.currency),
    currency: account.currency,
    needs_1099_nec: needOf(details, directCents, threshold),
  };
}

/** Corporations get no 1099-NEC for services. */
const CORPORATIONS = new Set(["c_corporation", "s_corporation"]);

/** Whether a sum needs a form 1099-NEC: `yes`, `no`, or `unknown` without a form W-9 or W-8. */
export function needOf(details: TaxDetails | null, directCents: number, thresholdCents: number): string {
  if (directCents < thresholdCents) return "no";
  if (details === null) return "unknown";
  return details.form === "w9" && !CORPORATIONS.has(details.taxClass) ? "yes" : "no";
}
