import { z } from "zod";
import { latinOf } from "../../domain/latin.ts";
import {
  taxDetails,
  thresholdOf,
  yearSums,
  type TaxDetails,
  type YearSum,
} from "../../domain/ledger/invoice/tax-details.ts";
import { csvForPeople, csvForMachines, type Line } from "../../csv.ts";
import { invoicingOf } from "../../domain/ledger/invoice/company.ts";
import { promoterName, promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { field } from "../../http/fields.ts";
import { wholeNumber, flag } from "../../input/fields.ts";
import { amountCell } from "../export/csv-pages.ts";
import { logExport } from "../export/exports.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../../resource/listing.ts";
import { Failure } from "../../failure.ts";

const formsParams = z.object({
  year: field(wholeNumber(2_000, 9_998), "Calendar year of the payments.", 2026),
});

const FORMS_COLUMNS = [
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

/** For owners, because it has whole tax numbers. */
export const exportTaxFormsOperation: V2Operation = {
  id: "exportTaxForms",
  summary: "Download what promoters were paid in a year, with their tax forms",
  description:
    "One line for each promoter who was paid money in the year: the sums, and the data of the form W-9 or W-8 with the whole tax number. `needs_1099_nec` says whether the form W-9 and the sum paid directly ask for a 1099-NEC; `unknown` if there is no form. What PayPal and Stripe paid is apart, because they report it. The audit log records who downloaded it. An extension of Tidemark.",
  params: formsParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid", "refused"],
  async handle(request) {
    const { account, context, headers } = request;
    const { year } = readListing(request, formsParams).params;
    const sums = await yearSums(context.store, account, year);
    const lines: Line[] = [];
    for (const sum of sums) lines.push(await lineOf(request, sum, year));
    await logExport(request, "tax_details");
    headers["content-disposition"] = `attachment; filename="tax-forms-${year}.csv"`;
    return csvForPeople(lines, { columns: FORMS_COLUMNS, header: true });
  },
};

async function lineOf({ account, context: { store } }: V2Request, sum: YearSum, year: number): Promise<Line> {
  const { promoter_id, directCents, processedCents } = sum;
  const promoter: Promoter | null = await store.get(promoters, account.id, promoter_id);
  const details = await store.get(taxDetails, account.id, promoter_id);
  const threshold = thresholdOf(invoicingOf(account), year);
  return {
    promoter_id,
    promoter_email: promoter?.email ?? null,
    promoter_name: promoter && promoterName(promoter),
    country: promoter?.profile.country ?? null,
    address: promoter?.profile.address ?? null,
    form: details?.form ?? null,
    name_on_form: details?.name ?? null,
    classification: details?.tax_class ?? null,
    tax_number: details && details.tax_number,
    signature: details?.signature ?? null,
    signed_at: details?.signed_at ?? null,
    paid_directly: amountCell(directCents, "cash", account.currency),
    paid_by_processors: amountCell(processedCents, "cash", account.currency),
    currency: account.currency,
    needs_1099_nec: needOf(details, directCents, threshold),
  };
}

/** Corporations get no 1099-NEC for services. */
const CORPORATIONS = new Set(["c_corporation", "s_corporation"]);

/** Whether a sum needs a form 1099-NEC: `yes`, `no`, or `unknown` without a form W-9 or W-8. */
function needOf(details: TaxDetails | null, directCents: number, thresholdCents: number): string {
  if (directCents < thresholdCents) return "no";
  if (details === null) return "unknown";
  return details.form === "w9" && !CORPORATIONS.has(details.tax_class) ? "yes" : "no";
}

/** IRIS takes at most as many lines in one file. */
const LINES_PER_FILE = 100;

const irisParams = z.object({
  year: field(wholeNumber(2_000, 9_998), "Calendar year of the payments.", 2026),
  tax_numbers: field(flag.optional(), "Whether to write the tax numbers. Default: false.", true),
  part: field(
    wholeNumber(1, 100_000).optional(),
    "Which file, from 1. IRIS takes 100 lines in a file. Default: 1.",
    1,
  ),
});

const partyColumns = (party: string) => [
  `${party} TIN Type`,
  `${party} Taxpayer ID Number`,
  `${party} Name Type`,
  `${party} Business or Entity Name Line 1`,
  `${party} Business or Entity Name Line 2`,
  `${party} First Name`,
  `${party} Middle Name`,
  `${party} Last Name (Surname)`,
  `${party} Suffix`,
  `${party} Country`,
  `${party} Address Line 1`,
  `${party} Address Line 2`,
  `${party} City/Town`,
  `${party} State/Province/Territory`,
  `${party} ZIP/Postal Code`,
];
const stateColumns = (state: string, withheld: string) => [
  state,
  `${state} - ${withheld}`,
  `${state} - State/Payer state number`,
  `${state} - State income`,
  `${state} - Local income tax withheld`,
  `${state} - Special Data Entries`,
];

/** What differs between the templates of two years. Box 3 came with the form of 2025. */
const UNTIL_2024 = { least: "$5000", box3: [], withheld: "State Tax Withheld" };
const SINCE_2025 = {
  least: "$5,000",
  box3: ["Box 3 - Excess golden parachute payments"],
  withheld: "State tax withheld",
};

/**
 * The columns of IRIS's template for form 1099-NEC in a tax year.
 *
 * @see docs/operators.md "Invoices"
 */
function columnsOf(year: number): string[] {
  const { least, box3, withheld } = year < 2025 ? UNTIL_2024 : SINCE_2025;
  return [
    "Form Type",
    "Tax Year",
    ...partyColumns("Payer"),
    "Payer Phone Type",
    "Payer Phone",
    "Payer Email Address",
    ...partyColumns("Recipient"),
    "Office Code",
    "Form Account Number",
    "2nd TIN Notice",
    "Box 1 - Nonemployee Compensation",
    `Box 2 - Payer made direct sales totaling ${least} or more of consumer products to a recipient for resale`,
    ...box3,
    "Box 4 - Federal income tax withheld",
    "Combined Federal/State Filing",
    ...stateColumns("State 1", withheld),
    ...stateColumns("State 2", withheld),
  ];
}

/** For owners, because it has whole tax numbers. */
export const exportIrisOperation: V2Operation = {
  id: "exportIris",
  summary: "Download the forms 1099-NEC of a year for the IRS's portal IRIS",
  description:
    "One line for each promoter who needs a 1099-NEC, in the columns of IRIS's template for that tax year, as public sources name them. Compare them with the template itself. What PayPal and Stripe paid is left out, because they report it. Fields that are not known, such as your phone number, are empty. The audit log records who downloaded it. An extension of Tidemark.",
  params: irisParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid", "refused"],
  async handle(request) {
    const { account, headers } = request;
    const { year, part = 1, tax_numbers: showsTins = false } = readListing(request, irisParams).params;
    if (account.currency !== "USD")
      throw new Failure("refused", "Form 1099-NEC is in US dollars, and the account is not");
    const lines = await linesOf(request, { year, showsTins });
    await logExport(request, "tax_details");
    headers["content-disposition"] = `attachment; filename="iris-1099-nec-${year}-${part}.csv"`;
    const own = lines.slice((part - 1) * LINES_PER_FILE, part * LINES_PER_FILE);
    return csvForMachines([columnsOf(year), ...own]);
  },
};

async function linesOf(
  { account, context: { store } }: V2Request,
  { year, showsTins }: { year: number; showsTins: boolean },
): Promise<string[][]> {
  const invoicing = invoicingOf(account);
  const { legal_name, tax_number, address, country } = invoicing;
  const payer = party({
    tin: { type: "EIN", number: (tax_number ?? "").replaceAll(/\D/g, "") },
    name: { business: legal_name },
    address,
    country,
  });
  const lines: string[][] = [];
  for (const { promoter_id, directCents } of await yearSums(store, account, year)) {
    const details = await store.get(taxDetails, account.id, promoter_id);
    if (details === null || needOf(details, directCents, thresholdOf(invoicing, year)) !== "yes") continue;
    const promoter = await store.get(promoters, account.id, promoter_id);
    const recipient = party({
      tin: { type: tinTypeOf(details), number: showsTins ? details.tax_number : "" },
      name: nameOf(details),
      address: promoter?.profile.address ?? "",
      country: promoter?.profile.country ?? "US",
    });
    const boxes = [`P${promoter_id}`, "N", dollars(directCents), "N"];
    const line = ["1099-NEC", String(year), ...payer, "D", "", "", ...recipient, "", ...boxes];
    const empty = columnsOf(year).length - line.length;
    lines.push([...line, ...Array.from({ length: empty }, () => "")]);
  }
  return lines;
}

/** A person has a social security number, or if it begins with 9 one of the tax office. */
function tinTypeOf({ tax_class, tax_number }: TaxDetails): string {
  if (tax_class !== "individual") return "EIN";
  return tax_number.startsWith("9") ? "ITIN" : "SSN";
}

type Name = { business: string } | { first: string; middle: string; last: string };

function nameOf({ tax_class, name: given }: TaxDetails): Name {
  // A part of a name would be another name.
  const name = latinOf(given, "US") ?? "";
  if (tax_class !== "individual") return { business: name };
  const words = name.trim().split(/\s+/);
  const last = words.pop() ?? "";
  const [first = "", ...middle] = words;
  return { first, middle: middle.join(" "), last };
}

/** A street, a town, the two letters of a state, and a ZIP code, with commas or line breaks between them. */
const AMERICAN =
  /^(?<street>.+?)[,\n]\s*(?<city>[^,\n]+?)[,\s]+(?<state>[A-Za-z]{2})[,\s]+(?<zip>\d{5}(?:-\d{4})?)(?:[,\s]+(?:US|USA|United States))?\s*$/s;

function party({
  tin,
  name,
  address,
  country,
}: {
  tin: { type: string; number: string };
  name: Name;
  address: string;
  country: string;
}): string[] {
  const written = latinOf(address, "US") === null ? "" : address.trim();
  const { street = written, city = "", state = "", zip = "" } = AMERICAN.exec(written)?.groups ?? {};
  const [line1 = "", ...more] = street.split(/[,\n]/).map(plain);
  const names =
    "business" in name
      ? ["B", plain(name.business), "", "", "", "", ""]
      : ["I", "", "", plain(name.first), plain(name.middle), plain(name.last), ""];
  return [
    tin.type,
    tin.number,
    ...names,
    country,
    line1,
    more.filter((part) => part !== "").join(" "),
    plain(city),
    state.toUpperCase(),
    zip.replace("-", ""),
  ];
}

/** Only characters that IRIS takes. None can begin a formula of a spreadsheet. */
function plain(text: string): string {
  return (latinOf(text, "US") ?? "")
    .replaceAll(/[^A-Za-z0-9 &'().#/-]+/g, " ")
    .replaceAll(/ +/g, " ")
    .replace(/^[ '-]+/, "")
    .trim();
}

function dollars(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
