import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { createPaymentsBatch, payBatch } from "../payments-batch/changes.ts";
import type { PaymentsBatch } from "../payments-batch/batch.ts";
import type { PayoutMethodName } from "../payout-method/payout-method.ts";
import { generatePayouts } from "../payout-run/generate.ts";
import { latestPeriod, payouts, type Period } from "../payout/payout.ts";
import { movePayout } from "../payout/status.ts";
import { asItIs } from "../show.ts";
import { DAY_MS, type SeedPlan } from "./plan.ts";

const PERIODS = 12;

/**
 * Makes the payouts of the last twelve periods. All but the last two are paid. Of the last but one, those that can be
 * paid went into payments batches. Those of the latest are due, and some of them are in a batch already.
 */
export async function seedPayouts({ context, account }: SeedPlan): Promise<void> {
  const periods: Period[] = [latestPeriod(account, context.now)];
  while (periods.length < PERIODS) {
    periods.unshift(latestPeriod(account, new Date(periods[0]!.start)));
  }
  for (const [at, period] of periods.entries()) {
    const dayAfter = new Date(Date.parse(period.end) + DAY_MS);
    const then = { ...context, now: dayAfter < context.now ? dayAfter : context.now };
    const run = generatePayouts(then, account, period);
    while (!(await run.next()).done);
    if (at < PERIODS - 2) await payAll(then, account);
    if (at === PERIODS - 2) await payBatches(then, account);
    if (at === PERIODS - 1) await createBatch(then, account, "paypal");
  }
}

async function payAll(context: Context, { id: accountId }: Account): Promise<void> {
  for (const id of await pendingPayouts(context, accountId)) {
    await movePayout(context, accountId, { id, to: "completed" });
  }
}

/** Pays by two batches, of which one is complete. The other one has failed for one promoter. */
async function payBatches(context: Context, account: Account): Promise<void> {
  await payBatchOf(context, account, { method: "paypal", error: null });
  await payBatchOf(context, account, { method: "wise", error: "The recipient's account is closed" });
}

async function payBatchOf(
  context: Context,
  account: Account,
  { method, error }: { method: PayoutMethodName; error: string | null },
): Promise<void> {
  const { store } = context;
  const batch = await createBatch(context, account, method);
  if (batch === null) return;
  await payBatch(context, account.id, { id: batch.id, show: asItIs });
  let failure = error;
  for await (const chunk of store.scan(payouts, "batch", account.id, [batch.id])) {
    for (const { id } of chunk) {
      await movePayout(context, account.id, {
        id,
        to: failure === null ? "completed" : "failed",
        error: failure,
      });
      failure = null;
    }
  }
}

/** null: no payout can be paid by this method. */
async function createBatch(
  context: Context,
  account: Account,
  method: PayoutMethodName,
): Promise<PaymentsBatch | null> {
  try {
    return (await createPaymentsBatch(context, account, { method, show: asItIs })).batch;
  } catch (error) {
    if (error instanceof Failure && error.kind === "refused") return null;
    throw error;
  }
}

/** The pending payouts that were made by now. Rewards other than money get theirs when they are earned. */
async function pendingPayouts({ store, now }: Context, accountId: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const chunk of store.scan(payouts, "status", accountId, ["pending"])) {
    ids.push(...chunk.filter(({ createdAt }) => Date.parse(createdAt) <= now.getTime()).map(({ id }) => id));
  }
  return ids;
}
