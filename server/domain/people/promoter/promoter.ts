import { Failure, type FieldErrors } from "../../../failure.ts";
import { digest, indexed, orderedJson } from "../../../storage/digests.ts";
import { type Reader, type Transaction, findTaken } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Account } from "../../program/account/account.ts";
import type { FraudSuspicion } from "../lead/lead.ts";

/** Promoters' data about themselves. Null fields are not given. */
export interface PromoterProfile {
  first_name: string | null;
  last_name: string | null;
  website: string | null;
  company_name: string | null;
  phone_number: string | null;
  address: string | null;
  vat_id: string | null;
  country: string | null;
  wallet_email: string | null;
  avatar_url: string | null;
  description: string | null;
  company_number: string | null;
  twitter_url: string | null;
  youtube_url: string | null;
  facebook_url: string | null;
  linkedin_url: string | null;
  instagram_url: string | null;
  twitch_url: string | null;
  tiktok_url: string | null;
}

export const EMAIL_TOPICS = ["drip", "new_commission", "new_referral", "payout", "marketing"] as const;

/**
 * The topics of e-mails to promoters. `drip`: the company's own e-mails that follow a trigger later. `marketing`: those to
 * many at once.
 */
export type EmailTopic = (typeof EMAIL_TOPICS)[number];

export const INVOICE_DETAILS_STATUSES = ["pending", "approved", "denied"] as const;

export type InvoiceDetailsStatus = (typeof INVOICE_DETAILS_STATUSES)[number];

export const VAT_STATUSES = ["valid", "invalid", "unknown"] as const;

/** What VIES, the register of VAT numbers of the European Union, has said about a promoter's VAT number. */
export interface VatCheck {
  /** The number it is about, with its country: `DE123456789`. A check of a former number counts as none. */
  number: string;
  /** `unknown`: VIES has not answered yet. */
  status: (typeof VAT_STATUSES)[number];
  /** When VIES answered, or null. */
  checked_at: string | null;
  /** When it is asked again, or null for never. */
  ask_at: string | null;
  /** How often it was asked in vain since its last answer. */
  failure_count: number;
}

const promoterFields = {
  id: integer(),
  email: text().personal(),
  /** The client's own user id of the promoter. */
  cust_id: text().nullable().personal(),
  note: text().nullable().personal(),
  /** The hash of the password that was set, or shown, when the promoter was made, or null. */
  temp_password_hash: text().nullable().personal().secret(),
  /** The hash of the promoter's chosen password. Absent: they have chosen none. */
  password_hash: text().optional().personal().secret(),
  /** How often they have signed in. Sign-in links contain it, so that each works once. Absent: never. */
  sign_in_count: integer().optional(),
  /**
   * How often they were signed out everywhere. Sessions and links from before it open nothing. Absent: never.
   */
  sign_out_count: integer().optional(),
  /** Whether they applied by themselves and have not confirmed their address yet. Absent: false. */
  is_unconfirmed: flag().optional(),
  /** Whether they were invited by e-mail, so that they need no welcome. Absent: false. */
  is_invited: flag().optional(),
  /** The e-mails that they do not want. Absent: they want all. */
  unwanted_emails: json<EmailTopic[]>().optional(),
  /** The language of their e-mails and of their portal. Absent: the account's, and in the portal the browser's. */
  language: text<Language>().optional(),
  /** Signs the promoter in to the portal. 32 URL-safe characters. */
  auth_token: text().personal().secret(),
  parent_promoter_id: integer().nullable(),
  default_promoter_campaign_id: integer(),
  profile: json<PromoterProfile>().personal(newProfile({})),
  /** Absent: VIES was never asked about the VAT number. */
  vat_check: json<VatCheck>().optional().personal(),
  custom_fields: json<Record<string, unknown>>().nullable().personal(),
  /** The suspicions caused by the promoter's own data and by their leads. */
  fraud_suspicions: json<FraudSuspicion[]>().personal([]),
  /** True: ad traffic counts as clean. False: it is not recorded. Null: the campaign's policy applies. */
  track_ad_traffic: flag().nullable(),
  skip_email_notification: flag(),
  invoice_details_status: text<InvoiceDetailsStatus>(),
  /**
   * Days from a period's end to the due date, if the promoter has terms of their own. Null: the account's.
   */
  net_payout_days: integer().nullable(),
  /** Added to payouts, in hundredths of a percent. */
  tax_rate_hundredths: integer(),
  /** Their last visit of the portal, and their totals then. Absent: none since these are kept. */
  visit: json<PortalVisit & { before?: PortalVisit }>().optional().personal(),
  created_at: time(),
  last_login_at: time().nullable().personal(),
  /** Null if not archived. */
  archived_at: time().nullable(),
};

export type Promoter = RowOf<typeof promoterFields>;

/** When a promoter visited the portal, and their totals then, of which the next visit shows the growth. */
export interface PortalVisit {
  at: string;
  totals: Record<"clicks" | "referrals" | "commissions" | "earnings_cents" | "paid_cents", number>;
}

export const promoters = table("promoter", promoterFields, {
  derived: {
    email_key: ["text", ({ email }) => email.toLowerCase()],
    cust_id_key: ["text", ({ cust_id }) => cust_id && indexed(cust_id)],
    /** The texts that a promoter search matches, in lower case. */
    words: ["text", (promoter) => `${promoter.email}\n${promoterName(promoter)}`.toLowerCase()],
    is_archived: ["flag", ({ archived_at }) => archived_at !== null],
    has_invoice_details: ["flag", hasInvoiceDetails],
    /** Separated by blanks. */
    suspicion_words: ["text", ({ fraud_suspicions }) => fraud_suspicions.join(" ")],
    custom_words: ["text", ({ custom_fields }) => customWords(custom_fields)],
  },
  few: ["is_archived"],
  unique: {
    email: ["email_key"],
    cust_id: ["cust_id_key"],
    auth_token: ["auth_token"],
  },
  indexes: {
    parent: { on: ["parent_promoter_id"], where: "parent_promoter_id is not null" },
    archived: { on: ["is_archived"] },
    joined: { on: ["is_archived", "created_at"] },
  },
});

/**
 * The promoter, signed out everywhere: no session and no sign-in link from before opens the portal.
 *
 * @see docs/spec/common.md "Authentication", 6
 */
export function signedOut(promoter: Promoter): Promoter {
  return { ...promoter, sign_out_count: (promoter.sign_out_count ?? 0) + 1 };
}

/** What sessions and sign-in links prove to belong to, or null: the promoter's password, until they are signed out. */
export function credentialOf({ password_hash, sign_out_count }: Promoter): string | null {
  return sign_out_count === undefined ? (password_hash ?? null) : `${sign_out_count} ${password_hash ?? ""}`;
}

/** The known parts of the name, otherwise the e-mail address. */
export function promoterName({ email, profile }: Promoter): string {
  return [profile.first_name, profile.last_name].filter((name) => name !== null).join(" ") || email;
}

/** The language of e-mails to a promoter. */
export function mailLanguage(
  { promoter_language }: Pick<Account, "promoter_language">,
  { language }: Pick<Promoter, "language">,
): Language {
  return language ?? promoter_language ?? "en";
}

/** The promoter with this e-mail address, ignoring case, or null. */
export function findPromoterByEmail(
  reader: Reader,
  accountId: number,
  email: string,
): Promise<Promoter | null> {
  return reader.find(promoters, "email", accountId, [email.trim().toLowerCase()]);
}

/** Names the fields whose values belong to another promoter. */
export function findTakenPromoter(tx: Transaction, promoter: Promoter): Promise<FieldErrors> {
  return findTaken(tx, promoters, { record: promoter, unique: ["email", "cust_id"] });
}

/** @throws Failure `not_found` */
export async function loadPromoter(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await reader.get(promoters, accountId, id);
  if (promoter === null) throw new Failure("not_found", "Promoter not found.");
  return promoter;
}

/** Loads a promoter who is not archived. @throws Failure `not_found` or `refused` */
export async function loadPromoterInUse(reader: Reader, accountId: number, id: number): Promise<Promoter> {
  const promoter = await loadPromoter(reader, accountId, id);
  requireInUse(promoter);
  return promoter;
}

/** @throws Failure `refused` for an archived promoter */
export function requireInUse({ archived_at }: Promoter): void {
  if (archived_at !== null) throw new Failure("refused", "Promoter is archived.");
}

/** Changes to a profile. Null clears a field, undefined leaves it. */
export type ProfileChanges = { [Field in keyof PromoterProfile]?: PromoterProfile[Field] | undefined };

/** A profile with the given fields. The others are null. */
export function newProfile(given: ProfileChanges): PromoterProfile {
  return {
    first_name: given.first_name ?? null,
    last_name: given.last_name ?? null,
    website: given.website ?? null,
    company_name: given.company_name ?? null,
    phone_number: given.phone_number ?? null,
    address: given.address ?? null,
    vat_id: given.vat_id ?? null,
    country: given.country ?? null,
    wallet_email: given.wallet_email ?? null,
    avatar_url: given.avatar_url ?? null,
    description: given.description ?? null,
    company_number: given.company_number ?? null,
    twitter_url: given.twitter_url ?? null,
    youtube_url: given.youtube_url ?? null,
    facebook_url: given.facebook_url ?? null,
    linkedin_url: given.linkedin_url ?? null,
    instagram_url: given.instagram_url ?? null,
    twitch_url: given.twitch_url ?? null,
    tiktok_url: given.tiktok_url ?? null,
  };
}

/** The pattern, for `like`, of a field with a value, or with a value that contains a text. */
export function fieldPattern(key: string, text: string, isPartial: boolean): string {
  const value = isPartial ? plain(text) : enclosed(text);
  return `%${markOf(key)}%${value.replace(/[\\%_]/g, "\\$&")}%${endOf(key)}%`;
}

/** The first promoter of a mailbox, in any spelling of its address. Kept for ever. */
const mailboxFields = {
  /** SHA-256 of the mailbox, hexadecimal. */
  mailbox_hash: text().personal(),
  first_promoter_id: integer(),
};

/** Stored by hash, because an address is personal and this is kept for ever. */
export const mailboxes = table("mailbox", mailboxFields, {
  key: ["mailbox_hash"],
  indexes: { first_promoter: { on: ["first_promoter_id"] } },
});

/** The mailbox behind an address: lower case, without a plus tag, and for Gmail without dots. */
export function mailbox(email: string): string {
  const [local = "", domain = ""] = splitAtLast(email.trim().toLowerCase(), "@");
  const untagged = local.replace(/\+.*$/, "");
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${untagged.replaceAll(".", "")}@gmail.com` : `${untagged}@${domain}`;
}

/**
 * Whether another promoter already has this promoter's mailbox. If it is free, this promoter gets it. It is
 * read and written by key, so that only one of several simultaneous promoters can be the first.
 */
export async function isSharedMailbox(
  tx: Transaction,
  promoter: { account_id: number; id: number; email: string },
): Promise<boolean> {
  const { account_id, id, email } = promoter;
  const mailboxHash = digest(mailbox(email));
  const known = await tx.get(mailboxes, account_id, mailboxHash);
  if (known === null)
    await tx.put(mailboxes, { account_id, mailbox_hash: mailboxHash, first_promoter_id: id });
  return known !== null && known.first_promoter_id !== id;
}

/** Deletes the mailboxes that belong to a promoter. */
export async function forgetMailboxes(
  tx: Transaction,
  { account_id, id }: { account_id: number; id: number },
): Promise<void> {
  const own = await tx.view.list(mailboxes, "first_promoter", account_id, [id]);
  for (const { mailbox_hash } of own) await tx.remove(mailboxes, account_id, mailbox_hash);
}

/** Whether the promoter has given any data for invoices. */
function hasInvoiceDetails({ profile }: Promoter): boolean {
  return Boolean(profile.company_name || profile.company_number || profile.vat_id);
}

/**
 * The values of a promoter's custom fields in lower case. Each list of values is between two marks of its
 * field, so that a pattern finds a value within one field. Null if there are none.
 */
function customWords(customFields: Record<string, unknown> | null): string | null {
  const fields = Object.entries(customFields ?? {});
  if (fields.length === 0) return null;
  return fields
    .map(
      ([key, value]) =>
        `${markOf(key)}${[value]
          .flat()
          .map((each) => enclosed(textOf(each)))
          .join("")}${endOf(key)}`,
    )
    .sort()
    .join("");
}

/** They enclose a value, and the mark of a field before and after its values. Values never contain them. */
const [VALUE, FIELD] = ["\u001f", "\u001e"];

/** A hash, because keys are compared exactly and `like` may ignore case. */
function markOf(key: string): string {
  return `${FIELD}${hashOf(key)}${FIELD}`;
}

function hashOf(key: string): string {
  return digest(key).slice(0, 16);
}

function enclosed(text: string): string {
  return `${VALUE}${plain(text)}${VALUE}`;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(VALUE, " ").replaceAll(FIELD, " ");
}

function textOf(value: unknown): string {
  return typeof value === "object" ? orderedJson(value) : String(value);
}

function endOf(key: string): string {
  return `${FIELD}/${hashOf(key)}${FIELD}`;
}

function splitAtLast(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
