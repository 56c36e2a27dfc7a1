import { csvForMachines, defused } from "../../../csv.ts";
import { Failure } from "../../../failure.ts";
import { isIban } from "../../bank-numbers.ts";
import type { Account, BankAccount } from "../../program/account/account.ts";
import { bankAccountOf } from "../../program/account/settings.ts";
import { timeZoneOf } from "../../program/account/time-zone.ts";
import type { Context } from "../../context.ts";
import { PROVIDER_WORDS, type PaymentProviderName } from "../payment/connection.ts";
import { providerDecimal, smallestPayment, stepWords } from "../payment/provider-money.ts";
import { listFiles, orderFile } from "../payment/file-order.ts";
import type { FileFormat, FileTerms } from "../payment/payment.ts";
import { refuseHeld } from "../payout-method/changes.ts";
import type { PayoutMethodName } from "../payout-method/payout-method.ts";
import { achFault, achFile, payerFaultOfAch } from "./ach-file.ts";
import {
  batchReference,
  lockPaymentsBatch,
  choosePart,
  loadLeft,
  loadPaymentLines,
  type PaymentsBatch,
  type PaymentLine,
} from "./batch.ts";
import { creditTransfer, payerFault, transferFault } from "./credit-transfer.ts";

/** The input of a file. The debtor replaces the company's bank account for it. */
interface FileRequest {
  id: number;
  /** Null for the format of its first file, otherwise the default format of the batch's method. */
  format: FileFormat | null;
  /** Which of several files, from 1, or null for the only one. */
  part: number | null;
  /** An earlier file, by the id of its order. Null: what no file pays yet, otherwise the latest file. */
  order_id: number | null;
  debtor: Pick<BankAccount, "name" | "iban" | "bic">;
}

/** A file to upload to a bank or a wallet. */
interface PaymentFile {
  name: string;
  media: string;
  text: string;
}

interface Format {
  /** The method that it pays by. */
  method: PayoutMethodName;
  /** What a payment lacks, or null. */
  lack: (payment: PaymentLine, payer: FileTerms["payer"]) => string | null;
  extension: string;
  media: string;
}

const FORMATS: Record<FileFormat, Format> = {
  paypal: {
    method: "paypal",
    lack: ({ details }) => emailFault("wallet_email", details),
    extension: "csv",
    media: "text/csv",
  },
  wise: {
    method: "wise",
    lack: (payment) => emailFault("wise_email", payment.details) ?? unfitForCsv(payment),
    extension: "csv",
    media: "text/csv",
  },
  sepa: {
    method: "bank",
    lack: (payment, payer) =>
      isIban(payment.details["iban"] ?? "") ? transferFault(payment, payer) : "iban is missing or wrong",
    extension: "xml",
    media: "application/xml",
  },
  pain001: { method: "bank", lack: transferFault, extension: "xml", media: "application/xml" },
  nacha: { method: "bank", lack: achFault, extension: "ach", media: "text/plain" },
  bank: {
    method: "bank",
    lack: (payment) => bankFault(payment.details) ?? unfitForCsv(payment),
    extension: "csv",
    media: "text/csv",
  },
};

/** The default format of each method. */
const USUAL: Partial<Record<PayoutMethodName, FileFormat>> = {
  paypal: "paypal",
  wise: "wise",
  bank: "bank",
};

/**
 * Makes the file that pays what no file pays yet, or returns the latest file again. From then on no provider pays
 * these payouts, because the file may be uploaded.
 *
 * @throws Failure `not_found`, `refused` if the format doesn't fit or details are missing, `invalid` for the
 * debtor
 * @see docs/spec/v2.md "Payments batches"
 */
export function paymentFile(
  context: Context,
  account: Account,
  { id, format: wanted, part, order_id, debtor }: FileRequest,
): Promise<PaymentFile> {
  return context.store.transact(async (tx) => {
    const batch = await lockPaymentsBatch(tx, account.id, id);
    const files = wanted === null ? await listFiles(tx.view, batch) : [];
    const format = wanted ?? files.at(-1)?.order.file?.format ?? USUAL[batch.method] ?? "bank";
    if (batch.method !== FORMATS[format].method) {
      throw new Failure("refused", `A batch of ${batch.method} payments has no ${format} file`);
    }
    const { left, suffix } = await choosePart(tx.view, { batch, left: await loadLeft(tx.view, batch) }, part);
    const terms: FileTerms = { format, payer: payerOf(account, { format, debtor }) };
    const { order, payments } = await orderFile(tx, context, account, { batch, left, order_id, terms });
    await refuseHeld(
      tx,
      account.id,
      payments.map(({ promoter_id }) => promoter_id),
    );
    const lines = await loadPaymentLines(tx, batch, payments);
    const payer = (order.file ?? terms).payer;
    refuseIncomplete(lines, format, payer);
    refusePayer(account, format, payer);
    refuseExcess(lines, format);
    if (format === "paypal") refuseUnpayable(lines, format);
    const { extension, media } = FORMATS[format];
    const name = `${batchReference(batch).toLowerCase()}-${format}${suffix}.${extension}`;
    return { name, media, text: textOf(account, { batch, format, lines, payer, order }) };
  });
}

/** The account that pays. A debtor in the request replaces the company's own IBAN with its BIC. */
function payerOf(
  account: Account,
  { format, debtor }: Pick<FileRequest, "debtor"> & { format: FileFormat },
): FileTerms["payer"] {
  if (format !== "sepa" && format !== "pain001" && format !== "nacha") return null;
  const own = bankAccountOf(account);
  const payer = debtor.iban === null ? own : { ...own, iban: debtor.iban, bic: null };
  return { ...payer, bic: debtor.bic ?? payer.bic, name: debtor.name ?? own.name ?? account.name };
}

/** @throws Failure `refused` */
function refuseIncomplete(lines: PaymentLine[], format: FileFormat, payer: FileTerms["payer"]): void {
  const faults = lines.flatMap((line) => {
    const lack = FORMATS[format].lack(line, payer);
    return lack === null ? [] : [`promoter ${line.promoter_id}: ${lack}`];
  });
  if (faults.length === 0) return;
  const hint = "A batch keeps its payout methods, so correct them and make a new batch";
  throw new Failure("refused", `Payout methods are incomplete: ${faults.join("; ")}. ${hint}`);
}

/** @throws Failure `refused` for the currency, `invalid` for the account that pays */
function refusePayer({ currency }: Account, format: FileFormat, payer: FileTerms["payer"]): void {
  if (payer === null) return;
  if (format === "sepa" && currency !== "EUR")
    throw new Failure("refused", `SEPA pays euros, and the account's currency is ${currency}`);
  if (format === "nacha" && currency !== "USD")
    throw new Failure("refused", `ACH pays US dollars, and the account's currency is ${currency}`);
  const fault = format === "nacha" ? payerFaultOfAch(payer) : payerFault(payer);
  if (fault === null) return;
  const [field, words] = fault;
  throw new Failure("invalid", `Validation failed: ${field} ${words}`, { [field]: [words] });
}

/** The fields of an ACH file hold no larger sum. */
const MOST_ACH_CENTS = 999_999_999_999;

/** @throws Failure `refused` */
function refuseExcess(lines: PaymentLine[], format: FileFormat): void {
  const sum = lines.reduce((total, { amount }) => total + amount, 0);
  if (format !== "nacha" || sum <= MOST_ACH_CENTS) return;
  throw new Failure("refused", "The payments are more than an ACH file holds, 9,999,999,999.99 dollars");
}

/** @throws Failure `refused` for an amount that a provider can't pay to the last unit */
function refuseUnpayable(lines: PaymentLine[], provider: PaymentProviderName): void {
  const faults = lines.flatMap(({ promoter_id, amount, currency }) =>
    amount % smallestPayment(provider, currency) === 0
      ? []
      : [`promoter ${promoter_id}: ${PROVIDER_WORDS[provider]} ${stepWords(provider, amount, currency)}`],
  );
  if (faults.length > 0) throw new Failure("refused", `Some amounts can't be paid: ${faults.join("; ")}`);
}

interface Content {
  batch: PaymentsBatch;
  format: FileFormat;
  lines: PaymentLine[];
  payer: FileTerms["payer"];
  order: { id: number; reference: string; created_at: string };
}

function textOf(account: Account, { batch, format, lines, payer, order }: Content): string {
  const reference = batchReference(batch);
  if (format === "paypal") return paypalCsv(lines);
  if (format === "wise") return wiseCsv(lines);
  if (payer === null) return bankCsv(lines);
  const timeZone = timeZoneOf(account);
  const content = {
    lines,
    payer,
    reference,
    fileNumber: order.id,
    created_at: order.created_at,
    time_zone: timeZone,
  };
  if (format === "nacha") return achFile(content);
  return creditTransfer({ ...content, messageId: order.reference.replaceAll("-", "") });
}

function emailFault(field: string, details: PaymentLine["details"]): string | null {
  const address = details[field];
  if (address === undefined) return `${field} is missing`;
  return isEmailAddress(address) ? null : `${field} is invalid`;
}

/** Whether a text is safe as an e-mail address in a file. Some begin with a plus or a minus. */
function isEmailAddress(value: string): boolean {
  return /^[^\s@<>"',;|=][^\s@<>",;|]*@[^\s@<>",;|]+$/.test(value);
}

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
  "ifsc_code",
  "bank_code",
  "branch_code",
  "clabe",
  "account_type",
  "bank_name",
  "bank_address",
  "bank_city",
  "address",
  "postal_code",
  "city",
  "state",
  "country",
] as const;

/** The details that identify an account. They consist of letters, digits and separators. */
const ACCOUNT_COLUMNS = BANK_COLUMNS.slice(1, 14);

/**
 * What makes a payment unfit for a file for programs, or null. Such a file keeps every text unchanged, so a
 * text that a spreadsheet would run as a formula is refused.
 *
 * @see docs/spec/v2.md "CSV files"
 */
function unfitForCsv({ name, details }: PaymentLine): string | null {
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

function bankFault({ iban, clabe, account_number: number = clabe }: PaymentLine["details"]): string | null {
  if (iban === undefined) return number === undefined ? "iban and account_number are missing" : null;
  return isIban(iban) ? null : "iban is wrong";
}

/** PayPal's file for many payments: recipient, amount, currency, own id, note, wallet. It has no header line. */
function paypalCsv(payments: PaymentLine[]): string {
  const rows = payments.map(({ details, amount, currency, reference }) => [
    details["wallet_email"],
    providerDecimal("paypal", amount, currency),
    currency,
    reference,
    `Payout ${reference}`,
    "PAYPAL",
  ]);
  return csvForMachines(rows);
}

/** Wise's file for payments by e-mail. Recipients get exactly this amount. */
function wiseCsv(payments: PaymentLine[]): string {
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

/** A plain file with every detail of the bank accounts, for banks that let users map the columns. */
function bankCsv(payments: PaymentLine[]): string {
  const rows = payments.map(({ name, details, decimal, currency, reference }) => ({
    reference,
    name,
    amount: decimal,
    currency,
    ...Object.fromEntries(BANK_COLUMNS.map((column) => [column, details[column] ?? ""])),
  }));
  return csvForMachines(rows, { header: true });
}
