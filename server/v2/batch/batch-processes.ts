import { z } from "zod";
import { sql, type SqlBool } from "kysely";
import { batchProcesses, IS_UNDER_WAY, loadBatchProcess, type BatchProcess } from "../../domain/batch.ts";
import { listOf, oneOf, id, splitList } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { readJson } from "../../http/parameters/json.ts";
import type { Introduced } from "../../http/operation.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { lists, reads } from "../../resource/operations.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";
import { anyOf } from "../../storage/query.ts";

/** How many of the latest batches `progress` covers. */
const FOLLOWED = 100;

const BATCH_STATUSES = ["pending", "in_progress", "completed", "failed", "stopped"] as const;

const batchList = listed(batchProcesses, { isNewestFirst: true })({
  filters: {
    status: [
      field(listOf(oneOf(BATCH_STATUSES)), "Only records with this status."),
      // Batches are only ever completed or in progress.
      (wanted) =>
        anyOf([
          ...(wanted.includes("in_progress") ? [IS_UNDER_WAY] : []),
          ...(wanted.includes("completed") ? [sql<SqlBool>`not ${IS_UNDER_WAY}`] : []),
        ]),
    ],
  },
});

/**
 * The result of a batch. It is complete when it is answered, except for imports of long files.
 *
 * @see docs/spec/v2.md "Batches"
 */
export const batchAnswer = shown(batchProcesses)("BatchProcess", {
  id: recordId,
  status: [
    field(z.enum(BATCH_STATUSES), "State of the record."),
    ({ is_under_way }) => (is_under_way ? "in_progress" : "completed"),
  ],
  total: field(z.int(), "How many there are.", 3),
  selected_total: [field(z.int(), "How many records were chosen.", 3), ({ total }) => total],
  processed_count: field(z.int(), "How many records were changed.", 3),
  failed_count: [field(z.int(), "How many records were not changed.", 0), failedCount],
  action_label: [field(z.string(), "What the batch did.", "promoter/accept"), ({ label }) => label],
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
  meta: field(z.record(z.string(), z.unknown()), "Further data.", {}),
  progress: [field(z.int(), "How much of the batch is done, in percent.", 100), percentDone],
  processing_errors: [
    field(z.array(z.string()), "One sentence for each record that was not changed.", []),
    ({ errors }) => errors,
  ],
});

function failedCount({ failed_count, errors }: BatchProcess): number {
  return failed_count ?? errors.length;
}

function percentDone(batch: BatchProcess): number {
  if (!batch.is_under_way) return 100;
  const done = batch.processed_count + failedCount(batch);
  return Math.min(99, Math.floor((done * 100) / Math.max(1, batch.total)));
}

export const listBatchesOperation: V2Operation = lists(batchAnswer, {
  id: "listBatchProcesses",
  summary: "List batch processes, newest first",
  description: "Lists batches of changes, newest first.",
  list: batchList,
});

export const showBatchOperation: V2Operation = reads(batchAnswer, {
  id: "getBatchProcess",
  summary: "Show a batch process",
  description: "Finds one batch.",
  load: loadBatchProcess,
});

export const batchProgressOperation: V2Operation = {
  id: "getBatchProgress",
  summary: "Show the progress of the latest batch processes, in percent by id",
  description: "Shows the progress of the latest batches in percent, by their ids.",
  params: z.object({ filters: batchList.filters }),
  answer: z.record(z.string(), z.int()).meta({ examples: [{ "7": 100 }] }),
  refusals: ["invalid"],
  async handle(request) {
    const batches = await batchList.readFirst(request, FOLLOWED);
    return Object.fromEntries(batches.map((batch) => [String(batch.id), percentDone(batch)]));
  },
};

/** The last sentence in the description of each operation that answers with a batch. */
export const BATCH = "The answer is a batch: how many records were changed, and why the others were not.";

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

/** An operation that changes the records with the ids in its body, one by one. */
export function batchOperation(
  texts: Introduced,
  run: (request: V2Request, ids: number[]) => Promise<BatchProcess>,
): V2Operation {
  return {
    ...texts,
    description: `${texts.description} ${BATCH}`,
    body: idsBody,
    answer: batchAnswer.schema,
    refusals: ["invalid"],
    async handle(request) {
      const { ids } = shapeInput(idsBody, await readJson(request.event));
      return batchAnswer.json(await run(request, ids));
    },
  };
}
