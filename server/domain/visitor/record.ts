import type { Origin } from "../origin/record.ts";

/** How a page of another site of the customer's handed its visitor over: in an address, which people may share. */
export interface Handover {
  /** The moment at which the address was made, in milliseconds. It tells addresses apart. */
  at: number;
  /** The id of whoever comes by the same address after its first visitor. Made in the browser: UUID v4. */
  spareTid: string;
}

/** A person who followed a referral link. */
export interface Visitor {
  accountId: number;
  /** UUID v4, made in the browser. */
  tid: string;
  promoterCampaignId: number;
  promoterId: number;
  /** The campaign of the click. It stays, even if the promoter moves to another one. */
  campaignId: number;
  origin: Origin | null;
  /** The page that the link led to. */
  url: string | null;
  referrer: string | null;
  subId: string | null;
  isAdTraffic: boolean;
  /** Absent: the page did not ask for consent. */
  hasConsent?: true;
  /** The latest one that was taken. Absent: the visitor has stayed on one site. */
  handover?: Handover;
  addressHash: string | null;
  createdAt: string;
  /** When the link was followed. Absent: the click arrived at once, so at `createdAt`. */
  clickedAt?: string;
  /** When the browser's cookie expires. From then on the visitor is unknown. */
  expiresAt: string;
}

/** The clicks of one day and origin whose visitors have expired. */
export interface PastClicks {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  /** Calendar day (UTC). */
  day: string;
  origin: Origin | null;
  count: number;
}
