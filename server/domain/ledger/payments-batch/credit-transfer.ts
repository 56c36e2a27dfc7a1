import anyAscii from "any-ascii";
import { isSEPACountry } from "ibantools";
import { compactNumber, isBic, isIban } from "../../bank-numbers.ts";
import type { FileTerms } from "../payment/payment.ts";
import { clearingOf } from "../payout-method/bank-country.ts";
import { decimalOf, type PaymentLine } from "./batch.ts";

type Payer = NonNullable<FileTerms["payer"]>;

interface Message {
  lines: PaymentLine[];
  payer: Payer;
  /** The name of the batch. */
  reference: string;
  /** Identifies the message at the bank, which refuses a second one with the same id. */
  messageId: string;
  createdAt: string;
}

/** The largest amount of one credit transfer, in minor units. */
const MOST_CENTS = 99_999_999_999;

/** What makes a payment unfit for a credit transfer, or null. */
export function transferFault({ amount, details }: PaymentLine): string | null {
  if (amount > MOST_CENTS) return "the amount is larger than a credit transfer allows";
  const { iban, clabe, account_number: number = clabe, swift_bic_code: bic } = details;
  if (bic !== undefined && !isBic(bic)) return "swift_bic_code is wrong";
  if (iban !== undefined) return isIban(iban) ? null : "iban is wrong";
  if (number === undefined) return "iban and account_number are missing";
  if (!/^[A-Z0-9]{1,34}$/.test(compactNumber(number))) return "account_number is wrong";
  return bic === undefined && clearingOf(details) === null ? "swift_bic_code is missing" : null;
}

/** What is wrong with the account that pays, as a field and words, or null. */
export function payerFault({ iban, bic }: Payer): [field: string, words: string] | null {
  if (iban === null || !isIban(iban)) return ["debtor_iban", "is missing or wrong"];
  return bic === null || isBic(bic) ? null : ["debtor_bic", "is invalid"];
}

/**
 * A message of credit transfers. Payments of one currency are a group, and those within SEPA another one, because a
 * bank handles each group as a whole.
 *
 * @see ISO 20022 pain.001.001.09
 * @see docs/spec/v2.md "Payments batches"
 */
export function creditTransfer({ lines, payer, reference, messageId, createdAt }: Message): string {
  const name = element("Nm", latin(payer.name, NAME_LENGTH));
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>`,
    `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${createdAt.slice(0, 19)}Z</CreDtTm>${sumsOf(lines)}`,
    `<InitgPty>${name}</InitgPty></GrpHdr>`,
    ...groupsOf(lines).map((group, at) =>
      groupXml(group, {
        payer,
        day: createdAt.slice(0, 10),
        id: at === 0 ? reference : `${reference}-${at + 1}`,
      }),
    ),
    `</CstmrCdtTrfInitn></Document>`,
    "",
  ].join("\n");
}

interface Group {
  isSepa: boolean;
  lines: PaymentLine[];
}

/** The payments of each currency, in the order in which they appear. */
function groupsOf(lines: PaymentLine[]): Group[] {
  const groups = new Map<string, Group>();
  for (const line of lines) {
    const isSepa =
      line.currency === "EUR" && isSEPACountry(compactNumber(line.details["iban"] ?? "").slice(0, 2));
    const key = `${line.currency} ${isSepa}`;
    const group = groups.get(key) ?? { isSepa, lines: [] };
    group.lines.push(line);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The number of payments and their sum. Of several currencies the sum is that of the plain numbers, as ISO 20022 has it. */
function sumsOf(lines: PaymentLine[]): string {
  const thousandths = lines.reduce((sum, { amount, currency }) => {
    const decimals = decimalOf(0, currency).length - 2;
    return sum + BigInt(amount) * 10n ** BigInt(MOST_DECIMALS - Math.max(decimals, 0));
  }, 0n);
  const digits = String(thousandths).padStart(MOST_DECIMALS + 1, "0");
  const fraction = digits.slice(-MOST_DECIMALS).replace(/0+$/, "");
  const places = Math.max(0, ...lines.map(({ decimal }) => (decimal.split(".")[1] ?? "").length));
  const shown = fraction.padEnd(places, "0");
  const whole = digits.slice(0, -MOST_DECIMALS);
  return `<NbOfTxs>${lines.length}</NbOfTxs><CtrlSum>${shown === "" ? whole : `${whole}.${shown}`}</CtrlSum>`;
}

/** Currencies have at most four decimals. */
const MOST_DECIMALS = 4;

function groupXml(
  { isSepa, lines }: Group,
  { payer, day, id }: { payer: Payer; day: string; id: string },
): string {
  const agent = payer.bic === null ? UNKNOWN_AGENT : bicAgent(payer.bic);
  return [
    `<PmtInf><PmtInfId>${id}</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>${sumsOf(lines)}`,
    isSepa ? `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>` : "",
    `<ReqdExctnDt><Dt>${day}</Dt></ReqdExctnDt>`,
    `<Dbtr>${element("Nm", latin(payer.name, NAME_LENGTH))}${addressXml(payer)}</Dbtr>`,
    `<DbtrAcct><Id><IBAN>${compactNumber(payer.iban ?? "")}</IBAN></Id></DbtrAcct>`,
    `<DbtrAgt>${agent}</DbtrAgt><ChrgBr>${isSepa ? "SLEV" : "SHAR"}</ChrgBr>`,
    ...lines.map(transferXml),
    `</PmtInf>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function transferXml({ name, decimal, currency, reference, details }: PaymentLine): string {
  const address = addressXml({
    street: details["address"] ?? null,
    postalCode: details["postal_code"] ?? null,
    city: details["city"] ?? null,
    country: details["country"] ?? null,
  });
  return [
    `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${decimal}</InstdAmt></Amt>${creditorAgent(details)}`,
    `<Cdtr>${element("Nm", latin(name, NAME_LENGTH))}${address}</Cdtr><CdtrAcct><Id>${accountId(details)}</Id></CdtrAcct>`,
    `<RmtInf><Ustrd>Payout ${reference}</Ustrd></RmtInf></CdtTrfTxInf>`,
  ].join("");
}

/** A bank is named by its BIC, otherwise by the number that its country has for it. An IBAN alone names it, too. */
function creditorAgent(details: PaymentLine["details"]): string {
  const { swift_bic_code: bic = "", iban } = details;
  if (isBic(bic)) return `<CdtrAgt>${bicAgent(bic)}</CdtrAgt>`;
  const clearing = iban === undefined ? clearingOf(details) : null;
  if (clearing === null) return "";
  const { system, member } = clearing;
  const id = `<ClrSysMmbId><ClrSysId><Cd>${system}</Cd></ClrSysId><MmbId>${member}</MmbId></ClrSysMmbId>`;
  return `<CdtrAgt><FinInstnId>${id}</FinInstnId></CdtrAgt>`;
}

function accountId({ iban, clabe = "", account_number: number = clabe }: PaymentLine["details"]): string {
  if (iban !== undefined) return `<IBAN>${compactNumber(iban)}</IBAN>`;
  return `<Othr><Id>${compactNumber(number)}</Id></Othr>`;
}

const UNKNOWN_AGENT = "<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>";

function bicAgent(bic: string): string {
  return `<FinInstnId><BICFI>${compactNumber(bic)}</BICFI></FinInstnId>`;
}

interface Address {
  street: string | null;
  postalCode: string | null;
  city: string | null;
  country: string | null;
}

/** A structured address. Banks refuse one without a town and a country, so it is then left out. */
function addressXml({ street, postalCode, city, country }: Address): string {
  const land = (country ?? "").trim().toUpperCase();
  if (city === null || !/^[A-Z]{2}$/.test(land)) return "";
  const parts = [
    street === null ? "" : element("StrtNm", latin(street, 70)),
    postalCode === null ? "" : element("PstCd", latin(postalCode, 16)),
    element("TwnNm", latin(city, 35)),
    element("Ctry", land),
  ];
  return `<PstlAdr>${parts.join("")}</PstlAdr>`;
}

const NAME_LENGTH = 70;

function element(name: string, text: string): string {
  return `<${name}>${text}</${name}>`;
}

/** The characters that banks in the EEA and Switzerland all accept, so the text can't contain markup. */
function latin(value: string, length: number): string {
  const allowed = anyAscii(value).replace(/[^A-Za-z0-9/\-?:().,'+ ]+/g, " ");
  const tidy = allowed.replace(/ +/g, " ").trim().slice(0, length).trim();
  return tidy === "" ? "NOTPROVIDED" : tidy;
}
