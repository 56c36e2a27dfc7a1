import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { leads, loadLead } from "./lead.ts";
import type { Lead, LeadState } from "./record.ts";

/** Makes a lead that a promoter added by hand a sign-up. Others stay. @throws Failure `not_found`, `refused` */
export function approveLead(context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(context, accountId, {
    id,
    to: ({ state }) => {
      if (state === "denied") throw new Failure("refused", "The referral is disabled; enable it first");
      return state === "pending" ? "signup" : state;
    },
  });
}

/** Denies a lead. Its later sales earn nothing. @throws Failure `not_found` */
export function disableLead(context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(context, accountId, { id, to: () => "denied" });
}

/** Takes the denial of a lead back. Leads that are not denied stay. @throws Failure `not_found` */
export function enableLead(context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(context, accountId, {
    id,
    to: (lead) => (lead.state === "denied" ? stateOf(lead) : lead.state),
  });
}

/**
 * Choice: the state before a denial is not stored. It follows from the dates and sales, which a denial does
 * not change.
 */
function stateOf({ customerSince, cancelledAt, salesCount, refundedSalesCount }: Lead): LeadState {
  if (cancelledAt !== null) return "cancelled";
  if (salesCount > 0 && refundedSalesCount === salesCount) return "refunded";
  return customerSince === null ? "signup" : "active";
}

function changeState(
  context: Context,
  accountId: number,
  { id, to }: { id: number; to: (lead: Lead) => LeadState },
): Promise<Lead> {
  return context.store.transact(async (tx) => {
    const before = await loadLead(tx, accountId, { id, uid: null, email: null });
    const state = to(before);
    if (state === before.state) return before;
    const after = { ...before, state };
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before, after });
    return after;
  });
}
