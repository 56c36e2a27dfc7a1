import { sql } from "kysely";
import { Failure, isOutage } from "../../../failure.ts";
import { among, type Schema } from "../../../storage/query.ts";
import type { Store, View, Transaction } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import type { Context, JobContext } from "../../context.ts";
import type { Unit } from "../../money.ts";
import { findSelectedPayoutMethod, type PayoutMethod } from "../payout-method/payout-method.ts";
import { payouts, latestPeriod, payoutTerms, periodAt, type Period, type Payout } from "../payout/payout.ts";
import {
  groupOf,
  groupQuery,
  insertPayout,
  takeUnpaid,
  unpaidGroups,
  type UnpaidGroup,
} from "../payout/creation.ts";
import { ownGroups, setOffsOf, sumOfSetOffs, writeSetOffs } from "./set-off.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import { loadPromoterTotals } from "../../people/daily.ts";

const fields = {
  id: integer(),
  /** The period's name, shared by all payouts of the run. It is unique within an account. */
  group_ref: text(),
  period_start: time(),
  period_end: time(),
  started_at: time(),
  /** Null while it is running, or if it was interrupted. */
  finished_at: time().nullable(),
};

/** Makes the payouts of one period, once. Its record lets an interrupted run continue. */
export type PayoutRun = RowOf<typeof fields>;

export const payoutRuns = table("payout-run", fields, {
  unique: { group_ref: ["group_ref"] },
});

type Moment = Pick<Context, "store" | "now">;

/** Begins the run of a period, or continues it. @throws Failure `refused` if the period is not over */
async function beginRun(context: Moment, accountId: number, period: Period): Promise<PayoutRun> {
  const { store, now } = context;
  if (Date.parse(period.end) >= now.getTime()) {
    throw new Failure("refused", `The period ${period.key} is not over yet`);
  }
  const id = await store.nextId("payout-run");
  return store.transact(async (tx) => {
    const known = await tx.find(payoutRuns, "group_ref", accountId, [period.key]);
    if (known !== null) return known;
    const { start } = await joined(tx.view, accountId, period);
    const run: PayoutRun = {
      account_id: accountId,
      id,
      group_ref: period.key,
      period_start: start,
      period_end: period.end,
      started_at: now.toISOString(),
      finished_at: null,
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
async function joined(view: View, accountId: number, period: Period): Promise<Period> {
  const [last] = await view.page(payoutRuns, "id", accountId, [], { limit: 1, reverse: true });
  if (last === undefined) return period;
  const startMs = Date.parse(last.period_end) + 1;
  const isNext = Math.abs(startMs - Date.parse(period.start)) <= MOST_SHIFT_MS;
  return isNext ? { ...period, start: new Date(startMs).toISOString() } : period;
}

/** Records that a run is complete. A repeated run keeps the first end. */
function finishRun({ store, now }: Moment, { account_id, id }: PayoutRun): Promise<PayoutRun> {
  return store.transact(async (tx) => {
    const run = await tx.get(payoutRuns, account_id, id);
    if (run === null) throw new Failure("not_found", "Payout run not found.");
    const finished = { ...run, finished_at: run.finished_at ?? now.toISOString() };
    await tx.put(payoutRuns, finished);
    return finished;
  });
}

/** Whether the run of a period has ended. */
async function isFinished(store: Store, accountId: number, { key }: Period): Promise<boolean> {
  const run = await store.find(payoutRuns, "group_ref", accountId, [key]);
  return run !== null && run.finished_at !== null;
}

/** The number of a run's payouts. */
export async function payoutCounts(view: View, runs: PayoutRun[]): Promise<number[]> {
  const names = runs.map(({ group_ref }) => group_ref);
  const query = view
    .query<Schema<{ payouts: typeof payouts }>>()
    .selectFrom("payouts")
    .select(["group_ref", sql<number>`count(*)`.as("total")])
    .where("account_id", "=", runs[0]?.account_id ?? 0)
    .where(among("group_ref", names))
    .groupBy("group_ref");
  const counts = new Map((await view.rows(query)).map((row) => [row.group_ref, Number(row.total)]));
  return names.map((name) => counts.get(name) ?? 0);
}

/** The number of runs that a list shows: ten years of weeks. */
const LISTED = 520;

/** An account's runs, newest first. */
export function listRuns(store: Store, accountId: number): Promise<PayoutRun[]> {
  return store.page(payoutRuns, "id", accountId, [], { limit: LISTED, reverse: true });
}

/** Why commissions get no payout yet. The next run considers them again. */
export const CARRY_REASONS = {
  nothing_to_pay: "There is nothing to pay: the sum is not above zero",
  below_minimum: "The sum is below the minimum payment",
  too_few_customers: "The promoter has too few paying customers",
  no_payout_method: "The promoter has no payout method",
} as const;
type CarryReason = keyof typeof CARRY_REASONS;

/** The unpaid commissions of one promoter, campaign and unit, and the relevant facts about the promoter. */
interface UnpaidSum {
  unit: Unit;
  /** The sum of the commissions. Negative if refunds took back more than was earned. */
  amount: number;
  /** Customers of the promoter who still pay. */
  active_customers: number;
  /** The method that the promoter has selected. */
  method: Pick<PayoutMethod, "is_disabled"> | null;
}

type Rules = Pick<Account, "min_payment_cents" | "min_paying_customers" | "requires_payout_method">;

/**
 * The reason why a run does not pay commissions yet, or null. The account's rules are about money; other
 * units are paid whenever their sum is above zero.
 *
 * @see docs/spec/states.md "Payout runs"
 */
export function carryReason({ unit, amount, active_customers, method }: UnpaidSum, rules: Rules) {
  if (amount <= 0) return "nothing_to_pay";
  if (unit !== "cash") return null;
  if (amount < rules.min_payment_cents) return "below_minimum";
  if (active_customers < rules.min_paying_customers) return "too_few_customers";
  if (rules.requires_payout_method && (method === null || method.is_disabled)) return "no_payout_method";
  return null;
}

/** The progress of a run. */
interface RunProgress {
  commissions: number;
  payouts: number;
}

/** A group that could not be paid. */
interface Fault {
  group: UnpaidGroup;
  error: unknown;
}

/** The number of faults that an error names. */
const MAX_NAMED = 10;

/**
 * Makes the payouts of a period: one for each promoter, campaign and unit, from all unpaid commissions made
 * by the period's end. It yields after each of them, while the next ones are being made.
 *
 * Each payout is one commit. So the run may be interrupted, repeated, or done by two processes in parallel:
 * it adds the missing payouts and changes no others. A payout that can't be made does not block others. The
 * run then stays unfinished, so that the next one retries it.
 *
 * @throws Failure `refused` if the period is not over; Error at the end, if a payout could not be made
 * @see docs/spec/states.md "Payout runs"
 */
export async function* generatePayouts(
  context: Pick<Context, "store" | "now">,
  account: Account,
  period: Period,
): AsyncGenerator<RunProgress, PayoutRun> {
  const run = await beginRun(context, account.id, period);
  const done: RunProgress = { commissions: 0, payouts: 0 };
  const faults: Fault[] = [];
  let faultCount = 0;
  for await (const { group, payout, error } of paidGroups(context, account, run)) {
    done.commissions += group.commissionsCount;
    if (payout !== null) done.payouts += 1;
    if (error !== null && ++faultCount <= MAX_NAMED) faults.push({ group, error });
    yield { ...done };
  }
  if (faultCount > 0) throw faultOf(run, faults, faultCount);
  return finishRun(context, run);
}

/** The number of failed accounts that one report names. */
const MAX_REPORTED = 10;

/**
 * Runs the payouts of every account whose latest period is over and has no finished run, in steps. After a
 * longer outage, one run pays for all missed periods. An account made after the period's end has nothing to
 * pay for it.
 *
 * An account whose run fails does not block others.
 *
 * @throws Failure `unavailable`; AggregateError at the end, if runs failed
 */
export async function* runDuePayouts({ store, clock }: JobContext): AsyncGenerator<void> {
  const errors: unknown[] = [];
  for await (const account of servedAccounts(store)) {
    try {
      yield* runDue({ store, clock }, account);
    } catch (error) {
      if (isOutage(error)) throw error;
      if (errors.length < MAX_REPORTED) errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "Payout runs failed");
}

/** The outcome of a run for the unpaid commissions of one promoter, campaign and unit. */
export interface PreviewedPayout extends UnpaidGroup {
  /** How much of it pays back debts in other campaigns. */
  set_off: number;
  /** The reason why a run would not pay it yet, or null. */
  carryReason: CarryReason | null;
}

/** A page of the payouts that the next run would make. */
interface RunPreview {
  period: Period;
  payouts: PreviewedPayout[];
  /** How many there are on all pages. */
  total: number;
}

/** The payouts that the run of the current period would make if it ended now. */
export async function previewRun(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  { offset, limit }: { offset: number; limit: number },
): Promise<RunPreview> {
  const period = await joined(store, account.id, periodAt(account, now));
  const all = groupQuery(store, account.id, now.toISOString());
  const length = store
    .query()
    .selectFrom(all.clearOrderBy().as("groups"))
    .select(sql<number>`count(*)`.as("total"));
  const [rows, [count]] = await Promise.all([
    store.rows(all.limit(limit).offset(offset)),
    store.rows(length),
  ]);
  const payouts: PreviewedPayout[] = [];
  for (const group of rows.map(groupOf)) {
    const { active_customers } = await loadPromoterTotals(store, account.id, group.promoter_id);
    const method = await findSelectedPayoutMethod(store, account.id, group.promoter_id);
    const groups = await ownGroups(store, account.id, { ...group, until: now.toISOString() });
    const setOff = sumOfSetOffs(setOffsOf(groups, group.campaign_id));
    const sum = { unit: group.unit, amount: group.amount - setOff, active_customers, method };
    payouts.push({ ...group, set_off: setOff, carryReason: carryReason(sum, account) });
  }
  return { period, payouts, total: Number(count?.total) };
}

interface PaidGroup {
  group: UnpaidGroup;
  payout: Payout | null;
  /** Null without an error. */
  error: unknown;
}

/** Payouts that are made in parallel. On SQLite they share a commit. */
const MADE_AT_ONCE = 32;

/**
 * Pays the groups of a run. Returns them in their order.
 *
 * @throws Failure `unavailable`
 */
async function* paidGroups(
  context: Pick<Context, "store" | "now">,
  account: Account,
  run: PayoutRun,
): AsyncGenerator<PaidGroup> {
  const underWay: Promise<PaidGroup>[] = [];
  try {
    for await (const group of unpaidGroups(context.store, run.account_id, run.period_end)) {
      const paid = payGroup(context, account, { run, group }).then(
        (payout) => ({ group, payout, error: null }),
        (error: unknown) => {
          if (isOutage(error)) throw error;
          return { group, payout: null, error };
        },
      );
      paid.catch(() => {}); // an outage is thrown when its turn comes
      underWay.push(paid);
      if (underWay.length === MADE_AT_ONCE) yield underWay.shift()!;
    }
    while (underWay.length > 0) yield underWay.shift()!;
  } finally {
    // The store may be closed after this.
    await Promise.allSettled(underWay);
  }
}

/** Rolls back a transaction whose commissions turn out not to be payable yet. */
const CARRIED = new Error("The commissions wait for the next run");

/** Makes the payout of one group. Null if it is carried over, or this run has already paid the group. */
async function payGroup(
  context: Pick<Context, "store" | "now">,
  account: Account,
  { run, group }: { run: PayoutRun; group: UnpaidGroup },
): Promise<Payout | null> {
  const { store } = context;
  const { promoter_id, campaign_id, unit } = group;
  const id = await store.nextId("payout");
  return store
    .transact(async (tx) => {
      // Other processes that pay or erase this promoter wait.
      const promoter = await tx.lock(promoters, account.id, promoter_id);
      if (promoter === null) throw new Failure("not_found", "Promoter not found.");
      const made = await tx.find(payouts, "run", account.id, [run.id, promoter_id, campaign_id, unit]);
      // Commissions approved after the run has paid the others wait for the next run.
      if (made !== null) return null;
      const standing = await standingOf(tx, account, promoter_id);
      const isCarried = (amount: number) => carryReason({ unit, amount, ...standing }, account) !== null;
      const until = run.period_end;
      const groups = await ownGroups(tx.view, account.id, { promoter_id, unit, until });
      const setOffs = setOffsOf(groups, campaign_id);
      const setOff = sumOfSetOffs(setOffs);
      // Other transactions may change commissions until they are in the payout, so the sum is read again.
      if (isCarried(group.amount - setOff)) return null;
      const own = { account_id: account.id, promoter_id, campaign_id, unit };
      const taken = await takeUnpaid(tx, own, { until, payout_id: id });
      if (taken === null || isCarried(taken.amount - setOff)) throw CARRIED;
      await writeSetOffs(tx, context, { taken, set_offs: setOffs, payout_id: id, at: until });
      const period = { start: run.period_start, end: run.period_end };
      const amount = taken.amount - setOff;
      const terms = payoutTerms({ unit, amount }, period, { ...account, promoter });
      const names = { id, run_id: run.id, group_ref: run.group_ref };
      return insertPayout(tx, context, { ...names, terms, latest: taken, set_offs: setOffs });
    })
    .catch((error: unknown) => {
      if (error === CARRIED) return null;
      throw error;
    });
}

/** Reads only the facts that the account's rules need. The others count as fulfilled. */
async function standingOf(tx: Transaction, account: Account, promoterId: number) {
  const { id, min_paying_customers, requires_payout_method } = account;
  const { active_customers } =
    min_paying_customers > 0 ? await loadPromoterTotals(tx.view, id, promoterId) : { active_customers: 0 };
  const method = requires_payout_method ? await findSelectedPayoutMethod(tx, id, promoterId) : null;
  return { active_customers, method };
}

function faultOf({ group_ref }: PayoutRun, faults: Fault[], count: number): Error {
  const named = faults.map(({ group: { promoter_id, campaign_id, unit }, error }) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `promoter ${promoter_id} in campaign ${campaign_id}, ${unit}: ${reason}`;
  });
  const number = count === 1 ? "One payout" : `${count} payouts`;
  const message = `${number} of the run ${group_ref} could not be made: ${named.join("; ")}`;
  return new Error(message, { cause: faults[0]?.error });
}

/** Payouts between two pauses of a run, so that requests come first. */
const BETWEEN_PAUSES = 100;

/** Runs the latest period of one account, if it is due. */
async function* runDue({ store, clock }: JobContext, account: Account): AsyncGenerator<void> {
  const now = clock();
  const period = latestPeriod(account, now);
  if (account.created_at > period.end || (await isFinished(store, account.id, period))) return;
  let count = 0;
  for await (const _progress of generatePayouts({ store, now }, account, period)) {
    count += 1;
    if (count % BETWEEN_PAUSES === 0) yield;
  }
  yield;
}
