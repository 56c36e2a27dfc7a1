import type { components } from "../../ui/api/types.ts";
import type { Shown } from "../../ui/feedback/badge.tsx";

export type Lead = components["schemas"]["Referral"];

/** The names of a lead's states. */
export const STATES: Record<Lead["state"], Shown> = {
  pending: { words: "To approve", tone: "warn" },
  signup: { words: "Signed up", tone: "quiet" },
  active: { words: "Customer", tone: "good" },
  subscribed: { words: "Subscribed", tone: "good" },
  cancelled: { words: "Cancelled", tone: "quiet" },
  refunded: { words: "Refunded", tone: "quiet" },
  denied: { words: "Disabled", tone: "bad" },
};

/** How a lead got its promoter. */
export const SOURCES: Record<Lead["entry_source"], string> = {
  cookie: "By the promoter's link",
  coupon: "By the promoter's code",
  api: "By your server, which named the promoter",
  manual_admin: "Added by your team",
  manual_affiliate: "Added by the promoter",
};

/** A lead's display name. */
export function leadName({ id, email, uid, username, first_name: first, last_name: last }: Lead): string {
  const name = [first, last].filter(Boolean).join(" ");
  return email ?? uid ?? username ?? (name || `Lead ${id}`);
}
