import { isSEPACountry } from "ibantools";
import { compactNumber, isBic, isIban } from "../../bank-numbers.ts";
import { dayIn } from "../../program/account/time-zone.ts";
import type { FileTerms } from "../payment/payment.ts";
import { clearingOf } from "../payout-method/bank-country.ts";
import { latinOf } from "../../latin.ts";
import { decimalOf } from "../../money.ts";
import { latinNameOf, type PaymentLine } from "./batch.ts";

type Payer = NonNullable<FileTerms["payer"]>;

interface Message {
  lines: PaymentLine[];
  payer: Payer;
  /** The name of the batch. */
  reference: string;
  /** Identifies the message at the bank, which refuses a second one with the same id. */
  messageId: string;
  /** Tells files of one batch apart. */
  fileNumber: number;
  created_at: string;
  /** The day of the file is that of this zone. */
  time_zone: string;
}

/** The largest amount of one credit transfer, in minor units. */
const MOST_CENTS = 99_999_999_999;

/** What makes a payment unfit for a credit transfer, or null. */
export function transferFault(line: PaymentLine, payer: Payer | null): string | null {
  const { amount, details } = line;
  if (amount > MOST_CENTS) return "the amount is larger than a credit transfer allows";
  if (!isUtf8(payer) && latinNameOf(line) === null) return NO_LATIN_NAME;
  const { iban, clabe, account_number: number = clabe, swift_bic_code: bic } = details;
  if (bic !== undefined && !isBic(bic)) return "swift_bic_code is wrong";
  if (iban !== undefined) return isIban(iban) ? null : "iban is wrong";
  if (number === undefined) return "iban and account_number are missing";
  if (!/^[A-Z0-9]{1,34}$/.test(compactNumber(number))) return "account_number is wrong";
  return bic === undefined && clearingOf(details) === null ? "swift_bic_code is missing" : null;
}

/** What is wrong with the account that pays, as a field and words, or null. */
export function payerFault(payer: Payer): [field: string, words: string] | null {
  const { iban, bic, name, country } = payer;
  if (!isUtf8(payer) && latinOf(name, country) === null)
    return ["debtor_name", "must be in Latin letters for this bank"];
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
export function creditTransfer(message: Message): string {
  const { lines, payer, messageId, created_at } = message;
  const write = writerOf(payer);
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>`,
    `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${created_at.slice(0, 19)}Z</CreDtTm>${sumsOf(lines)}`,
    `<InitgPty>${element("Nm", write(payer.name, NAME_LENGTH, payer.country))}</InitgPty></GrpHdr>`,
    ...groupsOf(lines).map((group, at) => groupXml(group, message, at + 1)),
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

/** A bank refuses a group whose id it knows, so the id has the number of the file. */
function groupXml(
  { isSepa, lines }: Group,
  { payer, reference, fileNumber, created_at, time_zone }: Message,
  number: number,
): string {
  const id = `${reference}-F${fileNumber}-${number}`;
  const day = dayIn(time_zone, new Date(created_at));
  const write = writerOf(payer);
  const agent = payer.bic === null ? UNKNOWN_AGENT : bicAgent(payer.bic);
  return [
    `<PmtInf><PmtInfId>${id}</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>${sumsOf(lines)}`,
    isSepa ? `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>` : "",
    `<ReqdExctnDt><Dt>${day}</Dt></ReqdExctnDt>`,
    `<Dbtr>${element("Nm", write(payer.name, NAME_LENGTH, payer.country))}${addressXml(payer, write)}</Dbtr>`,
    `<DbtrAcct><Id><IBAN>${compactNumber(payer.iban ?? "")}</IBAN></Id></DbtrAcct>`,
    `<DbtrAgt>${agent}</DbtrAgt><ChrgBr>${isSepa ? "SLEV" : "SHAR"}</ChrgBr>`,
    ...lines.map((line) => transferXml(line, payer)),
    `</PmtInf>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function transferXml(line: PaymentLine, payer: Payer): string {
  const { decimal, currency, reference, details } = line;
  const write = writerOf(payer);
  const holder = (isUtf8(payer) ? null : latinNameOf(line)) ?? line.name;
  const name = write(holder, NAME_LENGTH, details["country"] ?? details["bank_country"] ?? null);
  const own = {
    street: details["address"] ?? null,
    postal_code: details["postal_code"] ?? null,
    city: details["city"] ?? null,
    country: details["country"] ?? null,
  };
  const address = addressXml(own, write);
  return [
    `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${decimal}</InstdAmt></Amt>${creditorAgent(details)}`,
    `<Cdtr>${element("Nm", name)}${address}</Cdtr><CdtrAcct><Id>${accountId(details)}</Id></CdtrAcct>`,
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
  postal_code: string | null;
  city: string | null;
  country: string | null;
}

/** A structured address. Banks refuse one without a town and a country, so it is then left out. */
function addressXml({ street, postal_code, city, country }: Address, write: Write): string {
  const land = (country ?? "").trim().toUpperCase();
  const town = write(city ?? "", 35, land);
  if (town === "" || !/^[A-Z]{2}$/.test(land)) return "";
  const [road, code] = [write(street ?? "", 70, land), write(postal_code ?? "", 16, land)];
  const parts = [
    road === "" ? "" : element("StrtNm", road),
    code === "" ? "" : element("PstCd", code),
    element("TwnNm", town),
    element("Ctry", land),
  ];
  return `<PstlAdr>${parts.join("")}</PstlAdr>`;
}

const NAME_LENGTH = 70;

function element(name: string, text: string): string {
  return `<${name}>${text}</${name}>`;
}

/** What a payment lacks for a file in Latin letters. */
export const NO_LATIN_NAME =
  "account_holder_name_latin is missing, and only the holder can write the name in Latin letters";

function isUtf8(payer: Payer | null): boolean {
  return payer?.character_set === "utf-8";
}

/** Writes a text for the bank, in at most some characters. Empty: the bank does not take it. */
type Write = (text: string, length: number, country: string | null) => string;

function writerOf(payer: Payer): Write {
  return isUtf8(payer) ? inUtf8 : inLatin;
}

/** The characters that banks in the EEA and Switzerland all accept, so the text can't contain markup. */
function inLatin(value: string, length: number, country: string | null): string {
  const allowed = (latinOf(value, country) ?? "").replace(/[^A-Za-z0-9/\-?:().,'+ ]+/g, " ");
  return allowed.replace(/ +/g, " ").trim().slice(0, length).trim();
}

const MARKUP: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Letters, digits and signs of all alphabets, but no emoji and no invisible characters. */
function inUtf8(value: string, length: number): string {
  const allowed = value.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}\p{P}\p{Sm}\p{Sc} ]+/gu, " ");
  const cut = [...allowed.replace(/ +/g, " ").trim()].slice(0, length).join("").trim();
  return cut.replace(/[&<>]/g, (sign) => MARKUP[sign]!);
}
