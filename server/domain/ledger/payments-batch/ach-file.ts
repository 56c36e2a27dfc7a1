import { compactNumber, isRoutingNumber } from "../../bank-numbers.ts";
import { dayIn } from "../../program/account/time-zone.ts";
import type { FileTerms } from "../payment/payment.ts";
import { latinOf } from "../../latin.ts";
import { latinNameOf, type PaymentLine } from "./batch.ts";
import { NO_LATIN_NAME } from "./credit-transfer.ts";
import { DAY_MS } from "../../span.ts";

type Payer = NonNullable<FileTerms["payer"]>;

/** The largest amount of one entry, in cents. */
const MOST_CENTS = 9_999_999_999;

/** What makes a payment unfit for an ACH file, or null. */
export function achFault(line: PaymentLine): string | null {
  const { amount, details } = line;
  const { routing_aba_number: routing = "", account_number: number = "", account_type: type } = details;
  if (!isRoutingNumber(routing)) return "routing_aba_number is missing or wrong";
  if (!/^[A-Z0-9]{1,17}$/.test(compactNumber(number))) return "account_number is missing or wrong";
  if (type !== undefined && type !== "checking" && type !== "savings") return "account_type is wrong";
  if (amount > MOST_CENTS) return "the amount is larger than ACH allows";
  return latinNameOf(line) === null ? NO_LATIN_NAME : null;
}

/** What is wrong with the account that pays, as a field and words, or null. */
export function payerFaultOfAch({
  routing_number,
  bank_name,
  company_id,
  name,
}: Payer): [field: string, words: string] | null {
  if (routing_number === null || !isRoutingNumber(routing_number))
    return ["routing_number", "is missing or wrong"];
  if (company_id === null) return ["company_id", "is missing"];
  if (latinOf(name) === null) return ["debtor_name", "must be in Latin letters for this bank"];
  return bank_name === null ? ["bank_name", "is missing"] : null;
}

interface Content {
  lines: PaymentLine[];
  payer: Payer;
  /** The name of the batch. */
  reference: string;
  /** Tells files of one day apart. */
  fileNumber: number;
  created_at: string;
  /** The dates of the file are those of this zone. */
  time_zone: string;
}

/** People are paid by PPD entries, companies by CCD ones. */
type EntryClass = "PPD" | "CCD";

/**
 * A file of ACH credits: records of 94 characters, in blocks of ten.
 *
 * @see Nacha Operating Rules, appendix three
 */
export function achFile(content: Content): string {
  const classes = (["PPD", "CCD"] as const).map((entryClass): [EntryClass, PaymentLine[]] => [
    entryClass,
    content.lines.filter((line) => classOf(line) === entryClass),
  ]);
  const batches = classes.filter(([, lines]) => lines.length > 0);
  const records = [
    fileHeader(content),
    ...batches.flatMap(([entryClass, lines], at) =>
      batchRecords(content, { entryClass, lines, number: at + 1 }),
    ),
  ];
  const blockCount = Math.ceil((records.length + 1) / BLOCK_RECORDS);
  records.push(fileControl(content.lines, { batchCount: batches.length, blockCount }));
  while (records.length < blockCount * BLOCK_RECORDS) records.push("9".repeat(RECORD_LENGTH));
  return `${records.join("\r\n")}\r\n`;
}

const RECORD_LENGTH = 94;
const BLOCK_RECORDS = 10;

function classOf({ details }: PaymentLine): EntryClass {
  return details["account_holder_type"] === "company" ? "CCD" : "PPD";
}

function fileHeader({ payer, reference, fileNumber, created_at, time_zone }: Content): string {
  return [
    "101",
    right(payer.routing_number, 10),
    right(payer.company_id, 10),
    dateOf(created_at, time_zone),
    timeOf(created_at, time_zone),
    // A letter or a digit.
    (fileNumber % 36).toString(36).toUpperCase(),
    "094101",
    left(payer.bank_name, 23),
    left(payer.name, 23),
    left(reference, 8),
  ].join("");
}

interface Batch {
  entryClass: EntryClass;
  lines: PaymentLine[];
  number: number;
}

function batchRecords(
  { payer, created_at, time_zone }: Content,
  { entryClass, lines, number }: Batch,
): string[] {
  const bank = (payer.routing_number ?? "").slice(0, 8);
  const [company, batchNumber] = [left(payer.company_id, 10), digits(number, 7)];
  const header = [
    "5220",
    left(payer.name, 16),
    " ".repeat(20),
    company,
    entryClass,
    left("PAYOUT", 10),
    dateOf(created_at, time_zone),
    effectiveDate(created_at, time_zone),
    "   1",
    bank,
    batchNumber,
  ].join("");
  const entries = lines.map((line, at) => entryRecord(line, `${bank}${digits(at + 1, 7)}`));
  const control = [
    "8220",
    digits(lines.length, 6),
    sums(lines),
    company,
    " ".repeat(25),
    bank,
    batchNumber,
  ].join("");
  return [header, ...entries, control];
}

function entryRecord({ amount, details, name, payment_id }: PaymentLine, trace: string): string {
  const { routing_aba_number: routing = "", account_number: number = "", account_type: type } = details;
  return [
    type === "savings" ? "632" : "622",
    compactNumber(routing),
    left(compactNumber(number), 17),
    digits(amount, 10),
    left(`P${payment_id}`, 15),
    left(latinNameOf({ name, details }), 22),
    "  0",
    trace,
  ].join("");
}

function fileControl(lines: PaymentLine[], counts: { batchCount: number; blockCount: number }): string {
  return [
    "9",
    digits(counts.batchCount, 6),
    digits(counts.blockCount, 6),
    digits(lines.length, 8),
    sums(lines),
    " ".repeat(39),
  ].join("");
}

/** The hash of the receiving banks, the debits, of which there are none, and the credits. */
function sums(lines: PaymentLine[]): string {
  const banks = lines.map(({ details }) =>
    Number(compactNumber(details["routing_aba_number"] ?? "").slice(0, 8)),
  );
  const hash = banks.reduce((sum, bank) => sum + bank, 0) % 10 ** 10;
  return digits(hash, 10) + digits(0, 12) + digits(total(lines), 12);
}

/** The sum of payments, in cents. */
function total(lines: PaymentLine[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

function dateOf(at: string, timeZone: string): string {
  return dayIn(timeZone, new Date(at)).slice(2).replaceAll("-", "");
}

function timeOf(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return format.format(new Date(at)).replace(":", "");
}

function effectiveDate(at: string, timeZone: string): string {
  return nextBankDay(dayIn(timeZone, new Date(at)))
    .slice(2)
    .replaceAll("-", "");
}

function left(value: string | null, length: number): string {
  return plain(value).slice(0, length).padEnd(length);
}

function right(value: string | null, length: number): string {
  return plain(value).slice(0, length).padStart(length);
}

/** Only capitals, digits and a few signs, so that a name can't break a record. */
function plain(value: string | null): string {
  return (latinOf(value ?? "") ?? "")
    .toUpperCase()
    .replace(/[^A-Z0-9 .,&'/()-]+/g, " ")
    .replace(/ +/g, " ")
    .trim();
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];

/** The holidays of the Federal Reserve that have a date, as month and day. */
const DATED = new Set(["01-01", "06-19", "07-04", "11-11", "12-25"]);

/** Those that are the nth weekday of a month, counted from its end if negative. */
const COUNTED: [month: number, weekday: number, nth: number][] = [
  [1, MONDAY, 3],
  [2, MONDAY, 3],
  [5, MONDAY, -1],
  [9, MONDAY, 1],
  [10, MONDAY, 2],
  [11, THURSDAY, 4],
];

/**
 * The first day after this one on which the Federal Reserve settles ACH payments.
 *
 * @param day such as `2026-07-03`
 * @see https://www.frbservices.org/about/holiday-schedules
 */
export function nextBankDay(day: string): string {
  let next = day;
  do next = addDays(next, 1);
  while (!isBankDay(next));
  return next;
}

/** A holiday on a Sunday moves to the Monday. On a Saturday, it does not move. */
function isBankDay(day: string): boolean {
  const weekday = weekdayOf(day);
  if (weekday === SUNDAY || weekday === SATURDAY || isHoliday(day)) return false;
  return weekday !== MONDAY || !isHoliday(addDays(day, -1));
}

function isHoliday(day: string): boolean {
  if (DATED.has(day.slice(5))) return true;
  const [month, date] = [Number(day.slice(5, 7)), Number(day.slice(8))];
  const isLast = addDays(day, 7).slice(5, 7) !== day.slice(5, 7);
  return COUNTED.some(
    ([ofMonth, weekday, nth]) =>
      month === ofMonth && weekdayOf(day) === weekday && (nth === -1 ? isLast : Math.ceil(date / 7) === nth),
  );
}

function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}
