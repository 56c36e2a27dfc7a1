import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { withHistory } from "./customer-history.ts";
import { leads, loadLead, settled } from "./lead.ts";
import type { Lead, LeadState } from "./record.ts";
import { findTaken } from "../../storage/taken.ts";

/**
 * Makes a lead that a promoter added by hand a sign-up, which from then on holds its e-mail address. Others stay.
 *
 * @throws Failure `not_found`, `refused` for a disabled lead, `taken` if the person is a lead already
 */
export function approveLead(context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(context, accountId, {
    id,
    to: ({ state }) => {
      if (state === "denied") throw new Failure("refused", "The lead is disabled; enable it first");
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
function stateOf({
  isProposal,
  customerSince,
  cancelledAt,
  salesCount,
  refundedSalesCount,
}: Lead): LeadState {
  if (isProposal) return "pending";
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
    const after = withHistory(before, settled({ ...before, state }), context.now.toISOString());
    const taken = await findTaken(tx, leads, { record: after, unique: ["email", "uid"] });
    if (Object.keys(taken).length > 0) throw new Failure("taken", "The person is a lead already", taken);
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before, after });
    return after;
  });
}
