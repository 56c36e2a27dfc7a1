import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { isCurrency } from "../../money.ts";
import {
  accounts,
  changeAccount,
  commissionBase,
  trackerNames,
  type Account,
  type CommissionBase,
  type SignupSource,
  type TrackerNames,
  type BankAccount,
} from "./account.ts";
import { withTimeZone } from "./time-zone.ts";
import { compactNumber, isBic, isIban, isRoutingNumber } from "../../bank-numbers.ts";

/** Changes to an account. Undefined fields stay unchanged. */
export interface AccountChanges {
  name?: string | undefined;
  currency?: CurrencyChange | undefined;
  time_zone?: TimeZoneChange | undefined;
  honours_privacy_control?: boolean | undefined;
  signup_source?: SignupSource | undefined;
  counts_social_clicks_as_ads?: boolean | undefined;
  requires_second_factor?: boolean | undefined;
  mail_sender?: string | null | undefined;
  promoter_language?: Language | undefined;
  max_auto_approve_cents?: number | null | undefined;
  /** The sites that may embed the portal in a frame. */
  portal_origins?: string[] | undefined;
  payout: PayoutSettingsChanges;
  base?: BaseChanges | undefined;
  tracker?: TrackerChanges | undefined;
}

/** A new time zone. Days that have been counted stay. */
interface TimeZoneChange {
  name: string;
  /** Whether anything of the account is counted by days. */
  hasDays: (view: View, accountId: number) => Promise<boolean>;
}

/** A new currency for `cash` amounts. */
interface CurrencyChange {
  code: string;
  /** Whether the account has amounts. */
  hasMoney: (tx: Transaction, accountId: number) => Promise<boolean>;
}

/** Changes to the settings. Undefined fields stay unchanged. */
type PayoutSettingsChanges = { [K in keyof PayoutSettings]?: PayoutSettings[K] | undefined };

/** Changes to the base. Undefined fields stay unchanged. */
type BaseChanges = { [K in keyof CommissionBase]?: CommissionBase[K] | undefined };

/** Changes to the names. Undefined fields stay unchanged. */
type TrackerChanges = { [K in keyof TrackerNames]?: TrackerNames[K] | undefined };

/**
 * Changes an account's settings, all or none.
 *
 * @throws Failure `not_found`, `invalid`, `taken` if another account has the script's name, `refused` for the
 * currency
 */
export async function updateAccount(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  { payout, tracker, currency, base, time_zone, ...given }: AccountChanges,
): Promise<Account> {
  const settings = checkedPayoutSettings(payout);
  const before = await tx.get(accounts, SYSTEM, accountId);
  if (before === null) throw new Failure("not_found", "Account not found.");
  const plain = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return changeAccount(tx, accountId, {
    ...(plain as Partial<Account>),
    ...settings,
    ...(currency !== undefined && { currency: await checkedCurrency(tx, before, currency) }),
    ...(base !== undefined && { commission_base: changedBase(before, base) }),
    ...(time_zone !== undefined && (await changedZone(tx, before, { ...time_zone, now }))),
    ...(tracker !== undefined && { tracker: checkedTracker(before, tracker) }),
  });
}

/** An account of which nothing is counted yet has no days that must stay. */
async function changedZone(
  tx: Transaction,
  before: Account,
  { name, hasDays, now }: TimeZoneChange & { now: Date },
): Promise<Partial<Account>> {
  return (await hasDays(tx.view, before.id)) ? withTimeZone(before, name, now) : { time_zone: name };
}

/**
 * Sets the sender of an account's e-mails, or the server's default sender with null.
 *
 * @throws Failure `not_found`, or `invalid` if the text contains no e-mail address
 */
export async function setMailSender(
  { store }: Context,
  accountId: number,
  sender: string | null,
): Promise<Account> {
  if (sender !== null && !isMailSender(sender)) {
    throw new Failure("invalid", `${sender} is not an e-mail address`);
  }
  return store.transact((tx) => changeAccount(tx, accountId, { mail_sender: sender }));
}

/** Whether a text is a valid sender: `partners@acme.example`, or `Acme <partners@acme.example>`. */
export function isMailSender(sender: string): boolean {
  return /^[^\r\n<>]*<?[^\s<>@]+@[^\s<>@]+>?$/.test(sender);
}

/**
 * Sets the largest cash commission that is approved automatically, in cents, or null for no limit.
 *
 * @throws Failure `not_found`
 */
export function setMaxAutoApprove(
  { store }: Context,
  accountId: number,
  maxAutoApproveCents: number | null,
): Promise<Account> {
  return store.transact((tx) =>
    changeAccount(tx, accountId, { max_auto_approve_cents: maxAutoApproveCents }),
  );
}

/**
 * Renames an account. Its e-mails show the name.
 * @throws Failure `not_found`, or `invalid` for a blank name
 */
export async function renameAccount({ store }: Context, accountId: number, name: string): Promise<Account> {
  const given = name.trim();
  if (given === "") throw new Failure("invalid", "The name must not be blank");
  return store.transact((tx) => changeAccount(tx, accountId, { name: given }));
}

/** When an account pays, and which promoters. */
export type PayoutSettings = Pick<
  Account,
  | "payout_cycle"
  | "net_payout_days"
  | "min_payment_cents"
  | "max_run_cents"
  | "max_day_cents"
  | "method_rest_days"
  | "requires_second_person"
  | "min_paying_customers"
  | "requires_payout_method"
  | "requires_invoice_details"
>;

/** The maximum of each number. Larger ones are typing errors. */
export const MOST_PAYOUT_SETTINGS = {
  net_payout_days: 365,
  min_payment_cents: 1e12,
  min_paying_customers: 1e6,
  max_run_cents: 1e12,
  max_day_cents: 1e12,
  method_rest_days: 90,
} as const;

/**
 * Changes when an account pays, and which promoters. Existing payouts stay unchanged.
 *
 * @throws Failure `not_found`, or `invalid` for a number out of its range
 */
export function setPayoutSettings(
  { store }: Context,
  accountId: number,
  given: PayoutSettingsChanges,
): Promise<Account> {
  const changes = checkedPayoutSettings(given);
  return store.transact((tx) => changeAccount(tx, accountId, changes));
}

/**
 * Changes the base of an account's later commissions. Earlier sales keep their own terms.
 *
 * @throws Failure `not_found`
 */
export function changeCommissionBase(
  { store }: Pick<Context, "store">,
  accountId: number,
  changes: BaseChanges,
): Promise<Account> {
  return store.transact(async (tx) => {
    const before = await tx.get(accounts, SYSTEM, accountId);
    if (before === null) throw new Failure("not_found", "Account not found.");
    return changeAccount(tx, accountId, { commission_base: changedBase(before, changes) });
  });
}

/**
 * Changes the names by which an account's pages use the browser script, for example to those of another
 * program, so that its snippets and its visitors' cookies keep working. Undefined names stay unchanged.
 *
 * @throws Failure `not_found`, `invalid`, or `taken` if the file belongs to another account
 */
export async function nameTracker(
  { store }: Context,
  account: Account,
  changes: TrackerChanges,
): Promise<Account> {
  const tracker = checkedTracker(account, changes);
  return store.transact((tx) => changeAccount(tx, account.id, { tracker }));
}

/**
 * Changes the currency of an account's `cash` amounts. Existing amounts are never converted, so it is refused
 * once there are any.
 *
 * @throws Failure `not_found`, `invalid` for an unknown currency, `refused` once there is a sale, a
 * commission or a payout
 */
export function setCurrency({ store }: Context, account: Account, change: CurrencyChange): Promise<Account> {
  return store.transact(async (tx) => {
    const currency = await checkedCurrency(tx, account, change);
    return changeAccount(tx, account.id, { currency });
  });
}

/**
 * The given changes.
 *
 * @throws Failure `invalid` for a number out of its range
 */
function checkedPayoutSettings(given: PayoutSettingsChanges): Partial<PayoutSettings> {
  const changes: Partial<PayoutSettings> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const fields: FieldErrors = {};
  for (const [name, most] of Object.entries(MOST_PAYOUT_SETTINGS)) {
    const value = changes[name as keyof typeof MOST_PAYOUT_SETTINGS];
    const isFine = value === undefined || (Number.isInteger(value) && value >= 0 && value <= most);
    if (!isFine) fields[name] = [`must be a whole number from 0 to ${most}`];
  }
  const [fault] = Object.entries(fields);
  if (fault) throw new Failure("invalid", fault.flat().join(" "), fields);
  return changes;
}

/**
 * The code of an acceptable currency.
 *
 * @throws Failure `invalid` or `refused`
 */
async function checkedCurrency(
  tx: Transaction,
  account: Account,
  { code, hasMoney }: CurrencyChange,
): Promise<string> {
  const currency = code.trim().toUpperCase();
  if (!isCurrency(currency)) throw new Failure("invalid", `${code} is not an ISO 4217 currency`);
  // Otherwise the first sale could be recorded right after the check.
  await tx.lock(accounts, SYSTEM, account.id);
  if (currency === account.currency || !(await hasMoney(tx, account.id))) return currency;
  const fault = `stays ${account.currency}, because there are amounts in it already`;
  throw new Failure("refused", `The currency ${fault}`, { currency: [fault] });
}

/** The base with the changes. */
function changedBase(account: Account, changes: BaseChanges): CommissionBase {
  const before = commissionBase(account);
  return {
    is_less_tax: changes.is_less_tax ?? before.is_less_tax,
    is_less_shipping: changes.is_less_shipping ?? before.is_less_shipping,
    fee_ten_thousandths: changes.fee_ten_thousandths ?? before.fee_ten_thousandths,
  };
}

/** All names with the changes. @throws Failure `invalid` */
function checkedTracker(account: Account, changes: TrackerChanges): TrackerNames {
  const before = trackerNames(account);
  const tracker: TrackerNames = {
    global: changes.global ?? before.global,
    data_global: changes.data_global === undefined ? before.data_global : changes.data_global,
    cookie: changes.cookie ?? before.cookie,
    script: changes.script === undefined ? before.script : changes.script,
    reads_fragment: changes.reads_fragment ?? before.reads_fragment,
  };
  const fields = faultsOf(tracker);
  const [fault] = Object.entries(fields);
  if (fault) throw new Failure("invalid", fault.flat().join(" "), fields);
  return tracker;
}

const VARIABLE = /^[a-z_$][\w$]{0,99}$/i;
/** File names that the server itself uses. */
const TAKEN_FILES = new Set(["svc.js", "svc-more.js", "docs.js", "demo.js"]);

function faultsOf({ global, data_global, cookie, script }: TrackerNames): FieldErrors {
  const fields: FieldErrors = {};
  if (!VARIABLE.test(global)) fields["global"] = ["is not a valid variable name"];
  if (data_global !== null && !VARIABLE.test(data_global))
    fields["data-global"] = ["is not a valid variable name"];
  if (!/^[\w-]{1,100}$/.test(cookie)) fields["cookie"] = ["may have letters, digits, dashes and underscores"];
  if (script === null) return fields;
  if (!/^[\w-]{1,100}\.js$/.test(script) || TAKEN_FILES.has(script))
    fields["script"] = ["is not a free file name"];
  return fields;
}

const NOT_SET: BankAccount = {
  name: null,
  iban: null,
  bic: null,
  street: null,
  postal_code: null,
  city: null,
  country: null,
  routing_number: null,
  bank_name: null,
  company_id: null,
  character_set: null,
};

/** The bank account of a company, as far as it is set. */
export function bankAccountOf({ bank_account }: Pick<Account, "bank_account">): BankAccount {
  return { ...NOT_SET, ...bank_account };
}

/** Changes to a bank account. Undefined fields stay unchanged. */
export type BankAccountChanges = { [K in keyof BankAccount]?: BankAccount[K] | undefined };

/**
 * Changes the bank account from which files pay. Files that were made stay as they are.
 *
 * @throws Failure `not_found`, `invalid` for a number with wrong check digits
 */
export async function changeBankAccount(
  tx: Transaction,
  accountId: number,
  changes: BankAccountChanges,
): Promise<Account> {
  const before = await tx.get(accounts, SYSTEM, accountId);
  if (before === null) throw new Failure("not_found", "Account not found.");
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const bankAccount: BankAccount = { ...bankAccountOf(before), ...Object.fromEntries(given) };
  const faults = bankFaultsOf(bankAccount);
  const words = Object.entries(faults).map(([name, fault]) => `${name} ${fault.join()}`);
  if (words.length > 0) throw new Failure("invalid", `Validation failed: ${words.join(", ")}`, faults);
  return changeAccount(tx, accountId, { bank_account: compacted(bankAccount) });
}

function bankFaultsOf({ iban, bic, country, routing_number, company_id }: BankAccount): FieldErrors {
  const faults: FieldErrors = {};
  if (iban !== null && !isIban(iban)) faults["iban"] = ["is not a valid IBAN"];
  if (bic !== null && !isBic(bic)) faults["bic"] = ["is not a valid BIC"];
  if (country !== null && !/^[A-Z]{2}$/i.test(country))
    faults["country"] = ["must be the two letters of a country"];
  if (routing_number !== null && !isRoutingNumber(routing_number))
    faults["routing_number"] = ["is not a valid routing number"];
  if (company_id !== null && !/^[A-Z0-9]{9,10}$/.test(compactNumber(company_id)))
    faults["company_id"] = ["must have 9 or 10 letters and digits"];
  return faults;
}

function compacted(bank: BankAccount): BankAccount {
  const compact = (value: string | null) => value && compactNumber(value);
  return {
    ...bank,
    iban: compact(bank.iban),
    bic: compact(bank.bic),
    country: compact(bank.country),
    routing_number: compact(bank.routing_number),
    company_id: compact(bank.company_id),
  };
}
