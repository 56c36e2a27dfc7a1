import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Reader } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { isUnsubscribed, unsubscriptions } from "../../events/email.ts";
import { announce } from "../../events/event.ts";
import { isPassword } from "../../access/password.ts";
import {
  credentialOf,
  EMAIL_TOPICS,
  loadPromoter,
  loadPromoterInUse,
  promoters,
  type EmailTopic,
  type ProfileChanges,
  type Promoter,
} from "../promoter/promoter.ts";
import { withoutFormerCheck, invoiceDetailFaults } from "../vat-number.ts";
import { endSessions, openSession, type OpenedSession, type Session } from "../../access/session.ts";
import type { Language } from "../../../languages/languages.ts";

/** The profile fields that invoices show. */
const INVOICE_FIELDS = ["company_name", "company_number", "vat_id", "address", "country"] as const;

/**
 * Changes promoters' own data. Changed invoice details must be approved again, and be well formed.
 *
 * @throws Failure `not_found`, `invalid` for a country or VAT number, or `refused` for a promoter who was archived or erased meanwhile
 * @see docs/spec/v2.md "Promoters"
 */
export function updateOwnProfile(
  context: Context,
  { account_id, id }: Promoter,
  changes: ProfileChanges,
): Promise<Promoter> {
  return context.store.transact(async (tx) => {
    const before = await loadPromoterInUse(tx, account_id, id);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const profile = { ...before.profile, ...(Object.fromEntries(given) as Partial<Promoter["profile"]>) };
    const isOther = INVOICE_FIELDS.some((field) => profile[field] !== before.profile[field]);
    if (isOther) refuseFaults(invoiceDetailFaults(profile));
    const after = withoutFormerCheck({
      ...before,
      profile,
      invoice_details_status: isOther ? "pending" : before.invoice_details_status,
    });
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before, after });
    return after;
  });
}

/** @throws Failure `invalid` */
function refuseFaults(fields: FieldErrors): void {
  const words = Object.entries(fields).map((fault) => fault.flat().join(" "));
  if (words.length > 0) throw new Failure("invalid", `Validation failed: ${words.join(", ")}`, fields);
}

/** Sets the language of a promoter's portal and e-mails. @throws Failure `not_found` */
export function setLanguage(
  { store }: Context,
  { account_id, id }: Promoter,
  language: Language,
): Promise<Promoter> {
  return store.transact(async (tx) => {
    const promoter = { ...(await loadPromoter(tx, account_id, id)), language };
    await tx.put(promoters, promoter);
    return promoter;
  });
}

/** The e-mails that a promoter wants. */
export type EmailSettings = Record<EmailTopic, boolean>;

/** Reads which e-mails a promoter wants. After unsubscribing, they want none. */
export async function loadEmailSettings(reader: Reader, promoter: Promoter): Promise<EmailSettings> {
  const wantsNone = await isUnsubscribed(reader, promoter.account_id, promoter.id);
  const isWanted = (topic: EmailTopic) => !wantsNone && !promoter.unwanted_emails?.includes(topic);
  return Object.fromEntries(EMAIL_TOPICS.map((topic) => [topic, isWanted(topic)])) as EmailSettings;
}

/** Changes the e-mails that a promoter wants. Those who had unsubscribed get the chosen ones again. */
export function updateEmailSettings(
  { store, now }: Context,
  { account_id, id }: Promoter,
  changes: { [Topic in EmailTopic]?: boolean | undefined },
): Promise<EmailSettings> {
  return store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, account_id, id);
    const before = await loadEmailSettings(tx, promoter);
    const after = Object.fromEntries(
      EMAIL_TOPICS.map((topic) => [topic, changes[topic] ?? before[topic]]),
    ) as EmailSettings;
    const unwantedEmails = EMAIL_TOPICS.filter((topic) => !after[topic]);
    await tx.put(promoters, { ...promoter, unwanted_emails: unwantedEmails });
    const wantsNone = unwantedEmails.length === EMAIL_TOPICS.length;
    if (wantsNone) await tx.put(unsubscriptions, { account_id, promoter_id: id, at: now.toISOString() });
    else await tx.remove(unsubscriptions, account_id, id);
    return after;
  });
}

/** A promoter's new password. */
interface PasswordChange {
  promoter: Promoter;
  session: Session;
  /** Null if not given. */
  currentPassword: string | null;
  password_hash: string;
}

/**
 * Sets a promoter's password. All their sessions end, and the caller's is replaced. The promoter gives the
 * present password, own or temporary, unless the session began with the temporary one. Otherwise a leaked
 * auth token could become a password of the thief. A promoter without any gets one by a link.
 *
 * @throws Failure `invalid` if the current password is wrong
 * @see docs/spec/common.md "Authentication", 7
 */
export async function setPassword(context: Context, change: PasswordChange): Promise<OpenedSession> {
  const { promoter, session, currentPassword, password_hash } = change;
  const { account_id, id } = promoter;
  const known = promoter.password_hash ?? promoter.temp_password_hash;
  if (session.must_set_password !== true) {
    if (known === null) throw new Failure("refused", "Ask for a sign-in link: it lets you choose a password");
    const isKnown = currentPassword !== null && (await isPassword(context, currentPassword, known));
    if (!isKnown) throw wrongPassword();
  }
  return context.store.transact(async (tx) => {
    const current = await loadPromoter(tx, account_id, id);
    if (credentialOf(current) !== credentialOf(promoter)) throw wrongPassword();
    const after = { ...current, password_hash, temp_password_hash: null };
    await tx.put(promoters, after);
    await endSessions(tx, session.holder);
    const { holder, device, ends_at, is_of_product = false } = session;
    return openSession(tx, context, {
      holder,
      credential: credentialOf(after),
      device,
      ...(ends_at !== null && { ends_at: new Date(ends_at) }),
      is_of_product,
    });
  });
}

function wrongPassword(): Failure {
  const fields = { current_password: ["is wrong"] };
  return new Failure("invalid", "Validation failed: current_password is wrong", fields);
}
