import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import { isFrozen } from "../../../storage/freeze.ts";
import type { Store, Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
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

/** A company that runs an affiliate program. All other records belong to one. */
export interface Account {
  accountId: typeof SYSTEM;
  id: number;
  /** The id in the `Account-ID` header and the script's `cid`. Not a secret. */
  publicId: string;
  name: string;
  /** Whether the name is the one of the first start, which says nothing about the company. Absent: no. */
  hasFirstName?: boolean;
  /** How promoters see the company. Absent: by its name, in the product's own colour. */
  brand?: Brand;
  defaultCampaignId: number;
  /** Whether a browser's Global Privacy Control signal stops all tracking of its visitor. */
  honoursPrivacyControl: boolean;
  /** Absent: both. */
  signupSource?: SignupSource;
  /** Whether visits with a click id that ordinary posts have too count as visits from ads. Absent: no. */
  countsSocialClicksAsAds?: boolean;
  /** ISO 4217 code of `cash` amounts. */
  currency: string;
  /** Days from the end of a payout's period to its due date. */
  netPayoutDays: number;
  /** Cash payouts of a promoter below this amount, in cents, are not payable yet. */
  minPaymentCents: number;
  /** The maximum that providers pay by one call. Absent or 0: no limit. */
  maxRunCents?: number;
  /** The maximum that providers pay in 24 hours. Absent or 0: no limit. */
  maxDayCents?: number;
  /** Days for which providers pay nothing after a promoter has changed the payout method. Absent: 0. */
  methodRestDays?: number;
  /** Whether a second user must approve a batch before providers pay it. Absent: no. */
  requiresSecondPerson?: boolean;
  /** Promoters with fewer active customers are not paid yet. */
  minPayingCustomers: number;
  /** Whether promoters are paid only after they have chosen a payout method. */
  requiresPayoutMethod: boolean;
  /** The period of a payout, in the time zone of the account. */
  payoutCycle: PayoutCycle;
  /** Larger cash commissions wait for approval in every campaign. Null: no limit. */
  maxAutoApproveCents: number | null;
  /**
   * The part of a payment reported by a billing provider on which commissions are based. Absent: the payment,
   * less tax.
   */
  commissionBase?: CommissionBase;
  /** Whether promoters are paid only with approved invoice details. */
  requiresInvoiceDetails: boolean;
  /** The sender of its e-mails, such as `Acme <partners@acme.example>`. Null: the server's default sender. */
  mailSender: string | null;
  /** The language of invoices, and of e-mails to promoters who have none. Absent: English. */
  promoterLanguage?: Language;
  /**
   * The IANA name of the zone of payout periods, holds, due dates and days of reports. Absent: UTC.
   */
  timeZone?: string;
  /** The zones before it, in order, each with the instant at which its days end. Absent: none. */
  formerTimeZones?: { timeZone: string; until: string }[];
  /** Whether users must set up a second factor before anything else. Absent: no. */
  requiresSecondFactor?: boolean;
  /** The bank account from which files pay. Absent: not set. */
  bankAccount?: BankAccount;
  /** Absent: the default names. */
  tracker?: TrackerNames;
  /** The sites that may embed the portal in a frame, as origins. Absent: none. */
  portalOrigins?: string[];
  /** Absent: no invoices are written. */
  invoicing?: Invoicing;
  /** The key for hashes of network addresses. It never leaves the server. */
  addressKey: string;
  createdAt: string;
}

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
  senderName: string | null;
  /** The address that gets promoters' replies. Null: the sender's. */
  replyTo: string | null;
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
  postalCode: string | null;
  city: string | null;
  country: string | null;
  /** The ABA number of the bank in the United States that gets ACH files. */
  routingNumber: string | null;
  /** The name of that bank. */
  bankName: string | null;
  /** The id that this bank gave the company for ACH files: nine or ten characters. */
  companyId: string | null;
  /** The characters that the bank takes in ISO 20022 files. Null: the Latin ones that all banks in the EEA and Switzerland take. */
  characterSet: "utf-8" | null;
}

/** The part of a payment on which commissions are based: the payment, less some parts. */
export interface CommissionBase {
  isLessTax: boolean;
  isLessShipping: boolean;
  /** The rest is reduced by this percentage for fees, in ten-thousandths of a percent. */
  feeTenThousandths: number;
}

/** The company as the customer of the invoices that it writes in the name of promoters. */
export interface Invoicing {
  /** Whether a paid payout gets an invoice. */
  isOn: boolean;
  /** Whether a draft gets its number by itself once nothing is missing any more. */
  finalizesDrafts?: boolean;
  legalName: string;
  address: string;
  /** Two-letter code in capitals. */
  country: string;
  vatId: string | null;
  /** Its number at its own tax office. */
  taxNumber: string | null;
  /** The part of a number before the year: `AFF` in `AFF-2026-000001`. */
  prefix: string;
  /** The sum from which a year's payments to a promoter need a form 1099-NEC, in cents. */
  thresholdCents: number;
}

/** The names by which pages use the browser script. */
export interface TrackerNames {
  /** The global function. */
  global: string;
  /** A second name for it, whose property `data.tid` other programs' integrations read, or null. */
  dataGlobal: string | null;
  /** The prefix of cookie names. */
  cookie: string;
  /** A second file name for the script, with these settings. Null: only `svc.js`. */
  script: string | null;
  /** Whether the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  readsFragment: boolean;
}

export const accounts = table<Account>()({
  name: "account",
  columns: {
    id: "integer",
    public_id: "text",
    script: ["text", ({ tracker }) => tracker?.script],
    name: "text",
    currency: "text",
    created_at: "text",
  },
  unique: { publicId: ["public_id"], script: ["script"] },
  owner: (account) => account.id,
});

/** The oldest account of the store, made by the first start or by hand, or null. */
export async function findFirstAccount(store: Store): Promise<Account | null> {
  const [oldest] = await store.page(accounts, "id", SYSTEM, [], { limit: 1 });
  return oldest ?? null;
}

/** The account with this public id, or null. */
export function findAccount(store: Store, publicId: string): Promise<Account | null> {
  return store.find(accounts, "publicId", SYSTEM, [publicId]);
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
  const { hasFirstName, ...rest } = account;
  const isSame = changes.name === undefined || changes.name === account.name;
  const after: Account = { ...rest, ...(isSame && hasFirstName && { hasFirstName }), ...changes };
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
export const USUAL_BASE: CommissionBase = { isLessTax: true, isLessShipping: false, feeTenThousandths: 0 };

/** The part of a payment on which an account's commissions are based. */
export function commissionBase({ commissionBase: base }: Account): CommissionBase {
  return { ...USUAL_BASE, ...base };
}

/** Where an account's sign-ups come from. */
export function signupSource({ signupSource: source = "both" }: Account): SignupSource {
  return source;
}

const USUAL: TrackerNames = {
  global: "svc",
  dataGlobal: null,
  cookie: "_svc",
  script: null,
  readsFragment: false,
};

/** The names by which an account's pages use the browser script. */
export function trackerNames({ tracker }: Account): TrackerNames {
  return { ...USUAL, ...tracker };
}

/** The account whose script has this file name, or null. */
export function findAccountByScript(store: Store, file: string): Promise<Account | null> {
  return store.find(accounts, "script", SYSTEM, [file]);
}
