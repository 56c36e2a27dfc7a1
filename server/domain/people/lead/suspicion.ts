import { hash } from "node:crypto";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Account } from "../../program/account/account.ts";
import type { AdTrafficPolicy, Campaign } from "../../program/campaign/campaign.ts";
import { mailbox, type Promoter } from "../promoter/promoter.ts";
import type { Visitor } from "../visitor/visitor.ts";
import type { Suspicion } from "./lead.ts";

/** Records that a promoter, or a lead of theirs, came from an address. Only a keyed hash of it is stored. */
interface PromoterAddress {
  accountId: number;
  promoterId: number;
  addressHash: string;
  /** Whether the promoter was seen there. */
  isOwn: boolean;
  /** Null if no lead came from there. */
  lastLeadAt: string | null;
}

export const promoterAddresses = table<PromoterAddress>()({
  name: "promoter-address",
  key: ["promoter_id", "address_hash"],
  columns: {
    promoter_id: "integer",
    address_hash: "text",
    is_own: "integer",
    last_lead_at: "text",
  },
});

/**
 * The stored form of a network address, which can't be computed without the account's key. A single hash
 * takes a sixth of the time of an HMAC. It is as safe here, because a length extension needs the whole hash
 * and this one is truncated.
 */
export function hashAddress(account: Account, address: string): string {
  return hash("sha256", `${account.addressKey} ${address}`, "base64url").slice(0, 22);
}

/**
 * Parameters that ad networks add to the address of the page behind an ad. As far as they document it, links in ordinary posts
 * and search results don't get them.
 */
const AD_CLICK_IDS = [
  "gclid",
  "gbraid",
  "wbraid",
  "dclid",
  "msclkid",
  "ttclid",
  "li_fat_id",
  "twclid",
  "ScCid",
  "rdt_cid",
  "yclid",
  "tblci",
  "obclid",
];
/**
 * Parameters that Facebook (`fbclid`, also on Instagram and Messenger) and Pinterest (`epik`) add to the links of ordinary
 * posts, too. So they don't show an ad unless the account says so.
 */
const SOCIAL_CLICK_IDS = ["fbclid", "epik"];
const PAID_MEDIUM = /^(cpc|ppc|cpm|cpv|cpa|cpp|display|banner|retargeting|remarketing|ads?|.*paid.*)$/i;

/** Whether the query of a page's address shows that it was opened from a paid ad. */
export function isAdTraffic(
  query: URLSearchParams,
  { countsSocialClicksAsAds = false }: Pick<Account, "countsSocialClicksAsAds">,
): boolean {
  const clickIds = countsSocialClicksAsAds ? [...AD_CLICK_IDS, ...SOCIAL_CLICK_IDS] : AD_CLICK_IDS;
  if (clickIds.some((name) => query.get(name))) return true;
  return PAID_MEDIUM.test(query.get("utm_medium") ?? "");
}

/** The policy for visits from ads: the promoter's own setting, otherwise the campaign's. */
export function adTrafficPolicy(promoter: Promoter, campaign: Campaign): AdTrafficPolicy {
  if (promoter.trackAdTraffic === null) return campaign.trackAdTraffic;
  return promoter.trackAdTraffic ? "allow" : "block";
}

/** The data on which a sign-up is judged. */
interface SignupTraits {
  promoter: Promoter;
  campaign: Campaign;
  visitor: Visitor | null;
  email: string | null;
  addressHash: string | null;
  /** Whether a page sent it, and no visit of its visitor was recorded before. */
  isUnseen: boolean;
  now: Date;
}

const LEAD_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The most serious suspicion about a sign-up. */
export async function judgeSignup(reader: Reader, traits: SignupTraits): Promise<Suspicion> {
  const { promoter, campaign, visitor, email, now } = traits;
  if (email !== null && mailbox(email) === mailbox(promoter.email)) return "same_promoter_email";
  if (traits.addressHash !== null) {
    const seen = await reader.get(promoterAddresses, promoter.accountId, promoter.id, traits.addressHash);
    if (seen !== null && (seen.isOwn || isRecent(LEAD_WINDOW_MS, seen.lastLeadAt, now)))
      return "same_ip_suspicion";
  }
  const isSuspectAd = visitor?.isAdTraffic === true && adTrafficPolicy(promoter, campaign) !== "allow";
  if (isSuspectAd) return "ad_source";
  return traits.isUnseen ? "unseen_visitor" : "no_suspicion";
}

const SIGHTING_AGE_MS = 60 * 1000;

/**
 * Records that the promoter, or one of their leads, came from an address. The window of a day is precise to a
 * minute. Otherwise many leads from one address (a fair, an office) would rewrite one record each time and
 * delay each other.
 */
export async function rememberAddress(
  tx: Transaction,
  promoter: { accountId: number; id: number },
  sighting: { addressHash: string; isOwn: boolean; now: Date },
): Promise<void> {
  const { addressHash, isOwn, now } = sighting;
  const known = await tx.get(promoterAddresses, promoter.accountId, promoter.id, addressHash);
  if (known !== null && (isOwn ? known.isOwn : isRecent(SIGHTING_AGE_MS, known.lastLeadAt, now))) return;
  await tx.put(promoterAddresses, {
    accountId: promoter.accountId,
    promoterId: promoter.id,
    addressHash,
    isOwn: isOwn || (known?.isOwn ?? false),
    lastLeadAt: isOwn ? (known?.lastLeadAt ?? null) : now.toISOString(),
  });
}

function isRecent(windowMs: number, lastLeadAt: string | null, now: Date): boolean {
  return lastLeadAt !== null && now.getTime() - Date.parse(lastLeadAt) < windowMs;
}
