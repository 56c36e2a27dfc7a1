import { z } from "zod";
import { findBatchProcesses, loadBatchProcess, type BatchProcess } from "../../domain/batch.ts";
import type { Found, Window } from "../../storage/query.ts";
import { listOf, oneOf, id, splitList } from "../../input/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readPathSegment } from "../../http/path.ts";
import type { Store } from "../../storage/store.ts";
import { shapeInput } from "../../input/shape.ts";
import { readJson } from "../../http/parameters/json.ts";
import type { Introduced } from "../../http/operation.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../../resource/listing.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";

/** How many of the latest batches `progress` covers. */
const FOLLOWED = 100;

const BATCH_STATUSES = ["pending", "in_progress", "completed", "failed", "stopped"] as const;

const listParams = pageParams.extend({
  filters: field(
    z
      .object(
        { status: field(listOf(oneOf(BATCH_STATUSES)), "Only records with this status.") },
        "is invalid",
      )
      .partial()
      .optional(),
    "Only records that match.",
  ),
});

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

/** `GET /api/v2/company/batch_processes` */
export const listBatchesOperation: V2Operation = {
  id: "listBatchProcesses",
  summary: "List batch processes, newest first",
  description: "Lists batches of changes, newest first.",
  params: listParams,
  answer: z.array(batchAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `GET /api/v2/company/batch_processes/{id}` */
export const showBatchOperation: V2Operation = {
  id: "getBatchProcess",
  summary: "Show a batch process",
  description: "Finds one batch.",
  answer: batchAnswer,
  refusals: ["not_found"],
  handle: async ({ event, account, context }) =>
    batchJson(await loadBatchProcess(context.store, account.id, readPathSegment(event, "id"))),
};

/** `GET /api/v2/company/batch_processes/progress` */
export const batchProgressOperation: V2Operation = {
  id: "getBatchProgress",
  summary: "Show the progress of the latest batch processes, in percent by id",
  description: "Shows the progress of the latest batches in percent, by their ids.",
  params: listParams.pick({ filters: true }),
  answer: z.record(z.string(), z.int()).meta({ examples: [{ "7": 100 }] }),
  refusals: ["invalid"],
  handle: progress,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const { records, total } = await findBatches(context.store, account.id, { params, window });
  setPageHeaders(request, page, total);
  return records.map(batchJson);
}

async function progress(request: V2Request) {
  const { account, context } = request;
  const { params } = readListing(request, listParams);
  const window = { limit: FOLLOWED, offset: 0 };
  const { records } = await findBatches(context.store, account.id, { params, window });
  return Object.fromEntries(records.map((batch) => [String(batch.id), batchJson(batch).progress]));
}

/** Batches are only ever completed or in progress. */
async function findBatches(
  store: Store,
  accountId: number,
  { params, window }: { params: z.output<typeof listParams>; window: Window },
): Promise<Found<BatchProcess>> {
  const statuses = params.filters?.status ?? ["completed", "in_progress"];
  const [isDone, isUnderWay] = [statuses.includes("completed"), statuses.includes("in_progress")];
  if (!isDone && !isUnderWay) return { records: [], total: 0 };
  return findBatchProcesses(store, accountId, {
    is_under_way: isDone && isUnderWay ? null : isUnderWay,
    ...window,
  });
}

/** The last sentence in the description of each operation that answers with a batch. */
export const BATCH = "The answer is a batch: how many records were changed, and why the others were not.";

/**
 * The result of a batch. It is complete when it is answered, except for imports of long files.
 *
 * @see docs/spec/v2.md "Batches"
 */
export function batchJson(batch: BatchProcess): z.output<typeof batchAnswer> {
  const failedCount = batch.failed_count ?? batch.errors.length;
  const done = batch.processed_count + failedCount;
  return {
    id: batch.id,
    status: batch.is_under_way ? "in_progress" : "completed",
    total: batch.total,
    selected_total: batch.total,
    processed_count: batch.processed_count,
    failed_count: failedCount,
    action_label: batch.label,
    created_at: batch.created_at,
    updated_at: batch.updated_at,
    meta: batch.meta,
    progress: batch.is_under_way ? Math.min(99, Math.floor((done * 100) / Math.max(1, batch.total))) : 100,
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

/** An operation that changes the records with the ids in its body, one by one. */
export function batchOperation(
  texts: Introduced,
  run: (request: V2Request, ids: number[]) => Promise<BatchProcess>,
): V2Operation {
  return {
    ...texts,
    description: `${texts.description} ${BATCH}`,
    body: idsBody,
    answer: batchAnswer,
    refusals: ["invalid"],
    async handle(request) {
      const { ids } = shapeInput(idsBody, await readJson(request.event));
      return batchJson(await run(request, ids));
    },
  };
}
