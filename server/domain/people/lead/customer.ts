import { Failure } from "../../../failure.ts";
import { type Transaction, findTaken } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { announce } from "../../events/event.ts";
import { leads, settled, type CustomerChange, type Lead, type LeadState } from "./lead.ts";
import { loadLead } from "./search.ts";

/**
 * The lead after a change, with the history that reports count from then on. A later change adds to the
 * history and removes nothing, so the reports of closed months stay. Every change of a lead's state or
 * customer dates goes through here.
 *
 * @param at when it happened
 * @see docs/spec/money.md "Reports"
 */
export function withHistory(before: Lead | null, after: Lead, at: string): Lead {
  if (after.customer_since === null) return { ...after, customer_history: [] };
  const known = before === null || before.customer_since === null ? [] : historyOf(before);
  const { customer_history } = withCancellation({ ...after, customer_history: known }, after.cancelled_at);
  const history = customer_history ?? known;
  const isActive = isActiveState(after);
  if (isActive === wasActive(history)) return { ...after, customer_history: history };
  const happened = after.state === "cancelled" ? (after.cancelled_at ?? at) : at;
  // An event that is reported late must not precede the event that it undoes.
  const moves = history.filter(({ kind }) => kind !== "cancelled").map((change) => change.at);
  const latest = [after.customer_since, ...moves, happened].toSorted().at(-1) ?? happened;
  const change: CustomerChange = { kind: isActive ? "returned" : "left", at: latest };
  return { ...after, customer_history: [...history, change] };
}

/**
 * The lead with a cancellation that is reported after its next sale. It counts as if it had come in time, and
 * the lead's state stays.
 */
export function withLateCancellation(lead: Lead, at: string, boughtAgainAt: string): Lead {
  const after = withCancellation(lead, at);
  if (after === lead) return lead;
  const history = historyOf(after);
  const moves = history.filter(({ kind }) => kind !== "cancelled");
  const wasCustomer = wasActive(moves.filter((move) => move.at <= at));
  if (!wasCustomer || moves.some((move) => move.at > at && move.at <= boughtAgainAt)) return after;
  const gap: CustomerChange[] = [
    { kind: "left", at },
    { kind: "returned", at: boughtAgainAt },
  ];
  const customerHistory = [...history, ...gap].toSorted((one, other) => one.at.localeCompare(other.at));
  return { ...after, customer_history: customerHistory };
}

/**
 * The lead without a cancellation that turned out not to be the customer's last, and without the return that followed it.
 * Unchanged if there was none at this instant.
 */
export function withoutCancellation(lead: Lead, at: string): Lead {
  const history = historyOf(lead);
  if (lead.cancelled_at !== at && !history.some((change) => change.at === at)) return lead;
  const isAt = (kind: CustomerChange["kind"]) => (change: CustomerChange) =>
    change.kind === kind && change.at === at;
  const leftIndex = history.findIndex(isAt("left"));
  const nextIndex = history.findIndex(({ kind }, index) => index > leftIndex && kind !== "cancelled");
  const isGone = (change: CustomerChange, index: number) =>
    isAt("cancelled")(change) || (leftIndex >= 0 && (index === leftIndex || index === nextIndex));
  const after = { ...lead, customer_history: history.filter((change, index) => !isGone(change, index)) };
  if (lead.cancelled_at !== at) return after;
  const open = { ...after, cancelled_at: null, cancellation_id: null };
  return { ...open, state: lead.state === "cancelled" ? stateOf(open) : lead.state };
}

/** The instants of all cancellations of a lead, including those followed by another purchase. */
export function cancellationsOf(lead: Lead): string[] {
  const past = historyOf(lead).filter(({ kind }) => kind === "cancelled");
  const all = [...past.map(({ at }) => at), ...(lead.cancelled_at === null ? [] : [lead.cancelled_at])];
  return [...new Set(all)];
}

/**
 * Turns a promoter's proposal into a sign-up, which then owns its e-mail address. Other leads stay unchanged.
 *
 * @throws Failure `not_found`, `refused` for a disabled lead, `taken` if the person is a lead already
 */
export function approveLead(tx: Transaction, context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(tx, context, accountId, {
    id,
    to: ({ state }) => {
      if (state === "denied") throw new Failure("refused", "The lead is disabled; enable it first");
      return state === "pending" ? "signup" : state;
    },
  });
}

/** Denies a lead. Its later sales earn nothing. @throws Failure `not_found` */
export function disableLead(tx: Transaction, context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(tx, context, accountId, { id, to: () => "denied" });
}

/**
 * Lifts the denial of a lead. Leads that are not denied stay unchanged.
 *
 * @throws Failure `not_found`
 */
export function enableLead(tx: Transaction, context: Context, accountId: number, id: number): Promise<Lead> {
  return changeState(tx, context, accountId, {
    id,
    to: (lead) => (lead.state === "denied" ? stateOf(lead) : lead.state),
  });
}

/** Earlier releases stored no history. For their leads it is derived from what they counted. */
function historyOf({ customer_history, customer_since, cancelled_at, state }: Lead): CustomerChange[] {
  if (customer_history !== undefined) return customer_history;
  const history: CustomerChange[] = [];
  if (cancelled_at !== null) history.push({ kind: "cancelled", at: cancelled_at });
  const leftAt = state === "denied" || state === "refunded" ? customer_since : cancelled_at;
  if (leftAt !== null) history.push({ kind: "left", at: leftAt });
  return history;
}

/** The lead with one more cancellation, if it was a customer by then. */
function withCancellation(lead: Lead, at: string | null): Lead {
  const history = historyOf(lead);
  const isOfCustomer = at !== null && lead.customer_since !== null && lead.customer_since <= at;
  const isKnown = history.some((change) => change.kind === "cancelled" && change.at === at);
  if (!isOfCustomer || isKnown) return lead;
  return { ...lead, customer_history: [...history, { kind: "cancelled", at }] };
}

function isActiveState({ state }: Lead): boolean {
  return state !== "denied" && state !== "refunded" && state !== "cancelled";
}

/** A customer is active at first. */
function wasActive(history: CustomerChange[]): boolean {
  return history.findLast(({ kind }) => kind !== "cancelled")?.kind !== "left";
}

async function changeState(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, to }: { id: number; to: (lead: Lead) => LeadState },
): Promise<Lead> {
  const before = await loadLead(tx, accountId, { id, uid: null, email: null });
  const state = to(before);
  if (state === before.state) return before;
  const after = withHistory(before, settled({ ...before, state }), context.now.toISOString());
  const taken = await findTaken(tx, leads, { record: after, unique: ["email", "uid"] });
  if (Object.keys(taken).length > 0) throw new Failure("taken", "The person is already a lead", taken);
  await tx.put(leads, after);
  await announce(tx, context, { entity: "referral", before, after });
  return after;
}

/**
 * The state before a denial is not stored.
 *
 * @see docs/spec/v2.md "Referrals", 4
 */
function stateOf({
  is_proposal,
  customer_since,
  cancelled_at,
  sales_count,
  refunded_sales_count,
}: Lead): LeadState {
  if (is_proposal) return "pending";
  if (cancelled_at !== null) return "cancelled";
  if (sales_count > 0 && refunded_sales_count === sales_count) return "refunded";
  return customer_since === null ? "signup" : "active";
}
