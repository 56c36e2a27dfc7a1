import { stringify } from "csv-stringify/sync";
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

/** Spreadsheets would run a name such as `=HYPERLINK(…)` as a formula. */
const SAFE = { escape_formulas: true, record_delimiter: "windows" } as const;

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
  return stringify(rows, SAFE);
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
  return stringify(rows, { ...SAFE, header: true });
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
  return stringify(rows, { ...SAFE, header: true });
}
