export const EMAIL_KINDS = [
  "signup_accepted",
  "accepted",
  "rejected",
  "new_referral",
  "new_commission",
  "payout_sent",
] as const;

/**
 * A kind of e-mail to promoters that campaigns switch on. `signup_accepted` is for new promoters, `accepted` follows a
 * review.
 */
export type EmailKind = (typeof EMAIL_KINDS)[number];

export const ACCESS_EMAIL_KINDS = ["sign_in_link", "join_accepted", "join_waiting", "address_known"] as const;

/**
 * A kind of e-mail that holds a link into the portal. Each answers something that somebody has just done, so campaigns
 * can't switch it off and nobody unsubscribes from it.
 */
export type AccessEmailKind = (typeof ACCESS_EMAIL_KINDS)[number];

export const USER_EMAIL_KINDS = ["user_invitation", "user_reset"] as const;

/** A kind of e-mail to users of the dashboard, with a link that sets their password. */
export type UserEmailKind = (typeof USER_EMAIL_KINDS)[number];

/** Whether an e-mail holds a link into the portal. */
export function isAccessEmail(kind: Email["kind"]): kind is AccessEmailKind {
  return (ACCESS_EMAIL_KINDS as readonly string[]).includes(kind);
}

/** An e-mail to a promoter or a user before its template is filled in. */
export interface Email {
  kind: EmailKind | AccessEmailKind | UserEmailKind;
  /** null: it goes to a user. */
  promoterId: number | null;
  /** Absent: it goes to a promoter. */
  userId?: number;
  /** Their address when it was made. The e-mail goes to the address that they have when it is sent. */
  to: string;
  /** The values that templates can use. */
  values: Record<string, string>;
}

/** Records that a promoter wants no more e-mails. */
export interface Unsubscription {
  accountId: number;
  promoterId: number;
  at: string;
}
