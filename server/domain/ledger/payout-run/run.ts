import { Failure } from "../../../failure.ts";
import { findPage, type Found, type Schema, type Window } from "../../../storage/query.ts";
import type { Store, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Account } from "../../program/account/account.ts";
import type { Context } from "../../context.ts";
import type { Unit } from "../../money.ts";
import type { PayoutMethod } from "../payout-method/payout-method.ts";
import { payouts, type Period } from "../payout/payout.ts";

/** Makes the payouts of one period, once. Its record lets an interrupted run continue. */
export interface PayoutRun {
  accountId: number;
  id: number;
  /** The period's name, shared by all payouts of the run. It is unique within an account. */
  groupRef: string;
  periodStart: string;
  periodEnd: string;
  startedAt: string;
  /** Null while it is running, or if it was interrupted. */
  finishedAt: string | null;
}

export const payoutRuns = table<PayoutRun>()({
  name: "payout-run",
  columns: { id: "integer", group_ref: "text", period_end: "text", finished_at: "text" },
  unique: { groupRef: ["group_ref"] },
});

type Moment = Pick<Context, "store" | "now">;

/** Begins the run of a period, or continues it. @throws Failure `refused` if the period is not over */
export async function beginRun(context: Moment, accountId: number, period: Period): Promise<PayoutRun> {
  const { store, now } = context;
  if (Date.parse(period.end) >= now.getTime()) {
    throw new Failure("refused", `The period ${period.key} is not over yet`);
  }
  const id = await store.nextId("payout-run");
  return store.transact(async (tx) => {
    const known = await tx.find(payoutRuns, "groupRef", accountId, [period.key]);
    if (known !== null) return known;
    const { start } = await joined(tx.view, accountId, period);
    const run: PayoutRun = {
      accountId,
      id,
      groupRef: period.key,
      periodStart: start,
      periodEnd: period.end,
      startedAt: now.toISOString(),
      finishedAt: null,
    };
    await tx.insert(payoutRuns, run);
    return run;
  });
}

/** Time zones differ by 26 hours at most. */
const MOST_SHIFT_MS = 26 * 60 * 60 * 1_000;

/**
 * The period, starting at the end of the last run's. They differ if the account's time zone was changed in
 * between, or if the last run was made by a release that knew only UTC.
 */
export async function joined(view: View, accountId: number, period: Period): Promise<Period> {
  const [last] = await view.page(payoutRuns, "id", accountId, [], { limit: 1, reverse: true });
  if (last === undefined) return period;
  const startMs = Date.parse(last.periodEnd) + 1;
  const isNext = Math.abs(startMs - Date.parse(period.start)) <= MOST_SHIFT_MS;
  return isNext ? { ...period, start: new Date(startMs).toISOString() } : period;
}

/** Records that a run is complete. A repeated run keeps the first end. */
export function finishRun({ store, now }: Moment, { accountId, id }: PayoutRun): Promise<PayoutRun> {
  return store.transact(async (tx) => {
    const run = await tx.get(payoutRuns, accountId, id);
    if (run === null) throw new Failure("not_found", "Payout run not found.");
    const finished = { ...run, finishedAt: run.finishedAt ?? now.toISOString() };
    await tx.put(payoutRuns, finished);
    return finished;
  });
}

/** Whether the run of a period has ended. */
export async function isFinished(store: Store, accountId: number, { key }: Period): Promise<boolean> {
  const run = await store.find(payoutRuns, "groupRef", accountId, [key]);
  return run !== null && run.finishedAt !== null;
}

/** The number of a run's payouts. */
export function countOfRun(store: Store, { accountId, groupRef }: PayoutRun): Promise<number> {
  return store.count(payouts, "group", accountId, [groupRef]);
}

/** The number of runs that a list shows: ten years of weeks. */
const LISTED = 520;

/** An account's runs, newest first. */
export function listRuns(store: Store, accountId: number): Promise<PayoutRun[]> {
  return store.page(payoutRuns, "id", accountId, [], { limit: LISTED, reverse: true });
}

/** A page of an account's runs, newest first. */
export function findRuns(store: Store, accountId: number, window: Window): Promise<Found<PayoutRun>> {
  const query = store
    .query<Schema<{ payout_runs: typeof payoutRuns }>>()
    .selectFrom("payout_runs")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  return findPage(store, payoutRuns, { query, ...window });
}

/** Why commissions get no payout yet. The next run considers them again. */
export const CARRY_REASONS = {
  nothing_to_pay: "There is nothing to pay: the sum is not above zero",
  below_minimum: "The sum is below the minimum payment",
  too_few_customers: "The promoter has too few paying customers",
  no_payout_method: "The promoter has no payout method",
} as const;
export type CarryReason = keyof typeof CARRY_REASONS;

/** The unpaid commissions of one promoter, campaign and unit, and the relevant facts about the promoter. */
interface UnpaidSum {
  unit: Unit;
  /** The sum of the commissions. Negative if refunds took back more than was earned. */
  amount: number;
  /** Customers of the promoter who still pay. */
  activeCustomers: number;
  /** The method that the promoter has selected. */
  method: Pick<PayoutMethod, "isDisabled"> | null;
}

type Rules = Pick<Account, "minPaymentCents" | "minPayingCustomers" | "requiresPayoutMethod">;

/**
 * The reason why a run does not pay commissions yet, or null. The account's rules are about money; other
 * units are paid whenever their sum is above zero.
 *
 * @see docs/spec/states.md "Payout runs"
 */
export function carryReason({ unit, amount, activeCustomers, method }: UnpaidSum, rules: Rules) {
  if (amount <= 0) return "nothing_to_pay";
  if (unit !== "cash") return null;
  if (amount < rules.minPaymentCents) return "below_minimum";
  if (activeCustomers < rules.minPayingCustomers) return "too_few_customers";
  if (rules.requiresPayoutMethod && (method === null || method.isDisabled)) return "no_payout_method";
  return null;
}
