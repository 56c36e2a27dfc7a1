import { Failure } from "../../../failure.ts";
import type { Account } from "../../account/account.ts";
import type { Context } from "../../context.ts";
import type { PayoutMethodName } from "../../payout-method/record.ts";
import { batchReference, loadPaymentsBatch } from "../batch.ts";
import { bankCsv, isEmailAddress, paypalCsv, unfitForCsv, wiseCsv } from "./csv.ts";
import { choosePart } from "./parts.ts";
import { decimalOf, loadPayments, type Payment } from "./payment.ts";
import { isBic, isIban, sepaXml } from "./sepa.ts";

export const FILE_FORMATS = ["paypal", "wise", "sepa", "bank"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** The method that a format pays by. */
const METHODS: Record<FileFormat, PayoutMethodName> = {
  paypal: "paypal",
  wise: "wise",
  sepa: "bank",
  bank: "bank",
};

/** The format of a method, unless another one is asked for. */
const USUAL: Partial<Record<PayoutMethodName, FileFormat>> = {
  paypal: "paypal",
  wise: "wise",
  bank: "bank",
};

/** Says what a payment lacks in a format. null: nothing. */
const LACKS: Record<FileFormat, (payment: Payment) => string | null> = {
  paypal: ({ details }) => emailFault("wallet_email", details),
  wise: (payment) => emailFault("wise_email", payment.details) ?? unfitForCsv(payment),
  sepa: ({ details }) => (isIban(details["iban"] ?? "") ? null : "iban is missing or wrong"),
  bank: (payment) => bankFault(payment.details) ?? unfitForCsv(payment),
};

function emailFault(field: string, details: Payment["details"]): string | null {
  const address = details[field];
  if (address === undefined) return `${field} is missing`;
  return isEmailAddress(address) ? null : `${field} is invalid`;
}

function bankFault({ iban, account_number: number }: Payment["details"]): string | null {
  if (iban === undefined) return number === undefined ? "iban and account_number are missing" : null;
  return isIban(iban) ? null : "iban is wrong";
}

/** The input of a file. The debtor is the company's own bank account, which only SEPA needs. */
export interface FileRequest {
  id: number;
  /** null: the usual one of the batch's method. */
  format: FileFormat | null;
  /** Which of several files, from 1. null: the only one. */
  part: number | null;
  debtor: { name: string | null; iban: string | null; bic: string | null };
}

/** A file to upload to a bank or a wallet. */
export interface PaymentFile {
  name: string;
  media: string;
  text: string;
}

/**
 * Makes the file that pays what is left of a batch.
 *
 * @throws Failure `not_found`, `refused` if the format doesn't fit or details are missing, `invalid` for the debtor
 */
export async function paymentFile(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  { id, format: wanted, part, debtor }: FileRequest,
): Promise<PaymentFile> {
  const batch = await loadPaymentsBatch(store, account.id, id);
  const format = wanted ?? USUAL[batch.method] ?? "bank";
  if (batch.method !== METHODS[format]) {
    throw new Failure("refused", `A batch of ${batch.method} payments has no ${format} file`);
  }
  const left = await loadPayments(store, account, batch);
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
  return {
    name: `${reference.toLowerCase()}-${format}${suffix}.${isXml ? "xml" : "csv"}`,
    media: isXml ? "application/xml" : "text/csv",
    text: isXml
      ? sepaXml({ ...sepaParts(account, payments, debtor), reference, now })
      : CSV[format](payments),
  };
}

const CSV = { paypal: paypalCsv, wise: wiseCsv, bank: bankCsv };

function sepaParts(account: Account, payments: Payment[], { name, iban, bic }: FileRequest["debtor"]) {
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
