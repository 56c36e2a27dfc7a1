import type { Payment, PaymentOrder, PaymentState } from "./payment.ts";
import { DAY_MS } from "../../span.ts";

/** A provider's report on one payment. */
export interface Report {
  reference: string;
  state: Exclude<PaymentState, "intent">;
  /** In the currency's minor unit, or null if not reported. */
  amount: number | null;
  currency: string | null;
  provider_id: string | null;
  fee: number | null;
  error: string | null;
  is_payee_fault?: boolean;
}

/** A provider's answer about an order. */
export type Answer =
  /**
   * It has the order. `isComplete`: it lists all payments that it accepted, so missing ones were not
   * accepted. `gap`: why its list lacks payments that it has accepted.
   */
  | { kind: "taken"; provider_id: string | null; reports: Report[]; isComplete: boolean; gap?: string }
  /** It has refused the whole request. `faults` are the payments at fault. */
  | { kind: "refused"; reason: string; faults: { reference: string; reason: string }[] }
  /** It certainly does not have the order. */
  | { kind: "absent" }
  /** It has no API for this: only a refused repetition would tell. */
  | { kind: "unaskable" }
  /** A time-out, a fault, no answer: it may have paid or not. */
  | { kind: "unknown"; reason: string };

/** The states that may follow each state. Any other report is outdated, or a contradiction. */
const NEXT: Record<PaymentState, readonly PaymentState[]> = {
  intent: ["asked", "unclaimed", "confirmed", "failed", "partly_returned", "returned"],
  asked: ["unclaimed", "confirmed", "failed", "partly_returned", "returned"],
  unclaimed: ["confirmed", "failed", "partly_returned", "returned"],
  confirmed: ["partly_returned", "returned"],
  failed: [],
  partly_returned: ["returned"],
  returned: [],
};

/** The same after a person's decision, which the provider's report replaces. */
const NEXT_OF_DECIDED: Record<PaymentState, readonly PaymentState[]> = {
  ...NEXT,
  confirmed: ["failed", "partly_returned", "returned"],
  failed: ["asked", "unclaimed", "confirmed", "partly_returned", "returned"],
};

/** No provider reports one of the second after the first. A person must decide. */
const CONTRADICTIONS: Partial<Record<PaymentState, readonly PaymentState[]>> = {
  confirmed: ["failed"],
  partly_returned: ["failed"],
  failed: ["confirmed", "partly_returned"],
};

/** The effect of a report. `old`: none, because it is repeated or late. */
export function judge(
  { state, decided_by }: Pick<Payment, "state" | "decided_by">,
  said: PaymentState,
): "new" | "old" | "contradiction" {
  if ((decided_by === undefined ? NEXT : NEXT_OF_DECIDED)[state].includes(said)) return "new";
  return CONTRADICTIONS[state]?.includes(said) ? "contradiction" : "old";
}

const MINUTE_MS = 60 * 1_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A person is asked after this time, so that no payment is undecided for longer than an hour. */
const TELL_AFTER_MS = 50 * MINUTE_MS;
/** Money seldom comes back later than this. After that, only an event or a person reports it. */
const WATCHED_MS = 45 * DAY_MS;
/** Longer than any request. */
const LONGEST_REQUEST_MS = HOUR_MS;
/** The longest time between two questions about an order. */
export const LONGEST_WAIT_MS = DAY_MS;

type Asked = Pick<
  PaymentOrder,
  "attempts" | "first_asked_at" | "last_asked_at" | "is_settled" | "silent_since" | "created_at"
>;
type AskedOrder = Asked & Pick<PaymentOrder, "asked_account">;

/** Since when the outcome of an order is unknown, or null if the provider reports it. */
export function untoldSince({ is_settled, silent_since, first_asked_at, created_at }: Asked): string | null {
  return is_settled ? silent_since : (first_asked_at ?? created_at);
}

/** Whether the outcome of an order has been unknown for so long that a person must decide. */
export function isOverdue(order: Asked, now: Date): boolean {
  const since = untoldSince(order);
  return since !== null && now.getTime() - Date.parse(since) >= TELL_AFTER_MS;
}

/**
 * Whether an order may be sent again after the provider was asked about it. While the provider refuses
 * repetitions, a repetition pays at most once. After that, it is repeated only if the provider certainly does
 * not have it. Another account at the provider does not know which payments the first one made, so it is
 * never asked.
 */
export function mayRepeat(
  { first_asked_at, last_asked_at, is_settled, asked_account }: AskedOrder,
  answer: Answer["kind"],
  { account, refusesRepetitionsMs, now }: { account: string; refusesRepetitionsMs: number; now: Date },
): boolean {
  if (is_settled || (answer !== "absent" && answer !== "unaskable")) return false;
  if (first_asked_at === null || last_asked_at === null) return true;
  if (asked_account !== account) return false;
  if (now.getTime() - Date.parse(first_asked_at) < refusesRepetitionsMs) return true;
  return answer === "absent" && now.getTime() - Date.parse(last_asked_at) >= LONGEST_REQUEST_MS;
}

/**
 * An order, after a clock that was ahead has been set right: what it places in the future has happened by now. An order would
 * otherwise be asked about, decided or forgotten only when that time comes.
 */
export function inPast(order: PaymentOrder, now: Date): PaymentOrder {
  const at = now.toISOString();
  const past = <Time extends string | null>(time: Time) => (time !== null && time > at ? at : time);
  return {
    ...order,
    created_at: past(order.created_at),
    first_asked_at: past(order.first_asked_at),
    last_asked_at: past(order.last_asked_at),
    silent_since: past(order.silent_since),
  };
}

/** When to ask about an order again, or null. */
export function nextAskAt(order: Asked, states: readonly PaymentState[], now: Date): string | null {
  const waitMs = waitOf(order, states, now);
  return waitMs === null ? null : new Date(now.getTime() + waitMs).toISOString();
}

function waitOf(order: Asked, states: readonly PaymentState[], now: Date): number | null {
  const ageMs = now.getTime() - Date.parse(order.first_asked_at ?? order.created_at);
  if (!order.is_settled) {
    if (isOverdue(order, now)) return HOUR_MS;
    return Math.min(2 ** Math.max(0, order.attempts - 1) * MINUTE_MS, TELL_AFTER_MS - ageMs, 10 * MINUTE_MS);
  }
  if (states.some((state) => state === "intent" || state === "asked"))
    return ageMs < HOUR_MS ? 5 * MINUTE_MS : HOUR_MS;
  if (states.includes("unclaimed")) return untoldSince(order) === null ? 6 * HOUR_MS : HOUR_MS;
  return states.some((state) => state === "confirmed" || state === "partly_returned") && ageMs < WATCHED_MS
    ? LONGEST_WAIT_MS
    : null;
}
