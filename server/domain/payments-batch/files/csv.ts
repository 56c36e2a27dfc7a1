import { csvForMachines, defused } from "../../../csv.ts";
import type { Payment } from "./payment.ts";

/** The details of a bank account, in the order of their columns. */
const BANK_COLUMNS = [
  "bank_country",
  "iban",
  "swift_bic_code",
  "account_number",
  "routing_aba_number",
  "sort_code",
  "bsb_code",
  "transit_number",
  "institution_number",
  "bank_name",
  "bank_address",
  "bank_city",
  "address",
  "postal_code",
  "city",
  "state",
  "country",
] as const;

/** The details that name an account. They have only letters and digits, and marks between them. */
const ACCOUNT_COLUMNS = BANK_COLUMNS.slice(1, 9);

/**
 * What makes a payment unfit for a file that a machine reads. Such a file keeps every text as it is, so a text that a
 * spreadsheet would run as a formula is refused. null: nothing.
 *
 * @see docs/spec/v2.md "CSV files"
 */
export function unfitForCsv({ name, details }: Payment): string | null {
  const account = ACCOUNT_COLUMNS.find((column) => !isAccount(details[column] ?? "0"));
  if (account !== undefined) return `${account} is invalid`;
  const texts: [string, string][] = [["name", name], ...BANK_COLUMNS.map(textIn)];
  const formula = texts.find(([, text]) => text !== "-" && defused(text) !== text);
  return formula === undefined ? null : `${formula[0]} would run as a formula in a spreadsheet`;

  function textIn(column: string): [string, string] {
    return [column, details[column] ?? ""];
  }
}

function isAccount(value: string): boolean {
  return /^[a-z0-9][a-z0-9 ./-]*$/i.test(value);
}

/** Whether a file can hold a text as an e-mail address. Some begin with a plus or a minus. */
export function isEmailAddress(value: string): boolean {
  return /^[^\s@<>"',;|=][^\s@<>",;|]*@[^\s@<>",;|]+$/.test(value);
}

/** PayPal's file for many payments: recipient, amount, currency, own id, note, wallet. It has no header line. */
export function paypalCsv(payments: Payment[]): string {
  const rows = payments.map(({ details, decimal, currency, reference }) => [
    details["wallet_email"],
    decimal,
    currency,
    reference,
    `Payout ${reference}`,
    "PAYPAL",
  ]);
  return csvForMachines(rows);
}

/** Wise's file for payments by e-mail. Recipients get exactly this amount. */
export function wiseCsv(payments: Payment[]): string {
  const rows = payments.map(({ name, details, decimal, currency, reference }) => ({
    name,
    recipientEmail: details["wise_email"],
    paymentReference: reference,
    receiverType: "PERSON",
    amountCurrency: "target",
    amount: decimal,
    sourceCurrency: currency,
    targetCurrency: currency,
  }));
  return csvForMachines(rows, { header: true });
}

/** A plain file with every detail of the bank accounts, for banks that map columns by themselves. */
export function bankCsv(payments: Payment[]): string {
  const rows = payments.map(({ name, details, decimal, currency, reference }) => ({
    reference,
    name,
    amount: decimal,
    currency,
    ...Object.fromEntries(BANK_COLUMNS.map((column) => [column, details[column] ?? ""])),
  }));
  return csvForMachines(rows, { header: true });
}
