import anyAscii from "any-ascii";
import type { Payment } from "./payment.ts";

const NAME_LENGTH = 70;
const MESSAGE_LENGTH = 35;

/** The account that a bank takes the money from. */
export interface Debtor {
  name: string;
  iban: string;
  /** null: the bank finds it by the IBAN. */
  bic: string | null;
}

interface Message {
  payments: Payment[];
  debtor: Debtor;
  reference: string;
  now: Date;
  /** The sum of the payments as a decimal number. */
  total: string;
}

/** A credit transfer in euros. @see ISO 20022 pain.001.001.03 */
export function sepaXml({ payments, debtor, reference, now, total }: Message): string {
  const at = now.toISOString();
  const sums = `<NbOfTxs>${payments.length}</NbOfTxs><CtrlSum>${total}</CtrlSum>`;
  const name = `<Nm>${latin(debtor.name, NAME_LENGTH)}</Nm>`;
  // A repeated file must not look like one that the bank has had before.
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

/** Whether a text is an IBAN with the right check digits. @see ISO 13616 */
export function isIban(value: string): boolean {
  const iban = compact(value);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const turned = iban.slice(4) + iban.slice(0, 4);
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** Whether a text is a BIC. @see ISO 9362 */
export function isBic(value: string): boolean {
  return /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(compact(value));
}

const UNKNOWN_AGENT = "<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>";

function transfer({ name, decimal, currency, reference, details }: Payment): string {
  const { iban = "", swift_bic_code: bic = "" } = details;
  const creditorAgent = isBic(bic) ? `<CdtrAgt>${agent(bic)}</CdtrAgt>` : "";
  return [
    `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${decimal}</InstdAmt></Amt>${creditorAgent}`,
    `<Cdtr><Nm>${latin(name, NAME_LENGTH)}</Nm></Cdtr><CdtrAcct><Id><IBAN>${compact(iban)}</IBAN></Id></CdtrAcct>`,
    `<RmtInf><Ustrd>Payout ${reference}</Ustrd></RmtInf></CdtTrfTxInf>`,
  ].join("");
}

function agent(bic: string | null): string | null {
  return bic === null ? null : `<FinInstnId><BIC>${compact(bic)}</BIC></FinInstnId>`;
}

/** SEPA allows these characters alone, so no markup can come through. */
function latin(value: string, length: number): string {
  const allowed = anyAscii(value).replace(/[^A-Za-z0-9/\-?:().,'+ ]+/g, " ");
  const tidy = allowed.replace(/ +/g, " ").trim().slice(0, length).trim();
  return tidy === "" ? "NOTPROVIDED" : tidy;
}

function compact(value: string): string {
  return value.replace(/\s/g, "").toUpperCase();
}
