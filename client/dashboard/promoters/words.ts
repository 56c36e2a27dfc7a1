import type { components } from "../../ui/api/types.ts";
import type { Shown } from "../../ui/feedback/badge.tsx";

export type Promoter = components["schemas"]["Promoter"];

export type PromoterCampaignState = Promoter["promoter_campaigns"][number]["state"];

/** The names of a promoter's states in a campaign. */
export const STATES: Record<PromoterCampaignState, Shown> = {
  pending: { words: "To review", tone: "warn" },
  accepted: { words: "Accepted", tone: "good" },
  rejected: { words: "Rejected", tone: "quiet" },
  blocked: { words: "Blocked", tone: "bad" },
  inactive: { words: "Inactive", tone: "quiet" },
};
