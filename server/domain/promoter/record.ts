import type { FraudSuspicion } from "../lead/lead.ts";

/** The data that promoters give about themselves. null: not given. */
export interface PromoterProfile {
  firstName: string | null;
  lastName: string | null;
  website: string | null;
  companyName: string | null;
  phoneNumber: string | null;
  address: string | null;
  vatId: string | null;
  country: string | null;
  walletEmail: string | null;
  avatarUrl: string | null;
  description: string | null;
  companyNumber: string | null;
  twitterUrl: string | null;
  youtubeUrl: string | null;
  facebookUrl: string | null;
  linkedinUrl: string | null;
  instagramUrl: string | null;
  twitchUrl: string | null;
  tiktokUrl: string | null;
}

export const EMAIL_TOPICS = ["drip", "new_commission", "new_referral", "payout", "marketing"] as const;

/** The topics of e-mails to promoters. Nothing is sent about `drip` and `marketing` yet. */
export type EmailTopic = (typeof EMAIL_TOPICS)[number];

export const INVOICE_DETAILS_STATUSES = ["pending", "approved", "denied"] as const;

export type InvoiceDetailsStatus = (typeof INVOICE_DETAILS_STATUSES)[number];

export interface Promoter {
  accountId: number;
  id: number;
  email: string;
  /** The client's own user id of the promoter. */
  custId: string | null;
  note: string | null;
  /** The hash of the password that was given, or shown, when the promoter was made. null: there is none. */
  tempPasswordHash: string | null;
  /** The hash of the password that the promoter chose. Absent: they have chosen none. */
  passwordHash?: string;
  /** How often they have signed in. Links that sign in hold it, so that each works once. Absent: never. */
  signInCount?: number;
  /** Whether they joined by themselves and have not confirmed their address yet. Absent: false. */
  isUnconfirmed?: true;
  /** The e-mails that they do not want. Absent: they want all. */
  unwantedEmails?: EmailTopic[];
  /** Logs the promoter into the portal. 32 URL-safe characters. */
  authToken: string;
  parentPromoterId: number | null;
  defaultPromoterCampaignId: number;
  profile: PromoterProfile;
  customFields: Record<string, unknown> | null;
  /** The suspicions that the promoter's own data and their leads have caused. */
  fraudSuspicions: FraudSuspicion[];
  /** null: the campaign's policy. true: ad traffic counts as clean. false: it is not recorded. */
  trackAdTraffic: boolean | null;
  skipEmailNotification: boolean;
  invoiceDetailsStatus: InvoiceDetailsStatus;
  /** Days from a period's end to the due date, if the promoter has terms of their own. null: the account's. */
  netPayoutDays: number | null;
  /** Added to payouts, in hundredths of a percent. */
  taxRateHundredths: number;
  createdAt: string;
  lastLoginAt: string | null;
  /** null: not archived. */
  archivedAt: string | null;
}

/** The first promoter of a mailbox, in whatever way its address is written. Kept for ever. */
export interface Mailbox {
  accountId: number;
  /** SHA-256 of the mailbox, hexadecimal. */
  mailboxHash: string;
  firstPromoterId: number;
}
