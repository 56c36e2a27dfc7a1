import type { Fact } from "../report/daily.ts";
import type { Lead } from "./record.ts";

/** Whether a promoter has added the lead, and it waits for approval. */
export function isProposed({ isProposal, state }: Lead): boolean {
  return isProposal === true && state === "pending";
}

/**
 * The counts of a lead, each on its own day.
 *
 * @see docs/spec/money.md "Reports"
 */
export function leadFacts(lead: Lead): Fact[] {
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
