import { z } from "zod";
import { findBatchProcesses, loadBatchProcess, type BatchProcess } from "../../domain/batch.ts";
import type { Found, Window } from "../../storage/query.ts";
import { listOf, oneOf } from "../../input/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readPathSegment } from "../../http/path.ts";
import type { Store } from "../../storage/store.ts";
import { BATCH_STATUSES, batchAnswer, batchJson } from "./batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { field } from "../../http/fields.ts";

/** How many of the latest batches `progress` covers. */
const FOLLOWED = 100;

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
    isUnderWay: isDone && isUnderWay ? null : isUnderWay,
    ...window,
  });
}
