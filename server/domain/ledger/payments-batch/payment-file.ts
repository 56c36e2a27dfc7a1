import anyAscii from "any-ascii";
import { csvForMachines, defused } from "../../../csv.ts";
import { Failure } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import type { Context } from "../../context.ts";
import { intendFile } from "../payment/intent.ts";
import type { PayoutMethodName } from "../payout-method/payout-method.ts";
import { batchReference, loadPaymentsBatch } from "./batch.ts";
import { choosePart, decimalOf, loadPaymentLines, type PaymentLine } from "./payments.ts";

export const FILE_FORMATS = ["paypal", "wise", "sepa", "bank"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** The input of a file. The debtor is the company's own bank account, which only SEPA needs. */
interface FileRequest {
  id: number;
  /** Null for the default format of the batch's method. */
  format: FileFormat | null;
  /** Which of several files, from 1, or null for the only one. */
  part: number | null;
  debtor: { name: string | null; iban: string | null; bic: string | null };
}

/** A file to upload to a bank or a wallet. */
interface PaymentFile {
  name: string;
  media: string;
  text: string;
}

/** The default format of each method. */
const USUAL: Partial<Record<PayoutMethodName, FileFormat>> = {
  paypal: "paypal",
  wise: "wise",
  bank: "bank",
};

/** The method that a format pays by. */
const METHODS: Record<FileFormat, PayoutMethodName> = {
  paypal: "paypal",
  wise: "wise",
  sepa: "bank",
  bank: "bank",
};

/** What a payment lacks for each format, or null. */
const LACKS: Record<FileFormat, (payment: PaymentLine) => string | null> = {
  paypal: ({ details }) => emailFault("wallet_email", details),
  wise: (payment) => emailFault("wise_email", payment.details) ?? unfitForCsv(payment),
  sepa: ({ details }) => (isIban(details["iban"] ?? "") ? null : "iban is missing or wrong"),
  bank: (payment) => bankFault(payment.details) ?? unfitForCsv(payment),
};

const CSV = { paypal: paypalCsv, wise: wiseCsv, bank: bankCsv };

/**
 * Makes the file that pays the rest of a batch. From then on no provider pays it, because the file may be
 * uploaded.
 *
 * @throws Failure `not_found`, `refused` if the format doesn't fit or details are missing, `invalid` for the
 * debtor
 */
export async function paymentFile(
  context: Context,
  account: Account,
  { id, format: wanted, part, debtor }: FileRequest,
): Promise<PaymentFile> {
  const { store, now } = context;
  const batch = await loadPaymentsBatch(store, account.id, id);
  const format = wanted ?? USUAL[batch.method] ?? "bank";
  if (batch.method !== METHODS[format]) {
    throw new Failure("refused", `A batch of ${batch.method} payments has no ${format} file`);
  }
  const left = await loadPaymentLines(store, account, batch);
  const { payments, suffix } = await choosePart(store, { batch, payments: left }, part);
  const faults = payments.flatMap((payment) => {
    const lack = LACKS[format](payment);
    return lack === null ? [] : [`promoter ${payment.promoterId}: ${lack}`];
  });
  if (faults.length > 0) {
    const hint = "A batch keeps its payout methods, so correct them and make a new batch";
    throw new Failure("refused", `Payout methods are incomplete: ${faults.join("; ")}. ${hint}`);
  }
  const reference = batchReference(batch);
  const isXml = format === "sepa";
  const file = {
    name: `${reference.toLowerCase()}-${format}${suffix}.${isXml ? "xml" : "csv"}`,
    media: isXml ? "application/xml" : "text/csv",
    text: isXml
      ? sepaXml({ ...sepaParts(account, payments, debtor), reference, now })
      : CSV[format](payments),
  };
  await intendFile(context, account, { batchId: id, lines: payments });
  return file;
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
const ACCOUNT_COLUMNS = BANK_COLUMNS.slice(1, 9);

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

/** Whether a text is an IBAN with the right check digits. @see ISO 13616 */
function isIban(value: string): boolean {
  const iban = compact(value);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const turned = iban.slice(4) + iban.slice(0, 4);
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

function compact(value: string): string {
  return value.replace(/\s/g, "").toUpperCase();
}

function bankFault({ iban, account_number: number }: PaymentLine["details"]): string | null {
  if (iban === undefined) return number === undefined ? "iban and account_number are missing" : null;
  return isIban(iban) ? null : "iban is wrong";
}

/** PayPal's file for many payments: recipient, amount, currency, own id, note, wallet. It has no header line. */
function paypalCsv(payments: PaymentLine[]): string {
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

interface Message {
  payments: PaymentLine[];
  debtor: Debtor;
  reference: string;
  now: Date;
  /** The sum of the payments as a decimal number. */
  total: string;
}

/** The account that the bank debits. */
interface Debtor {
  name: string;
  iban: string;
  /** Null: the bank finds it by the IBAN. */
  bic: string | null;
}

const NAME_LENGTH = 70;
const MESSAGE_LENGTH = 35;

const UNKNOWN_AGENT = "<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>";

/** A credit transfer in euros. @see ISO 20022 pain.001.001.03 */
function sepaXml({ payments, debtor, reference, now, total }: Message): string {
  const at = now.toISOString();
  const sums = `<NbOfTxs>${payments.length}</NbOfTxs><CtrlSum>${total}</CtrlSum>`;
  const name = `<Nm>${latin(debtor.name, NAME_LENGTH)}</Nm>`;
  // A repeated file must not look like one that the bank has already received.
  const messageId = `${reference}-${at.replace(/\D/g, "")}`.slice(0, MESSAGE_LENGTH);
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"><CstmrCdtTrfInitn>`,
    `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${at.slice(0, 19)}</CreDtTm>${sums}`,
    `<InitgPty>${name}</InitgPty></GrpHdr>`,
    `<PmtInf><PmtInfId>${reference}</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>${sums}`,
    `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt>${at.slice(0, 10)}</ReqdExctnDt>`,
    `<Dbtr>${name}</Dbtr><DbtrAcct><Id><IBAN>${compact(debtor.iban)}</IBAN></Id></DbtrAcct>`,
    `<DbtrAgt>${agent(debtor.bic) ?? UNKNOWN_AGENT}</DbtrAgt><ChrgBr>SLEV</ChrgBr>`,
    ...payments.map(transfer),
    `</PmtInf></CstmrCdtTrfInitn></Document>`,
    "",
  ].join("\n");
}

/** SEPA allows only these characters, so the text can't contain markup. */
function latin(value: string, length: number): string {
  const allowed = anyAscii(value).replace(/[^A-Za-z0-9/\-?:().,'+ ]+/g, " ");
  const tidy = allowed.replace(/ +/g, " ").trim().slice(0, length).trim();
  return tidy === "" ? "NOTPROVIDED" : tidy;
}

function agent(bic: string | null): string | null {
  return bic === null ? null : `<FinInstnId><BIC>${compact(bic)}</BIC></FinInstnId>`;
}

function transfer({ name, decimal, currency, reference, details }: PaymentLine): string {
  const { iban = "", swift_bic_code: bic = "" } = details;
  const creditorAgent = isBic(bic) ? `<CdtrAgt>${agent(bic)}</CdtrAgt>` : "";
  return [
    `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${decimal}</InstdAmt></Amt>${creditorAgent}`,
    `<Cdtr><Nm>${latin(name, NAME_LENGTH)}</Nm></Cdtr><CdtrAcct><Id><IBAN>${compact(iban)}</IBAN></Id></CdtrAcct>`,
    `<RmtInf><Ustrd>Payout ${reference}</Ustrd></RmtInf></CdtTrfTxInf>`,
  ].join("");
}

/** Whether a text is a BIC. @see ISO 9362 */
function isBic(value: string): boolean {
  return /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(compact(value));
}

function sepaParts(account: Account, payments: PaymentLine[], { name, iban, bic }: FileRequest["debtor"]) {
  if (account.currency !== "EUR") {
    throw new Failure("refused", `SEPA pays euros, and the account's currency is ${account.currency}`);
  }
  refuseFault("debtor_iban", iban !== null && isIban(iban) ? null : "is missing or wrong");
  refuseFault("debtor_bic", bic === null || isBic(bic) ? null : "is invalid");
  const sum = payments.reduce((total, { amount }) => total + amount, 0);
  const debtor = { name: name ?? account.name, iban: iban ?? "", bic };
  return { payments, debtor, total: decimalOf(sum, account.currency) };
}

function refuseFault(field: string, fault: string | null): void {
  if (fault !== null)
    throw new Failure("invalid", `Validation failed: ${field} ${fault}`, { [field]: [fault] });
}
