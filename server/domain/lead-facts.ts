import type { Lead } from "../records.ts";
import type { Transaction } from "../storage/store.ts";
import { countFact, type Metric } from "./stats.ts";

type Fact = { metric: Metric; at: string; delta: 1 | -1 };

/** Counts all that a lead stands for, each fact on its own day. */
export function countLead(tx: Transaction, lead: Lead): void {
  for (const fact of factsOf(lead)) count(tx, lead, fact);
}

/** Takes back all that was counted for a lead, before it changes or goes. */
export function uncountLead(tx: Transaction, lead: Lead): void {
  for (const fact of factsOf(lead)) count(tx, lead, { ...fact, delta: fact.delta === 1 ? -1 : 1 });
}

/**
 * A lead's facts follow from its record alone, so that what was counted can be taken back.
 *
 * Choice: a denied customer is a customer, but no active one; whoever cancels counts as a
 * cancellation, customer or not.
 */
function factsOf({ createdAt, customerSince, cancelledAt, state }: Lead): Fact[] {
  const facts: Fact[] = [{ metric: "referrals", at: createdAt, delta: 1 }];
  const isActive = customerSince !== null && state !== "denied";
  if (customerSince !== null) facts.push({ metric: "customers", at: customerSince, delta: 1 });
  if (isActive) facts.push({ metric: "activeCustomers", at: customerSince, delta: 1 });
  if (cancelledAt !== null) facts.push({ metric: "cancellations", at: cancelledAt, delta: 1 });
  if (isActive && cancelledAt !== null) facts.push({ metric: "activeCustomers", at: cancelledAt, delta: -1 });
  return facts;
}

function count(tx: Transaction, lead: Lead, { metric, at, delta }: Fact): void {
  const { accountId, promoterCampaignId: id, promoterId, campaignId } = lead;
  countFact(tx, { accountId, id, promoterId, campaignId }, { metric, at: new Date(at), delta });
}
