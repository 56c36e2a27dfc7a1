import { hash } from "node:crypto";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { flag, integer, table, text, time } from "../../../storage/table.ts";
import type { Account } from "../../program/account/account.ts";
import type { AdTrafficPolicy, Campaign } from "../../program/campaign/campaign.ts";
import { mailbox, type Promoter } from "../promoter/promoter.ts";
import type { Visitor } from "../visitor/visitor.ts";
import type { Suspicion } from "./lead.ts";

/** Records that a promoter, or a lead of theirs, came from an address. Only a keyed hash of it is stored. */
const fields = {
  promoter_id: integer(),
  address_hash: text().personal(),
  /** Whether the promoter was seen there. */
  is_own: flag(),
  /** Null if no lead came from there. */
  last_lead_at: time().nullable(),
};

export const promoterAddresses = table("promoter-address", fields, {
  key: ["promoter_id", "address_hash"],
});

/**
 * The stored form of a network address, which can't be computed without the account's key. A single hash
 * takes a sixth of the time of an HMAC. It is as safe here, because a length extension needs the whole hash
 * and this one is truncated.
 */
export function hashAddress(account: Account, address: string): string {
  return hash("sha256", `${account.address_key} ${address}`, "base64url").slice(0, 22);
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
  { counts_social_clicks_as_ads = false }: Pick<Account, "counts_social_clicks_as_ads">,
): boolean {
  const clickIds = counts_social_clicks_as_ads ? [...AD_CLICK_IDS, ...SOCIAL_CLICK_IDS] : AD_CLICK_IDS;
  if (clickIds.some((name) => query.get(name))) return true;
  return PAID_MEDIUM.test(query.get("utm_medium") ?? "");
}

/** The policy for visits from ads: the promoter's own setting, otherwise the campaign's. */
export function adTrafficPolicy(promoter: Promoter, campaign: Campaign): AdTrafficPolicy {
  if (promoter.track_ad_traffic === null) return campaign.track_ad_traffic;
  return promoter.track_ad_traffic ? "allow" : "block";
}

/** The data on which a sign-up is judged. */
interface SignupTraits {
  promoter: Promoter;
  campaign: Campaign;
  visitor: Visitor | null;
  email: string | null;
  address_hash: string | null;
  /** Whether a page sent it, and no visit of its visitor was recorded before. */
  isUnseen: boolean;
  now: Date;
}

const LEAD_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The most serious suspicion about a sign-up. */
export async function judgeSignup(reader: Reader, traits: SignupTraits): Promise<Suspicion> {
  const { promoter, campaign, visitor, email, now } = traits;
  if (email !== null && mailbox(email) === mailbox(promoter.email)) return "same_promoter_email";
  if (traits.address_hash !== null) {
    const seen = await reader.get(promoterAddresses, promoter.account_id, promoter.id, traits.address_hash);
    if (seen !== null && (seen.is_own || isRecent(LEAD_WINDOW_MS, seen.last_lead_at, now)))
      return "same_ip_suspicion";
  }
  const isSuspectAd = visitor?.is_ad_traffic === true && adTrafficPolicy(promoter, campaign) !== "allow";
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
  promoter: { account_id: number; id: number },
  sighting: { address_hash: string; is_own: boolean; now: Date },
): Promise<void> {
  const { address_hash, is_own, now } = sighting;
  const known = await tx.get(promoterAddresses, promoter.account_id, promoter.id, address_hash);
  if (known !== null && (is_own ? known.is_own : isRecent(SIGHTING_AGE_MS, known.last_lead_at, now))) return;
  await tx.put(promoterAddresses, {
    account_id: promoter.account_id,
    promoter_id: promoter.id,
    address_hash,
    is_own: is_own || (known?.is_own ?? false),
    last_lead_at: is_own ? (known?.last_lead_at ?? null) : now.toISOString(),
  });
}

function isRecent(windowMs: number, lastLeadAt: string | null, now: Date): boolean {
  return lastLeadAt !== null && now.getTime() - Date.parse(lastLeadAt) < windowMs;
}
