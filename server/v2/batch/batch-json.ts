import { z } from "zod";
import { id, splitList } from "../../input/fields.ts";
import type { BatchProcess } from "../../domain/batch.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

export const BATCH_STATUSES = ["pending", "in_progress", "completed", "failed", "stopped"] as const;

/** The last sentence in the description of each operation that answers with a batch. */
export const BATCH = "The answer is a batch: how many records were changed, and why the others were not.";

export const batchAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(BATCH_STATUSES), "State of the record."),
    total: field(z.int(), "How many there are.", 3),
    selected_total: field(z.int(), "How many records were chosen.", 3),
    processed_count: field(z.int(), "How many records were changed.", 3),
    failed_count: field(z.int(), "How many records were not changed.", 0),
    action_label: field(z.string(), "What the batch did.", "promoter/accept"),
    created_at: createdAt,
    updated_at: field(z.iso.datetime(), "When the record was last changed."),
    meta: field(z.record(z.string(), z.unknown()), "Further data.", {}),
    progress: field(z.int(), "How much of the batch is done, in percent.", 100),
    processing_errors: field(z.array(z.string()), "One sentence for each record that was not changed.", []),
  })
  .meta({ id: "BatchProcess" });

/**
 * The result of a batch. It is complete when it is answered, except for imports of long files.
 *
 * @see docs/spec/v2.md "Batches"
 */
export function batchJson(batch: BatchProcess): z.output<typeof batchAnswer> {
  const failedCount = batch.failedCount ?? batch.errors.length;
  const done = batch.processedCount + failedCount;
  return {
    id: batch.id,
    status: batch.isUnderWay ? "in_progress" : "completed",
    total: batch.total,
    selected_total: batch.total,
    processed_count: batch.processedCount,
    failed_count: failedCount,
    action_label: batch.label,
    created_at: batch.createdAt,
    updated_at: batch.updatedAt,
    meta: batch.meta,
    progress: batch.isUnderWay ? Math.min(99, Math.floor((done * 100) / Math.max(1, batch.total))) : 100,
    processing_errors: batch.errors,
  };
}

const ids = field(
  z
    .preprocess((value) => splitList(value ?? []), z.array(id, "is invalid").min(1, "can't be blank"))
    .transform((given) => [...new Set(given)]),
  "Ids of the records.",
  [17, 18],
);
/**
 * The ids of a batch's records. Repeated ids count once.
 *
 * @see docs/spec/v2.md "Batches"
 */
export const idsBody = z.object({ ids });
