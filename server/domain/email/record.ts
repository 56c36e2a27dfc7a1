export const EMAIL_KINDS = [
  "signup_accepted",
  "accepted",
  "rejected",
  "new_referral",
  "payout_sent",
] as const;

/** A kind of e-mail to promoters. `signup_accepted` is for new promoters, `accepted` follows a review. */
export type EmailKind = (typeof EMAIL_KINDS)[number];

/** An e-mail to a promoter before its template is filled in. */
export interface Email {
  kind: EmailKind;
  promoterId: number;
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
