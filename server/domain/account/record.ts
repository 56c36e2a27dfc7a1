/** The account id of records that belong to no single account: accounts themselves, keys, id blocks. */
export const SYSTEM = 0;

export const PAYOUT_CYCLES = ["monthly", "biweekly", "weekly"] as const;

/** A calendar month, fourteen days, or a week that begins on Monday. */
export type PayoutCycle = (typeof PAYOUT_CYCLES)[number];

/** A company that runs an affiliate program. All other records belong to one. */
export interface Account {
  accountId: typeof SYSTEM;
  id: number;
  /** The id in the `Account-ID` header and the script's `cid`. Not a secret. */
  publicId: string;
  name: string;
  defaultCampaignId: number;
  /** Whether a browser's Global Privacy Control signal stops all tracking of its visitor. */
  honoursPrivacyControl: boolean;
  /** ISO 4217 code of `cash` amounts. */
  currency: string;
  /** Days from the end of a payout's period to its due date. */
  netPayoutDays: number;
  /** Cash payouts of a promoter below this amount, in cents, are not payable yet. */
  minPaymentCents: number;
  /** Promoters with fewer active customers are not paid yet. */
  minPayingCustomers: number;
  /** Whether promoters are paid only after they have chosen a payout method. */
  requiresPayoutMethod: boolean;
  /** The period of a payout, in the time zone of the account. */
  payoutCycle: PayoutCycle;
  /** Larger cash commissions wait for approval in every campaign. null: none is too large. */
  maxAutoApproveCents: number | null;
  /** What sales count of a payment that a billing provider reports. Absent: what was paid, less tax. */
  commissionBase?: CommissionBase;
  /** Whether promoters are paid only with approved invoice details. */
  requiresInvoiceDetails: boolean;
  /** The sender of its e-mails, such as `Acme <partners@acme.example>`. null: the server's usual sender. */
  mailSender: string | null;
  /** The IANA name of the zone of payout periods, holds and due dates, in which the dashboard shows days. Absent: UTC. */
  timeZone?: string;
  /** Whether users can do nothing before they have set up a second factor. Absent: no. */
  requiresSecondFactor?: boolean;
  /** Absent: the usual ones. */
  tracker?: TrackerNames;
  /** The sites that may show the portal in a frame, as origins. Absent: none. */
  portalOrigins?: string[];
  /** The key of the hashes that stand for network addresses. It never leaves the server. */
  addressKey: string;
  createdAt: string;
}

/** What a sale counts of a payment: what was paid, less some parts of it. */
export interface CommissionBase {
  isLessTax: boolean;
  isLessShipping: boolean;
  /** What remains is less this percentage for fees, in ten-thousandths of a percent. */
  feeTenThousandths: number;
}

/** The names by which pages use the browser script. */
export interface TrackerNames {
  /** The global function. */
  global: string;
  /** A second name of it, whose property `data.tid` other programs' integrations read. null: none. */
  dataGlobal: string | null;
  /** The prefix of the cookies' names. */
  cookie: string;
  /** A second file name for the script, with these settings. null: only `svc.js`. */
  script: string | null;
  /** Whether the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  readsFragment: boolean;
}

/** An API key. The key itself is shown once, when it is made. Only its hash is stored. */
export interface ApiKey {
  accountId: typeof SYSTEM;
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  ownerId: number;
  name: string;
  createdAt: string;
  /** null: the key is valid. */
  revokedAt: string | null;
}

/** How many people of an account were erased. Absent if nobody was. */
export interface ErasureCount {
  accountId: number;
  count: number;
}
