import { runBatch } from "../../domain/batch/batch.ts";
import { destroyCommission } from "../../domain/commission/changes.ts";
import { changeCommissionStatus, setFulfilment } from "../../domain/commission/review.ts";
import type { CommissionStatus } from "../../domain/commission/commission.ts";
import type { Context } from "../../domain/context.ts";
import { asItIs } from "../../domain/show.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { batchAnswer, batchJson, idsBody } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** Changes one commission of a batch. */
type Work = (context: Context, accountId: number, id: number) => Promise<unknown>;

/** The batches under `/api/v2/company/commissions`, by the last part of their path. */
export const COMMISSION_BATCHES: Record<string, V2Operation> = {
  approve: commissionBatch("approve", { summary: "Approve commissions", work: setStatus("approved") }),
  deny: commissionBatch("deny", { summary: "Deny commissions", work: setStatus("denied") }),
  mark_fulfilled: commissionBatch("mark_fulfilled", {
    summary: "Mark credits and the like as given to the promoters",
    work: (context, accountId, id) => setFulfilment(context, accountId, { id, isFulfilled: true }),
  }),
  mark_unfulfilled: commissionBatch("mark_unfulfilled", {
    summary: "Mark credits and the like as not given",
    work: (context, accountId, id) => setFulfilment(context, accountId, { id, isFulfilled: false }),
  }),
};

/** `DELETE /api/v2/company/commissions/destroy` */
export const destroyCommissionsOperation = commissionBatch("destroy", {
  summary: "Delete commissions",
  work: destroyCommission,
});

function setStatus(status: CommissionStatus): Work {
  return (context, accountId, id) =>
    changeCommissionStatus(context, accountId, { selector: { id, eventId: null }, status, show: asItIs });
}

function commissionBatch(name: string, { summary, work }: { summary: string; work: Work }): V2Operation {
  return {
    summary,
    body: idsBody,
    answer: batchAnswer,
    refusals: ["invalid"],
    async handle({ event, account, context }: V2Request) {
      const { ids } = shapeInput(idsBody, await readJson(event));
      const label = `commission/${name}`;
      return batchJson(
        await runBatch(context, account.id, { label, ids, work: (id) => work(context, account.id, id) }),
      );
    },
  };
}
