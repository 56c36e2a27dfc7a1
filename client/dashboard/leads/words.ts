import type { Tone } from "../../ui/feedback/badge.tsx";
import type { Lead } from "./query.ts";

/** The states of a lead, in words. */
export const STATES: Record<Lead["state"], { words: string; tone: Tone }> = {
  pending: { words: "To approve", tone: "warn" },
  signup: { words: "Signed up", tone: "quiet" },
  active: { words: "Customer", tone: "good" },
  subscribed: { words: "Subscribed", tone: "good" },
  cancelled: { words: "Cancelled", tone: "quiet" },
  refunded: { words: "Refunded", tone: "quiet" },
  denied: { words: "Disabled", tone: "bad" },
};

/** How a lead came to its promoter. */
export const SOURCES: Record<Lead["entry_source"], string> = {
  cookie: "By the promoter's link",
  coupon: "By the promoter's code",
  api: "By your server, which named the promoter",
  manual_admin: "Added by your team",
  manual_affiliate: "Added by the promoter",
};

/** Why a lead is suspected of fraud, and what to think of it. */
export const SUSPICIONS: Record<
  Exclude<Lead["fraud_check"], "no_suspicion">,
  { words: string; why: string }
> = {
  same_promoter_email: {
    words: "Same e-mail as the promoter",
    why: "The lead's e-mail address is the promoter's own, apart from dots and plus signs. The promoter may have referred themselves to get the commission.",
  },
  same_ip_suspicion: {
    words: "Same network address",
    why: "The lead signed up from an address that the promoter, or another lead of theirs on the same day, used too. That is usual for an office or a family, and also for one person who signs up twice.",
  },
  ad_source: {
    words: "Came from a paid ad",
    why: "The visit came from a paid ad. If the promoter bids on your own name, you pay for customers who were looking for you.",
  },
};

/** The name by which people know a lead. */
export function leadName({ id, email, uid, username, first_name: first, last_name: last }: Lead): string {
  const name = [first, last].filter(Boolean).join(" ");
  return email ?? uid ?? username ?? (name || `Lead ${id}`);
}
