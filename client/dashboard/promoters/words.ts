import type { Tone } from "../../ui/feedback/badge.tsx";
import type { Promoter } from "./query.ts";

export type PromoterCampaignState = Promoter["promoter_campaigns"][number]["state"];

/** The states of a promoter in a campaign, in words. */
export const STATES: Record<PromoterCampaignState, { words: string; tone: Tone }> = {
  pending: { words: "To review", tone: "warn" },
  accepted: { words: "Accepted", tone: "good" },
  rejected: { words: "Rejected", tone: "quiet" },
  blocked: { words: "Blocked", tone: "bad" },
  inactive: { words: "Inactive", tone: "quiet" },
};

/** Why leads of a promoter are suspected of fraud. */
export const SUSPICIONS = {
  same_promoter_email: {
    words: "Same e-mail as the promoter",
    why: "A lead signed up with the promoter's own e-mail address, so the promoter may have referred themselves.",
  },
  same_ip_suspicion: {
    words: "Same network address",
    why: "A lead signed up from an address that the promoter, or another lead of theirs on the same day, used too.",
  },
  ad_source: {
    words: "Came from a paid ad",
    why: "The visit came from a paid ad, which the campaign does not allow without your review.",
  },
} as const;
