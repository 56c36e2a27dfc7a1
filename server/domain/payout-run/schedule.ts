import { isOutage } from "../../failure.ts";
import { servedAccounts, type Account } from "../account/account.ts";
import type { Store } from "../../storage/store.ts";
import { latestPeriod } from "../payout/period.ts";
import { generatePayouts } from "./generate.ts";
import { isFinished } from "./run.ts";

/** Payouts between two pauses of a run, so that requests come first. */
const AT_ONCE = 100;

/** Failed accounts that one report names. */
const MAX_REPORTED = 10;

/** The parameters of a run. */
interface Run {
  store: Store;
  clock: () => Date;
}

/**
 * Runs the payouts of every account whose latest period is over and has no finished run, in steps.
 *
 * Choice: after a longer time without a server, one run pays what all missed periods would have paid. An account that
 * was made after the period's end has nothing to pay for it.
 *
 * An account whose run fails keeps no other waiting.
 *
 * @throws Failure `unavailable`; AggregateError at the end, if runs failed
 */
export async function* runDuePayouts({ store, clock }: Run): AsyncGenerator<void> {
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

/** Runs the latest period of one account, if it is due. */
async function* runDue({ store, clock }: Run, account: Account): AsyncGenerator<void> {
  const now = clock();
  const period = latestPeriod(account, now);
  if (account.createdAt > period.end || (await isFinished(store, account.id, period))) return;
  let count = 0;
  for await (const _progress of generatePayouts({ store, now }, account, period)) {
    count += 1;
    if (count % AT_ONCE === 0) yield;
  }
  yield;
}
