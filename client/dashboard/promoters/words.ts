import type { Tone } from "../../ui/feedback/badge.tsx";
import type { Promoter } from "./query.ts";

export type PromoterCampaignState = Promoter["promoter_campaigns"][number]["state"];

/** The names of a promoter's states in a campaign. */
export const STATES: Record<PromoterCampaignState, { words: string; tone: Tone }> = {
  pending: { words: "To review", tone: "warn" },
  accepted: { words: "Accepted", tone: "good" },
  rejected: { words: "Rejected", tone: "quiet" },
  blocked: { words: "Blocked", tone: "bad" },
  inactive: { words: "Inactive", tone: "quiet" },
};
