import type { Lead } from "../records.ts";
import type { Fact } from "./stats.ts";

/**
 * The counts of a lead, each on its own day.
 *
 * Choice: a denied customer counts as a customer, but not as an active one. Whoever cancels counts as a cancellation,
 * customer or not.
 */
export function leadFacts({ createdAt, customerSince, cancelledAt, state }: Lead): Fact[] {
  const facts: Fact[] = [{ metric: "referrals", at: createdAt }];
  const isActive = customerSince !== null && state !== "denied";
  if (customerSince !== null) facts.push({ metric: "customers", at: customerSince });
  if (isActive) facts.push({ metric: "activeCustomers", at: customerSince });
  if (cancelledAt !== null) facts.push({ metric: "cancellations", at: cancelledAt });
  if (isActive && cancelledAt !== null) {
    facts.push({ metric: "activeCustomers", at: cancelledAt, amount: -1 });
  }
  return facts;
}
