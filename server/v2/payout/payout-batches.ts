import { z } from "zod";
import { runBatch, type BatchProcess } from "../../domain/batch.ts";
import type { Context } from "../../domain/context.ts";
import { payCommissions } from "../../domain/ledger/payout-run/by-hand.ts";
import { movePayout, removePayout } from "../../domain/ledger/payout/status.ts";
import { text } from "../../input/fields.ts";
import type { Introduced } from "../../http/operation.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Payout } from "../../domain/ledger/payout/payout.ts";
import { BATCH, batchAnswer, batchOperation, idsBody } from "../batch/batch-processes.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

/** A payout of a batch, with the error that the request gives. */
interface Named {
  id: number;
  error: string | null;
}

/** Changes one payout, and returns it. */
type Work = (tx: Transaction, context: Context, accountId: number, payout: Named) => Promise<Payout>;

/** For payouts that a bank sent back. The original API has no such operation. The error is shown with the payout. */
const failedBody = idsBody.extend({
  error: field(text.optional(), "What went wrong, for people.", "Campaign 7 was not found"),
});

/** A batch of payouts, with an error for each payout that was not changed. @see docs/spec/v2.md "Batches" */
const payoutBatchAnswer = batchAnswer.schema
  .extend({
    processing_errors: field(
      z.array(
        z.object({
          id: field(z.int(), "Id of the payout.", 301),
          message: field(z.string(), "Why it was not changed.", "Payout not found."),
        }),
      ),
      "One entry for each payout that was not changed.",
    ),
  })
  .meta({ id: "PayoutBatchProcess" });

const answer = z.object({
  data: field(payoutBatchAnswer, "The records."),
  meta: field(
    z.object({
      total: field(z.number(), "Sum of the cash amounts, in cents.", 2000),
      promoters_count: field(z.int(), "How many promoters they belong to.", 8),
      total_incl_tax: field(z.number(), "Sum of the cash amounts with tax, in cents.", 2380),
      all_promoters_count: field(z.int(), "How many promoters the payouts belong to.", 8),
    }),
    "Further data.",
  ),
});

export const markAsPaidOperation = payoutBatch("mark_as_paid", {
  id: "markPayoutsAsPaid",
  summary: "Mark payouts as paid",
  description: "Records that you have paid these payouts.",
  work: (tx, context, accountId, { id }) => movePayout(tx, context, accountId, { id, to: "completed" }),
});

export const markAsUnpaidOperation = payoutBatch("mark_as_unpaid", {
  id: "markPayoutsAsUnpaid",
  summary: "Mark completed payouts as unpaid",
  description: "Marks completed payouts as unpaid again.",
  work: (tx, context, accountId, { id }) => movePayout(tx, context, accountId, { id, to: "pending" }),
});

export const markAsFailedOperation = payoutBatch("mark_as_failed", {
  id: "markPayoutsAsFailed",
  summary: "Mark payouts as failed",
  description: "Records that your bank or wallet has returned these payouts. They must be processing.",
  work: (tx, context, accountId, { id, error }) =>
    movePayout(tx, context, accountId, { id, to: "failed", error }),
});

export const cancelPayoutsOperation = payoutBatch("cancel", {
  id: "cancelPayouts",
  summary: "Cancel payouts",
  description: "Cancels pending or failed payouts. The next run pays their commissions.",
  work: (tx, context, accountId, { id }) => movePayout(tx, context, accountId, { id, to: "cancelled" }),
});

export const destroyPayoutsOperation = payoutBatch("destroy", {
  id: "destroyPayouts",
  summary: "Remove payouts that moved no money",
  description: "Removes payouts that moved no money.",
  work: (tx, context, accountId, { id }) => removePayout(tx, context, accountId, id),
});

export const generatePayoutsOperation = batchOperation(
  {
    id: "generatePayouts",
    summary: "Make payouts of chosen commissions",
    description:
      "Makes pending payouts of these approved commissions now: one for each promoter, campaign and unit. The account's minimum payment does not count here.",
  },
  ({ account, context }, ids) =>
    payCommissions(context, account, { label: "commission/generate_payouts", ids }),
);

function payoutBatch(name: string, { work, ...texts }: Introduced & { work: Work }): V2Operation {
  return {
    ...texts,
    description: `${texts.description} ${BATCH}`,
    body: name === "mark_as_failed" ? failedBody : idsBody,
    answer,
    refusals: ["invalid"],
    async handle({ event, account, context }: V2Request) {
      const { ids, error = null } = shapeInput(failedBody, await readJson(event));
      const done: Payout[] = [];
      const batch = await runBatch(context, account.id, {
        label: `payout/${name}`,
        ids,
        work: async (id) =>
          done.push(await context.store.transact((tx) => work(tx, context, account.id, { id, error }))),
      });
      return { data: payoutBatchJson(batch), meta: metaJson(done) };
    },
  };
}

/** Converts the sentences of a batch, which begin with the record's id, to objects. */
function payoutBatchJson(batch: BatchProcess): z.output<typeof payoutBatchAnswer> {
  const processingErrors = batch.errors.map((sentence) => {
    const [id = ""] = sentence.split(": ", 1);
    return { id: Number(id), message: sentence.slice(id.length + 2) };
  });
  return { ...batchAnswer.json(batch), processing_errors: processingErrors };
}

/** Sums up the payouts that the batch changed. @see docs/spec/v2.md "Batches" */
function metaJson(payouts: Payout[]): z.output<typeof answer>["meta"] {
  const cash = payouts.filter(({ unit }) => unit === "cash");
  const promotersCount = new Set(payouts.map(({ promoter_id }) => promoter_id)).size;
  return {
    total: cash.reduce((sum, { amount }) => sum + amount, 0),
    promoters_count: promotersCount,
    total_incl_tax: cash.reduce((sum, { total_incl_tax }) => sum + total_incl_tax, 0),
    all_promoters_count: promotersCount,
  };
}
