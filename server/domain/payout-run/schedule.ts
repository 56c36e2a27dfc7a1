import type { Store } from "../../storage/store.ts";
import { servedAccounts } from "../account/served-accounts.ts";
import { latestPeriod } from "../payout/period.ts";
import { generatePayouts } from "./generate.ts";
import { isFinished } from "./run.ts";

/** Payouts between two pauses of a run, so that requests come first. */
const AT_ONCE = 100;

/**
 * Runs the payouts of every account whose latest period is over and has no finished run, in steps.
 *
 * Choice: after a longer time without a server, one run pays what all missed periods would have paid. An account that
 * was made after the period's end has nothing to pay for it.
 */
export async function* runDuePayouts({
  store,
  clock,
}: {
  store: Store;
  clock: () => Date;
}): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    const now = clock();
    const period = latestPeriod(account.payoutCycle, now);
    if (account.createdAt > period.end || (await isFinished(store, account.id, period))) continue;
    let count = 0;
    for await (const _progress of generatePayouts({ store, now }, account, period)) {
      count += 1;
      if (count % AT_ONCE === 0) yield;
    }
    yield;
  }
}
