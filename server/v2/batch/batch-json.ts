import { z } from "zod";
import { id, splitList } from "../../input/fields.ts";
import type { BatchProcess } from "../../domain/batch/batch.ts";

export const BATCH_STATUSES = ["pending", "in_progress", "completed", "failed", "stopped"] as const;

export const batchAnswer = z
  .object({
    id: z.int(),
    status: z.enum(BATCH_STATUSES),
    total: z.int(),
    selected_total: z.int(),
    processed_count: z.int(),
    failed_count: z.int(),
    action_label: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    meta: z.record(z.string(), z.unknown()),
    progress: z.int(),
    processing_errors: z.array(z.string()),
  })
  .meta({ id: "BatchProcess" });

/**
 * The result of a batch. It is finished before it is answered, so every batch is completed.
 *
 * @see docs/spec/v2.md "Batches"
 */
export function batchJson(batch: BatchProcess): z.output<typeof batchAnswer> {
  return {
    id: batch.id,
    status: "completed",
    total: batch.total,
    selected_total: batch.total,
    processed_count: batch.processedCount,
    failed_count: batch.errors.length,
    action_label: batch.label,
    created_at: batch.createdAt,
    updated_at: batch.updatedAt,
    meta: batch.meta,
    progress: 100,
    processing_errors: batch.errors,
  };
}

const ids = z
  .preprocess((value) => splitList(value ?? []), z.array(id, "is invalid").min(1, "can't be blank"))
  .transform((given) => [...new Set(given)]);
/**
 * Names the records of a batch. Repeated ids count once.
 *
 * Choice: `ids` is required everywhere. Where the interface documents it as optional, it does not say which records a
 * request without it means, and all of them would be too many for a mistake.
 */
export const idsBody = z.object({ ids });
