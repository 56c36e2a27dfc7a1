import type { Count } from "../../storage/collection.ts";
import type { Key } from "../../storage/keys.ts";
import { factCounts, type Fact } from "../report/counters.ts";
import type { Lead } from "./record.ts";

/** The counter of suspicious leads that nobody has denied. */
export const SUSPICIOUS_LEADS: Key = ["lead.suspicious"];

/** The counter of leads that promoters have added and that wait for approval. */
export const PROPOSED_LEADS: Key = ["lead.proposed"];

/** The counter of those of one promoter. */
export function proposedLeadsOf(promoterId: number): Key {
  return ["lead.proposed/promoter", promoterId];
}

/** The counter of archived leads, which the reports count and no list shows. */
export const ARCHIVED_LEADS = "lead.archived";

/** Everything that a lead counts for. */
export function leadCounts(lead: Lead): Count[] {
  return [
    ...factCounts(lead, leadFacts(lead)),
    ...(lead.archivedAt ? archivedCounts(lead) : []),
    ...(isToReview(lead) ? [[SUSPICIOUS_LEADS, 1] satisfies Count] : []),
    ...(isProposed(lead) ? proposalCounts(lead) : []),
  ];
}

/** Whether a promoter has added the lead, and it waits for approval. */
export function isProposed({ isProposal, state }: Lead): boolean {
  return isProposal === true && state === "pending";
}

function isToReview({ suspicion, state, archivedAt }: Lead): boolean {
  return suspicion !== "no_suspicion" && state !== "denied" && !archivedAt;
}

function archivedCounts({ promoterId, campaignId }: Lead): Count[] {
  return [
    [[ARCHIVED_LEADS], 1],
    [[`${ARCHIVED_LEADS}/promoter`, promoterId], 1],
    [[`${ARCHIVED_LEADS}/campaign`, campaignId], 1],
  ];
}

function proposalCounts({ promoterId }: Lead): Count[] {
  return [
    [PROPOSED_LEADS, 1],
    [proposedLeadsOf(promoterId), 1],
  ];
}

/**
 * The counts of a lead, each on its own day.
 *
 * @see docs/spec/money.md "Reports"
 */
function leadFacts(lead: Lead): Fact[] {
  const { createdAt, customerSince, entrySource, signupEventId, signedUpAt } = lead;
  const facts: Fact[] = [{ metric: "referrals", at: createdAt }];
  if (signupEventId === null || signedUpAt !== undefined)
    facts.push({ metric: "unsignedReferrals", at: createdAt });
  if (signedUpAt !== undefined) facts.push({ metric: "unsignedReferrals", at: signedUpAt, amount: -1 });
  if (customerSince !== null) facts.push({ metric: "customers", at: customerSince });
  if (customerSince !== null && entrySource === "coupon") {
    facts.push({ metric: "nonLinkCustomers", at: customerSince });
  }
  return [...facts, ...activityFacts(lead)];
}

function activityFacts(lead: Lead): Fact[] {
  const { customerSince, customerHistory } = lead;
  if (customerHistory === undefined) return formerActivityFacts(lead);
  if (customerSince === null) return [];
  return [
    { metric: "activeCustomers", at: customerSince },
    ...customerHistory.map(({ kind, at }): Fact => {
      if (kind === "cancelled") return { metric: "cancellations", at };
      return { metric: "activeCustomers", at, amount: kind === "left" ? -1 : 1 };
    }),
  ];
}

/** The counts of a lead that a former release wrote: it counted by the state alone, and cancellations of all leads. */
function formerActivityFacts({ customerSince, cancelledAt, state }: Lead): Fact[] {
  const facts: Fact[] = [];
  const isActive = customerSince !== null && state !== "denied" && state !== "refunded";
  if (isActive) facts.push({ metric: "activeCustomers", at: customerSince });
  if (cancelledAt !== null) facts.push({ metric: "cancellations", at: cancelledAt });
  if (isActive && cancelledAt !== null) {
    facts.push({ metric: "activeCustomers", at: cancelledAt, amount: -1 });
  }
  return facts;
}
