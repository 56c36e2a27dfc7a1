import type { Lead } from "../records.ts";
import type { Fact } from "./stats.ts";

/**
 * What a lead counts for, each fact on its own day.
 *
 * Choice: a denied customer is a customer, but no active one; whoever cancels counts as a
 * cancellation, customer or not.
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
