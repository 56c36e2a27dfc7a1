import { Failure, isOutage } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Payout } from "../payout/record.ts";
import type { PayoutRun } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { payoutTerms } from "../payout/terms.ts";
import { carryReason } from "./carry-reason.ts";
import { insertPayout } from "../payout/creation.ts";
import { findSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import type { Period } from "../payout/period.ts";
import { promoters } from "../promoter/promoter.ts";
import { loadPromoterTotals } from "../report/stats.ts";
import { beginRun, finishRun } from "./run.ts";
import { takeUnpaid, unpaidGroups, type UnpaidGroup } from "../payout/unpaid.ts";

/** How far a run is. */
export interface RunProgress {
  commissions: number;
  payouts: number;
}

/**
 * Makes the payouts of a period: one for each promoter, campaign and unit, from all unpaid commissions that
 * were made by the period's end. It yields after each of them, while the next ones are under way.
 *
 * Each payout is one commit. So the run may be interrupted, repeated, or done by two processes at once: it
 * adds the missing payouts and changes no others. A payout that can't be made keeps nobody else waiting. The run
 * then stays unfinished, so that the next one tries it again.
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

/** A group that could not be paid. */
interface Fault {
  group: UnpaidGroup;
  error: unknown;
}

/** How many faults an error names. */
const MAX_NAMED = 10;

function faultOf({ groupRef }: PayoutRun, faults: Fault[], count: number): Error {
  const named = faults.map(({ group: { promoterId, campaignId, unit }, error }) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `promoter ${promoterId} in campaign ${campaignId}, ${unit}: ${reason}`;
  });
  const number = count === 1 ? "One payout" : `${count} payouts`;
  const message = `${number} of the run ${groupRef} could not be made: ${named.join("; ")}`;
  return new Error(message, { cause: faults[0]?.error });
}

interface PaidGroup {
  group: UnpaidGroup;
  payout: Payout | null;
  /** null: none. */
  error: unknown;
}

/** Payouts that are made at once. On SQLite they share a commit. */
const AT_ONCE = 32;

/** Pays the groups of a run. Returns them in their order. @throws Failure `unavailable` */
async function* paidGroups(
  context: Pick<Context, "store" | "now">,
  account: Account,
  run: PayoutRun,
): AsyncGenerator<PaidGroup> {
  const underWay: Promise<PaidGroup>[] = [];
  try {
    for await (const group of unpaidGroups(context.store, run.accountId, run.periodEnd)) {
      const paid = payGroup(context, account, { run, group }).then(
        (payout) => ({ group, payout, error: null }),
        (error: unknown) => {
          if (isOutage(error)) throw error;
          return { group, payout: null, error };
        },
      );
      paid.catch(() => {}); // an outage is thrown when its turn comes
      underWay.push(paid);
      if (underWay.length === AT_ONCE) yield underWay.shift()!;
    }
    while (underWay.length > 0) yield underWay.shift()!;
  } finally {
    // The store may be closed after this.
    await Promise.allSettled(underWay);
  }
}

/** Undoes a transaction whose commissions are not to be paid yet after all. */
const CARRIED = new Error("The commissions wait for the next run");

/** Makes the payout of one group. null: it is carried over, or this run has paid the group already. */
async function payGroup(
  context: Pick<Context, "store" | "now">,
  account: Account,
  { run, group }: { run: PayoutRun; group: UnpaidGroup },
): Promise<Payout | null> {
  const { store } = context;
  const { promoterId, campaignId, unit } = group;
  const id = await store.nextId("payout");
  return store
    .transact(async (tx) => {
      // Another process that pays this promoter, or erases them, waits.
      const promoter = await tx.lock(promoters, account.id, promoterId);
      if (promoter === null) throw new Failure("not_found", "Promoter not found.");
      const made = await tx.find(payouts, "run", account.id, [run.id, promoterId, campaignId, unit]);
      // Commissions that were approved after the run has paid the others wait for the next run.
      if (made !== null) return null;
      const standing = await standingOf(tx, account, promoterId);
      const isCarried = (amount: number) => carryReason({ unit, amount, ...standing }, account) !== null;
      // Others may change commissions until they are in the payout. So what they add up to is read again.
      if (isCarried(group.amount)) return null;
      const own = { accountId: account.id, promoterId, campaignId, unit };
      const paid = await takeUnpaid(tx, own, { until: run.periodEnd, payoutId: id });
      if (paid === null || isCarried(paid.amount)) throw CARRIED;
      const period = { start: run.periodStart, end: run.periodEnd };
      const terms = payoutTerms({ unit, amount: paid.amount }, period, { ...account, promoter });
      return insertPayout(tx, context, { id, runId: run.id, groupRef: run.groupRef, terms, latest: paid });
    })
    .catch((error: unknown) => {
      if (error === CARRIED) return null;
      throw error;
    });
}

/** Reads only the facts that the account's rules ask for. Others count as fine. */
async function standingOf(tx: Transaction, account: Account, promoterId: number) {
  const { id, minPayingCustomers, requiresPayoutMethod } = account;
  const { activeCustomers } =
    minPayingCustomers > 0 ? await loadPromoterTotals(tx.view, id, promoterId) : { activeCustomers: 0 };
  const method = requiresPayoutMethod ? await findSelectedPayoutMethod(tx, id, promoterId) : null;
  return { activeCustomers, method };
}
