import type { Tone } from "../../ui/feedback/badge.tsx";
import type { Commission } from "./query.ts";

/** The names of a commission's states. */
export const STATUSES: Record<Commission["status"], { words: string; tone: Tone }> = {
  pending: { words: "To approve", tone: "warn" },
  approved: { words: "Approved", tone: "good" },
  denied: { words: "Denied", tone: "bad" },
};
