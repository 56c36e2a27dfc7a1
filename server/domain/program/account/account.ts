import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import { isFrozen } from "../../../storage/freeze.ts";
import type { Store, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { SYSTEM } from "../../context.ts";

export const PAYOUT_CYCLES = ["monthly", "biweekly", "weekly"] as const;

/** A calendar month, fourteen days, or a week that begins on Monday. */
export type PayoutCycle = (typeof PAYOUT_CYCLES)[number];

export const SIGNUP_SOURCES = ["both", "server", "browser"] as const;

/**
 * Where an account's sign-ups come from.
 *
 * @see docs/spec/tracking.md "Whose word counts"
 */
export type SignupSource = (typeof SIGNUP_SOURCES)[number];

const fields = {
  id: integer(),
  /** The id in the `Account-ID` header and the script's `cid`. Not a secret. */
  public_id: text(),
  name: text(),
  /** Whether the name is the one of the first start, which says nothing about the company. Absent: no. */
  has_first_name: flag().optional(),
  /** How promoters see the company. Absent: by its name, in the product's own colour. */
  brand: json<Brand>().optional(),
  default_campaign_id: integer(),
  /** Whether a browser's Global Privacy Control signal stops all tracking of its visitor. */
  honours_privacy_control: flag(),
  /** Absent: both. */
  signup_source: text<SignupSource>().optional(),
  /** Whether visits with a click id that ordinary posts have too count as visits from ads. Absent: no. */
  counts_social_clicks_as_ads: flag().optional(),
  /** ISO 4217 code of `cash` amounts. */
  currency: text(),
  /** Days from the end of a payout's period to its due date. */
  net_payout_days: integer(),
  /** Cash payouts of a promoter below this amount, in cents, are not payable yet. */
  min_payment_cents: integer(),
  /** The maximum that providers pay by one call. Absent or 0: no limit. */
  max_run_cents: integer().optional(),
  /** The maximum that providers pay in 24 hours. Absent or 0: no limit. */
  max_day_cents: integer().optional(),
  /** Days for which providers pay nothing after a promoter has changed the payout method. Absent: 0. */
  method_rest_days: integer().optional(),
  /** Whether a second user must approve a batch before providers pay it. Absent: no. */
  requires_second_person: flag().optional(),
  /** Promoters with fewer active customers are not paid yet. */
  min_paying_customers: integer(),
  /** Whether promoters are paid only after they have chosen a payout method. */
  requires_payout_method: flag(),
  /** The period of a payout, in the time zone of the account. */
  payout_cycle: text<PayoutCycle>(),
  /** Larger cash commissions wait for approval in every campaign. Null: no limit. */
  max_auto_approve_cents: integer().nullable(),
  /**
   * The part of a payment reported by a billing provider on which commissions are based. Absent: the payment,
   * less tax.
   */
  commission_base: json<CommissionBase>().optional(),
  /** Whether promoters are paid only with approved invoice details. */
  requires_invoice_details: flag(),
  /** The sender of its e-mails, such as `Acme <partners@acme.example>`. Null: the server's default sender. */
  mail_sender: text().nullable(),
  /** The language of invoices, and of e-mails to promoters who have none. Absent: English. */
  promoter_language: text<Language>().optional(),
  /**
   * The IANA name of the zone of payout periods, holds, due dates and days of reports. Absent: UTC.
   */
  time_zone: text().optional(),
  /** The zones before it, in order, each with the instant at which its days end. Absent: none. */
  former_time_zones: json<{ time_zone: string; until: string }[]>().optional(),
  /** Whether users must set up a second factor before anything else. Absent: no. */
  requires_second_factor: flag().optional(),
  /** The bank account from which files pay. Absent: not set. */
  bank_account: json<BankAccount>().optional().secret(),
  /** Absent: the default names. */
  tracker: json<TrackerNames>().optional(),
  /** The sites that may embed the portal in a frame, as origins. Absent: none. */
  portal_origins: json<string[]>().optional(),
  /** Absent: no invoices are written. */
  invoicing: json<Invoicing>().optional(),
  /** The key for hashes of network addresses. It never leaves the server. */
  address_key: text().secret(),
  created_at: time(),
};

/** A company that runs an affiliate program. All other records belong to one. */
export type Account = RowOf<typeof fields>;

/** How promoters see the company: on the portal, on sign-up pages and in e-mails. Null fields are not set. */
export interface Brand {
  /** The name that promoters see. Null: the account's name. */
  name: string | null;
  /** `#rrggbb`, for buttons, links and marks. */
  color: string | null;
  /** The image instead of the name. */
  logo: UploadedFile | null;
  /** The icon of the pages in the browser. */
  favicon: UploadedFile | null;
  /** The name in the From header of e-mails to promoters. Null: the brand's name. */
  sender_name: string | null;
  /** The address that gets promoters' replies. Null: the sender's. */
  reply_to: string | null;
}

/** An uploaded file. */
export interface UploadedFile {
  /** Its name in the place for uploads, such as `q3kPz0Yc.png`. A changed file gets another name. */
  name: string;
  format: string;
  bytes: number;
  /** The size of an image, in pixels, or null for other files. */
  image: { width: number; height: number } | null;
}

/** The company's own bank account, from which the payments in files come. Null fields are not set. */
export interface BankAccount {
  /** The name of its holder. Null: the account's name. */
  name: string | null;
  iban: string | null;
  /** Null: the bank finds it by the IBAN. */
  bic: string | null;
  street: string | null;
  postal_code: string | null;
  city: string | null;
  country: string | null;
  /** The ABA number of the bank in the United States that gets ACH files. */
  routing_number: string | null;
  /** The name of that bank. */
  bank_name: string | null;
  /** The id that this bank gave the company for ACH files: nine or ten characters. */
  company_id: string | null;
  /** The characters that the bank takes in ISO 20022 files. Null: the Latin ones that all banks in the EEA and Switzerland take. */
  character_set: "utf-8" | null;
}

/** The part of a payment on which commissions are based: the payment, less some parts. */
export interface CommissionBase {
  is_less_tax: boolean;
  is_less_shipping: boolean;
  /** The rest is reduced by this percentage for fees, in ten-thousandths of a percent. */
  fee_ten_thousandths: number;
}

/** The company as the customer of the invoices that it writes in the name of promoters. */
export interface Invoicing {
  /** Whether a paid payout gets an invoice. */
  is_on: boolean;
  /** Whether a draft gets its number by itself once nothing is missing any more. */
  finalizes_drafts?: boolean;
  legal_name: string;
  address: string;
  /** Two-letter code in capitals. */
  country: string;
  vat_id: string | null;
  /** Its number at its own tax office. */
  tax_number: string | null;
  /** The part of a number before the year: `AFF` in `AFF-2026-000001`. */
  prefix: string;
  /** The sum from which a year's payments to a promoter need a form 1099-NEC, in cents. */
  threshold_cents: number;
}

/** The names by which pages use the browser script. */
export interface TrackerNames {
  /** The global function. */
  global: string;
  /** A second name for it, whose property `data.tid` other programs' integrations read, or null. */
  data_global: string | null;
  /** The prefix of cookie names. */
  cookie: string;
  /** A second file name for the script, with these settings. Null: only `svc.js`. */
  script: string | null;
  /** Whether the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  reads_fragment: boolean;
}

export const accounts = table("account", fields, {
  derived: {
    script: ["text", ({ tracker }) => tracker?.script],
  },
  unique: { public_id: ["public_id"], script: ["script"] },
  owner: (account) => account.id,
});

/** The oldest account of the store, made by the first start or by hand, or null. */
export async function findFirstAccount(store: Store): Promise<Account | null> {
  const [oldest] = await store.page(accounts, "id", SYSTEM, [], { limit: 1 });
  return oldest ?? null;
}

/** The account with this public id, or null. */
export function findAccount(store: Store, publicId: string): Promise<Account | null> {
  return store.find(accounts, "public_id", SYSTEM, [publicId]);
}

/** Every account, oldest first. */
export function listAccounts(store: Store): Promise<Account[]> {
  return store.list(accounts, "id", SYSTEM, []);
}

/** @throws Failure `not_found` */
export async function loadAccount(store: Store, publicId: string): Promise<Account> {
  const account = await findAccount(store, publicId);
  if (account === null) throw new Failure("not_found", `Account ${publicId} was not found`);
  return account;
}

/** Changes an account as part of a larger change. @throws Failure `not_found` */
export async function changeAccount(
  tx: Transaction,
  id: number,
  changes: Partial<Account>,
): Promise<Account> {
  const account = await tx.get(accounts, SYSTEM, id);
  if (account === null) throw new Failure("not_found", "Account not found.");
  const { has_first_name, ...rest } = account;
  const isSame = changes.name === undefined || changes.name === account.name;
  const after: Account = { ...rest, ...(isSame && has_first_name && { has_first_name }), ...changes };
  await tx.put(accounts, after, {
    script: () => new Failure("taken", `${after.tracker?.script} belongs to another account`),
  });
  return after;
}

/** The accounts that jobs work for, oldest first: all that are not frozen. */
export async function* servedAccounts(store: Store): AsyncGenerator<Account> {
  for await (const chunk of store.scan(accounts, "id", SYSTEM, [])) {
    for (const account of chunk) if (!(await isFrozen(store, account.id))) yield account;
  }
}

/** Revenue is what a company keeps, so it excludes tax. */
export const USUAL_BASE: CommissionBase = {
  is_less_tax: true,
  is_less_shipping: false,
  fee_ten_thousandths: 0,
};

/** The part of a payment on which an account's commissions are based. */
export function commissionBase({ commission_base: base }: Account): CommissionBase {
  return { ...USUAL_BASE, ...base };
}

/** Where an account's sign-ups come from. */
export function signupSource({ signup_source: source = "both" }: Account): SignupSource {
  return source;
}

const USUAL: TrackerNames = {
  global: "svc",
  data_global: null,
  cookie: "_svc",
  script: null,
  reads_fragment: false,
};

/** The names by which an account's pages use the browser script. */
export function trackerNames({ tracker }: Account): TrackerNames {
  return { ...USUAL, ...tracker };
}

/** The account whose script has this file name, or null. */
export function findAccountByScript(store: Store, file: string): Promise<Account | null> {
  return store.find(accounts, "script", SYSTEM, [file]);
}
