import type { components } from "../../ui/api/types.ts";
import type { Shown } from "../../ui/feedback/badge.tsx";

export type Commission = components["schemas"]["Commission"];

/** The names of a commission's states. */
export const STATUSES: Record<Commission["status"], Shown> = {
  pending: { words: "To approve", tone: "warn" },
  approved: { words: "Approved", tone: "good" },
  denied: { words: "Denied", tone: "bad" },
};
