import type { components } from "../ui/api/types.ts";
import { optionsOf } from "../ui/table/filters.tsx";

type FraudCheck = components["schemas"]["Referral"]["fraud_check"];
export type Suspicion = Exclude<FraudCheck, "no_suspicion">;

/** Explanations of suspicions. `short` is for a cell of a list. */
export const SUSPICIONS: Record<Suspicion, { words: string; short: string; why: string }> = {
  same_promoter_email: {
    words: "Same e-mail as the promoter",
    short: "Same e-mail",
    why: "The lead's e-mail address is the promoter's own, apart from dots and plus signs. The promoter may have referred themselves to get the commission.",
  },
  same_ip_suspicion: {
    words: "Same network address",
    short: "Same address",
    why: "The lead signed up from an address that the promoter, or another lead of theirs on the same day, used too. That is usual for an office or a family, and also for one person who signs up twice.",
  },
  ad_source: {
    words: "Came from a paid ad",
    short: "Paid ad",
    why: "The visit came from a paid ad. If the promoter bids on your own name, you pay for customers who were looking for you.",
  },
  unseen_visitor: {
    words: "No visit before the sign-up",
    short: "No visit",
    why: "A page sent the sign-up, and no visit of this person through the promoter's link was recorded before. The click may have been lost, or the sign-up was made up. Sign-ups that your own server sends are never marked with it.",
  },
};

/** The options of a filter by suspicion. */
export const SUSPICION_OPTIONS = [...optionsOf("Any suspicion", { any: "Suspicious", ...SUSPICIONS })];

/** The suspicions of a filter: one of them, or `any`. */
export function suspicionsOf(wanted: string): Suspicion[] {
  const all = Object.keys(SUSPICIONS) as Suspicion[];
  return wanted === "any" ? all : all.filter((each) => each === wanted);
}
