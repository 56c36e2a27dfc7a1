import { nextBankDay } from "../../server/domain/ledger/payments-batch/ach-file.ts";

/** An entry as a bank would book it. */
export interface AchEntry {
  entryClass: string;
  routing: string;
  account: string;
  cents: number;
  name: string;
}

/**
 * Reads an ACH file as strictly as a bank: every field by its position, and every count, sum and hash again. It shares no code
 * with the server, except the days of banks.
 *
 * @throws Error for the first fault
 */
export function readAch(file: string): AchEntry[] {
  if (!/^([\x20-\x7e]{94}\r\n)+$/.test(file)) throw new Error("not in records of 94 characters");
  const records = file.split("\r\n").slice(0, -1);
  if (records.length % 10 !== 0) throw new Error("not in blocks of ten");
  const end = records.findIndex((record) => /^9(?!9{93})/.test(record));
  if (records.slice(end + 1).some((record) => record !== "9".repeat(94))) throw new Error("wrong filling");
  if (records.length - end > 10) throw new Error("a block of filling alone");
  const header = fields(
    records[0]!,
    /^101( \d{9})([ \d]{10})(\d{6})(\d{4})([A-Z0-9])094101(.{23})(.{23})(.{8})$/,
  );
  if (!isChecked(header[0]!.trim())) throw new Error("wrong routing number of the bank");
  const body = records.slice(1, end);
  const entries: AchEntry[] = [];
  let [batchCount, hash, credits] = [0, 0, 0];
  while (body.length > 0) {
    batchCount += 1;
    const last = body.findIndex((record) => record.startsWith("8"));
    const batch = readBatch(body.splice(0, last + 1), batchCount, header[2]!);
    entries.push(...batch.entries);
    hash += batch.hash;
    credits += batch.credits;
  }
  const totals = [
    ["9", batchCount, 6],
    ["", records.length / 10, 6],
    ["", entries.length, 8],
    ["", hash % 1e10, 10],
    ["", 0, 12],
    ["", credits, 12],
  ].map(([start, value, length]) => `${start}${String(value).padStart(Number(length), "0")}`);
  if (records[end] !== totals.join("").padEnd(94)) throw new Error(`wrong totals: ${records[end]}`);
  return entries;
}

function readBatch(records: string[], number: number, fileDate: string) {
  const [start = "", control = ""] = [records.at(0), records.at(-1)];
  const header = /^5220(.{16}) {20}(.{10})(PPD|CCD)(.{10})(\d{6})(\d{6}) {3}1(\d{8})(\d{7})$/;
  const [, company, entryClass, purpose, , effective, bank, batchNumber] = fields(start, header);
  if (purpose!.trim() === "" || Number(batchNumber) !== number) throw new Error("wrong batch header");
  if (effective !== short(nextBankDay(`20${fileDate.replace(/(..)(..)(..)/, "$1-$2-$3")}`)))
    throw new Error(`${effective} is not the next day of banks`);
  let [hash, credits] = [0, 0];
  const entries = records.slice(1, -1).map((record, at): AchEntry => {
    const entry = /^6[23]2(\d{9})([A-Z0-9 ]{17})(\d{10})(.{15})(.{22}) {2}0(\d{8})(\d{7})$/;
    const [routing, account, amount, , name, origin, trace] = fields(record, entry);
    if (!isChecked(routing!)) throw new Error("wrong routing number of a receiver");
    if (origin !== bank || Number(trace) !== at + 1) throw new Error("wrong trace number");
    hash += Number(routing!.slice(0, 8));
    credits += Number(amount);
    return {
      entryClass: entryClass!,
      routing: routing!,
      account: account!.trim(),
      cents: Number(amount),
      name: name!.trim(),
    };
  });
  const sums = `${pad(entries.length, 6)}${pad(hash % 1e10, 10)}${pad(0, 12)}${pad(credits, 12)}`;
  if (control !== `8220${sums}${company}${" ".repeat(25)}${bank}${batchNumber}`)
    throw new Error(`wrong batch control: ${control}`);
  return { entries, hash, credits };
}

function fields(record: string, form: RegExp): string[] {
  const found = form.exec(record);
  if (found === null) throw new Error(`wrong record: ${record}`);
  return found.slice(1);
}

/** The weights of the digits are 3, 7 and 1. */
function isChecked(routing: string): boolean {
  const sum = [...routing].reduce((total, digit, at) => total + Number(digit) * [3, 7, 1][at % 3]!, 0);
  return /^\d{9}$/.test(routing) && sum % 10 === 0;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

function short(day: string): string {
  return day.slice(2).replaceAll("-", "");
}
