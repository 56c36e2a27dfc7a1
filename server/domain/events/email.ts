import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../../failure.ts";
import type { Reader } from "../../storage/store.ts";
import { integer, table, time } from "../../storage/table.ts";
import type { Context } from "../context.ts";

export const EMAIL_KINDS = [
  "signup_accepted",
  "accepted",
  "rejected",
  "new_referral",
  "new_commission",
  "payout_sent",
] as const;

/**
 * A kind of e-mail to promoters that campaigns switch on. `signup_accepted` is for new promoters, `accepted`
 * follows a review.
 */
export type EmailKind = (typeof EMAIL_KINDS)[number];

export const ACCESS_EMAIL_KINDS = [
  "sign_in_link",
  "join_accepted",
  "join_waiting",
  "address_known",
  "promoter_invitation",
] as const;

/**
 * A kind of e-mail that contains a link into the portal. Each answers an action of the recipient, or invites
 * them, so campaigns can't switch it off and there is no unsubscribing from it.
 */
export type AccessEmailKind = (typeof ACCESS_EMAIL_KINDS)[number];

export const SWITCH_EMAIL_KINDS = ["new_links"] as const;

/** A kind of e-mail that the company sends to all promoters, once. */
type SwitchEmailKind = (typeof SWITCH_EMAIL_KINDS)[number];

export const DIGEST_EMAIL_KINDS = ["new_referrals"] as const;

/** A kind of e-mail that takes the place of many. */
type DigestEmailKind = (typeof DIGEST_EMAIL_KINDS)[number];

export const USER_EMAIL_KINDS = ["user_invitation", "user_reset"] as const;

export const MONEY_EMAIL_KINDS = [
  "payout_method_changed",
  "payment_unclaimed",
  "payment_failed",
  "payment_returned",
  "stripe_incomplete",
  "stripe_ready",
  "stripe_restricted",
] as const;

/**
 * A kind of e-mail to promoters about where their money goes. Campaigns can't switch it off and promoters can't unsubscribe from
 * it, because someone else may have taken the money, or it waits for the promoter.
 */
export type MoneyEmailKind = (typeof MONEY_EMAIL_KINDS)[number];

export const OWNER_EMAIL_KINDS = ["payouts_held", "payments_undecided"] as const;

/** A kind of e-mail to the owners of an account about what someone must look at. */
export type OwnerEmailKind = (typeof OWNER_EMAIL_KINDS)[number];

/** Whether an e-mail contains a link into the portal. */
export function isAccessEmail(kind: (Email | OwnEmail)["kind"]): kind is AccessEmailKind {
  return (ACCESS_EMAIL_KINDS as readonly string[]).includes(kind);
}

/** Whether a promoter gets an e-mail although they want none. */
export function isMoneyEmail(kind: (Email | OwnEmail)["kind"]): kind is MoneyEmailKind {
  return (MONEY_EMAIL_KINDS as readonly string[]).includes(kind);
}

/** Whether an e-mail tells owners what to look at. */
export function isOwnerEmail(kind: (Email | OwnEmail)["kind"] | undefined): kind is OwnerEmailKind {
  return (OWNER_EMAIL_KINDS as readonly unknown[]).includes(kind);
}

/** An e-mail to a promoter or a user before its template is filled in. */
export interface Email {
  kind:
    | EmailKind
    | AccessEmailKind
    | SwitchEmailKind
    | DigestEmailKind
    | UserEmailKind
    | MoneyEmailKind
    | OwnerEmailKind;
  /** Null if it goes to a user. */
  promoter_id: number | null;
  /** Absent if it goes to a promoter. */
  user_id?: number;
  /** The recipient's address when the e-mail was made. It is sent to their address at the time of sending. */
  to: string;
  /** The values that templates can use. */
  values: Record<string, string>;
  /** The company's own e-mail whose text takes the place of the template. Absent: none. */
  company_email_id?: number;
}

/** An e-mail that exists only because the company has written it. */
export interface OwnEmail extends Omit<Email, "kind"> {
  kind: "own";
  company_email_id: number;
}

/** A kind of e-mail to users of the dashboard, with a link that sets their password. */
type UserEmailKind = (typeof USER_EMAIL_KINDS)[number];

/** Records that a promoter has unsubscribed from all e-mails. */
const fields = {
  promoter_id: integer(),
  at: time(),
};

export const unsubscriptions = table("unsubscription", fields, {
  key: ["promoter_id"],
});

/** The account that sends an e-mail. */
interface Sender {
  id: number;
  public_id: string;
  address_key: string;
}

/** The token in the links of this promoter's e-mails. It proves that the sender received one. */
export function unsubscribeToken({ address_key }: Sender, promoterId: number): string {
  return createHmac("sha256", address_key).update(`unsubscribe ${promoterId}`).digest("base64url");
}

/** The page where a promoter unsubscribes. */
export function unsubscribeUrl(publicUrl: string, account: Sender, promoterId: number): string {
  const url = new URL(`${publicUrl}/unsubscribe`);
  url.searchParams.set("cid", account.public_id);
  url.searchParams.set("promoter", String(promoterId));
  url.searchParams.set("token", unsubscribeToken(account, promoterId));
  return url.href;
}

/**
 * Stops all e-mails to a promoter.
 *
 * @throws Failure `not_found` for a token that is not theirs
 */
export async function unsubscribe(
  { store, now }: Context,
  account: Sender,
  { promoter_id, token }: { promoter_id: number; token: string },
): Promise<void> {
  const own = Buffer.from(unsubscribeToken(account, promoter_id));
  const given = Buffer.from(token);
  if (own.length !== given.length || !timingSafeEqual(own, given)) {
    throw new Failure("not_found", "This link is not valid.");
  }
  await store.transact((tx) =>
    tx.put(unsubscriptions, { account_id: account.id, promoter_id, at: now.toISOString() }),
  );
}

/** Whether a promoter has unsubscribed. */
export async function isUnsubscribed(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<boolean> {
  return (await reader.get(unsubscriptions, accountId, promoterId)) !== null;
}
