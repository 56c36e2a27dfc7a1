import { z } from "zod";
import { listBatchProcesses, loadBatchProcess } from "../domain/batch-list.ts";
import type { BatchProcess } from "../records.ts";
import { listOf, oneOf, text } from "../http/fields.ts";
import { shapeInput } from "../http/shape.ts";
import { readNestedQuery } from "../http/nested-query.ts";
import { readPage, setPageHeaders, type Page } from "../http/pages.ts";
import { readPathSegment } from "../http/path.ts";
import { BATCH_STATUSES, batchAnswer, batchJson } from "./batch-json.ts";
import type { V2Operation, V2Request } from "./operation.ts";

const PAGE_SIZES = { usual: 20, most: 100 };
/** A client follows the batches that it started last. */
const FOLLOWED = 100;

const listParams = z
  .object({
    filters: z.object({ status: listOf(oneOf(BATCH_STATUSES)) }, "is invalid").partial(),
    page: text,
    per_page: text,
  })
  .partial();

/** `GET /api/v2/company/batch_processes` */
export const listBatchesOperation: V2Operation = {
  summary: "List batch processes, newest first",
  params: listParams,
  answer: z.array(batchAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `GET /api/v2/company/batch_processes/{id}` */
export const showBatchOperation: V2Operation = {
  summary: "Show a batch process",
  answer: batchAnswer,
  refusals: ["not_found"],
  handle: async ({ event, account, context }) =>
    batchJson(await loadBatchProcess(context.store, account.id, readPathSegment(event, "id"))),
};

/** `GET /api/v2/company/batch_processes/progress` */
export const batchProgressOperation: V2Operation = {
  summary: "Percentages of the latest batch processes by their ids",
  params: listParams,
  answer: z.record(z.string(), z.int()),
  refusals: ["invalid"],
  handle: progress,
};

async function list(request: V2Request) {
  const { event } = request;
  const page = readPage(readNestedQuery(event), PAGE_SIZES);
  const { batches, total } = await readBatches(request, page);
  setPageHeaders(request, page, total);
  return batches.map(batchJson);
}

async function progress(request: V2Request) {
  const { batches } = await readBatches(request, { number: 1, perPage: FOLLOWED, offset: 0 });
  return Object.fromEntries(batches.map((batch) => [String(batch.id), batchJson(batch).progress]));
}

/** All batches are completed, so that other statuses have none. */
async function readBatches(
  { event, account, context }: V2Request,
  { perPage, offset }: Page,
): Promise<{ batches: BatchProcess[]; total: number }> {
  const { filters } = shapeInput(listParams, readNestedQuery(event));
  const statuses = filters?.status ?? ["completed"];
  if (!statuses.includes("completed")) return { batches: [], total: 0 };
  return listBatchProcesses(context.store, account.id, { limit: perPage, offset });
}
