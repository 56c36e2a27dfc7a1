import type { JobContext, LeasedContext } from "../context.ts";
import type { Language } from "../../languages/languages.ts";
import type { FieldErrors } from "../../failure.ts";
import { servedAccounts } from "../program/account/account.ts";
import { promoters, type Promoter, type VatCheck } from "./promoter/promoter.ts";
import { DAY_MS } from "../span.ts";

/** The forms of VAT numbers, without the country, by the country of the European Union. */
const FORMS: Record<string, RegExp> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  GR: /^\d{9}$/,
  ES: /^([A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z\d]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d{7}[A-Z]{1,2}|\d[A-Z+*]\d{5}[A-Z])$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
};

const NAMES = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** Whether a country belongs to the European Union. */
export function isInUnion(country: string): boolean {
  return Object.hasOwn(FORMS, country);
}

/** The name of a country by its two-letter code, in English or another language, or null for an unknown one. */
export function countryName(code: string, language: Language = "en"): string | null {
  const names =
    language === "en" ? NAMES : new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? null) : null;
}

/** What is wrong with a country's code, or null. */
export function countryFault(code: string): string | null {
  return countryName(code) === null ? "must be the two-letter code of a country, such as DE" : null;
}

/**
 * What is wrong with the form of a VAT number, or null. Blanks, dots and dashes don't count. Numbers of countries
 * outside of the European Union have no known form.
 */
export function vatFault(country: string, vatId: string): string | null {
  const form = isInUnion(country) ? FORMS[country] : undefined;
  if (form === undefined) return null;
  const prefix = prefixOf(country);
  const plain = plainNumber(vatId);
  const isFine = plain.startsWith(prefix) && form.test(plain.slice(prefix.length));
  return isFine ? null : `is not a VAT number of ${countryName(country)}, which begins with ${prefix}`;
}

/** A VAT number as VIES knows it. */
interface ViesNumber {
  /** The country's prefix of VAT numbers: `EL` for Greece, `XI` for Northern Ireland. */
  countryCode: string;
  vatNumber: string;
}

/** The forms of Northern Ireland's numbers. VIES knows no others of the United Kingdom. */
const NORTHERN_IRELAND = /^(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/;

/** The number to ask VIES about, or null if there is none, its form is wrong, or VIES does not know its country. */
function viesNumber({ country = null, vat_id = null }: Checked): ViesNumber | null {
  if (country === null || vat_id === null || vatFault(country, vat_id) !== null) return null;
  const countryCode = country === "GB" ? "XI" : prefixOf(country);
  const plain = plainNumber(vat_id);
  const vatNumber = plain.slice(countryCode.length);
  if (isInUnion(country)) return { countryCode, vatNumber };
  const isNorthern = country === "GB" && plain.startsWith("XI") && NORTHERN_IRELAND.test(vatNumber);
  return isNorthern ? { countryCode, vatNumber } : null;
}

function prefixOf(country: string): string {
  return country === "GR" ? "EL" : country;
}

function plainNumber(vatId: string): string {
  return vatId.toUpperCase().replace(/[\s.-]/g, "");
}

/** The fields of a profile that have a form. */
interface Checked {
  country?: string | null;
  vat_id?: string | null;
}

/** What is wrong with a promoter's invoice details, by field. */
export function invoiceDetailFaults({ country = null, vat_id = null }: Checked): FieldErrors {
  const faults: FieldErrors = {};
  const wrongCountry = country === null ? null : countryFault(country);
  if (wrongCountry !== null) faults["country"] = [wrongCountry];
  const wrongNumber = country === null || vat_id === null ? null : vatFault(country, vat_id);
  if (wrongNumber !== null) faults["vat_id"] = [wrongNumber];
  return faults;
}

/** The parties of an invoice, as far as its tax depends on them. */
interface Party {
  country: string | null;
  vat_id: string | null;
}

/**
 * Whether the company owes the tax instead of the promoter: both have VAT numbers, in different countries of the
 * European Union.
 *
 * @see Directive 2006/112/EC, articles 196 and 226 (11a)
 */
export function isReverseCharge(supplier: Party, customer: Party, taxRateHundredths: number): boolean {
  const { country } = supplier;
  if (taxRateHundredths !== 0 || country === null || customer.country === null) return false;
  const isAbroad = country !== customer.country && isInUnion(country) && isInUnion(customer.country);
  return isAbroad && Boolean(supplier.vat_id) && Boolean(customer.vat_id);
}

/** Whether VIES knows a number. `unknown`: not now. `unreachable`: VIES has not answered at all. It never throws. */
export type AskVies = (number: ViesNumber) => Promise<"valid" | "invalid" | "unknown" | "unreachable">;

/** What a check needs. One that no job makes has no guard. */
interface CheckRun extends JobContext, Partial<Pick<LeasedContext, "guard">> {
  vies: AskVies;
}

const HOUR_MS = 60 * 60 * 1_000;
/** A company that has registered only now appears in VIES some days later. */
const INVALID_REST_MS = 7 * DAY_MS;
/** VIES serves the whole Union, and refuses those who ask too much. */
const MOST_A_ROUND = 50;

/** The check of a promoter's present number, or null. */
export function vatCheckOf({ profile, vat_check }: Promoter): VatCheck | null {
  const number = viesNumber(profile);
  return vat_check === undefined || number === null || vat_check.number !== nameOf(number) ? null : vat_check;
}

/** A promoter without the check of a number that they no longer have. */
export function withoutFormerCheck(promoter: Promoter): Promoter {
  const { vat_check: _former, ...rest } = promoter;
  return vatCheckOf(promoter) === null ? rest : promoter;
}

/**
 * Asks VIES about a promoter's VAT number if it is due, and keeps the result and its date. An answer about a number that has
 * changed meanwhile is dropped.
 *
 * @returns the answer, or null if nothing was due
 * @see docs/spec/money.md "Invoices", 8
 */
export async function checkVatNumber(
  { store, clock, vies, guard }: CheckRun,
  accountId: number,
  id: number,
): Promise<Awaited<ReturnType<AskVies>> | null> {
  const found = await store.get(promoters, accountId, id);
  const number = found && dueVatNumber(found, clock());
  if (number === null) return null;
  const answer = await vies(number);
  await store.transact(async (tx) => {
    await guard?.(tx);
    const promoter = await tx.get(promoters, accountId, id);
    const now = clock();
    const due = promoter && dueVatNumber(promoter, now);
    if (promoter === null || due === null || nameOf(due) !== nameOf(number)) return;
    await tx.put(promoters, { ...promoter, vat_check: nextCheck(promoter, { number, answer, now }) });
  });
  return answer;
}

/** Asks VIES about numbers that it has not answered about, or did not know a week ago. */
export async function* checkDueVatNumbers(run: CheckRun): AsyncGenerator<void> {
  const { store, clock } = run;
  let askedCount = 0;
  for await (const account of servedAccounts(store)) {
    for await (const chunk of store.scan(promoters, "archived", account.id, [0])) {
      for (const { id } of chunk.filter((promoter) => dueVatNumber(promoter, clock()) !== null)) {
        const answer = await checkVatNumber(run, account.id, id);
        askedCount += 1;
        // Otherwise other jobs would wait for the time limit again and again.
        if (answer === "unreachable" || askedCount === MOST_A_ROUND) return;
        yield;
      }
      yield;
    }
  }
}

/** The number that VIES should be asked about now, or null. */
export function dueVatNumber(promoter: Promoter, now: Date): ViesNumber | null {
  const check = vatCheckOf(promoter);
  const isDue = check === null || (check.ask_at !== null && Date.parse(check.ask_at) <= now.getTime());
  return isDue ? viesNumber(promoter.profile) : null;
}

function nextCheck(
  promoter: Promoter,
  { number, answer, now }: { number: ViesNumber; answer: Awaited<ReturnType<AskVies>>; now: Date },
): VatCheck {
  const at = (restMs: number) => new Date(now.getTime() + restMs).toISOString();
  const answered = { number: nameOf(number), checked_at: now.toISOString(), failure_count: 0 };
  if (answer === "valid") return { ...answered, status: answer, ask_at: null };
  if (answer === "invalid") return { ...answered, status: answer, ask_at: at(INVALID_REST_MS) };
  const { status = "unknown", checked_at = null, failure_count = 0 } = vatCheckOf(promoter) ?? {};
  const restMs = Math.min(HOUR_MS * 2 ** failure_count, DAY_MS);
  return { number: nameOf(number), status, checked_at, ask_at: at(restMs), failure_count: failure_count + 1 };
}

function nameOf({ countryCode, vatNumber }: ViesNumber): string {
  return countryCode + vatNumber;
}
