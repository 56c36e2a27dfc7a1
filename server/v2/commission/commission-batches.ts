import { runBatch } from "../../domain/batch.ts";
import { destroyCommission } from "../../domain/ledger/commission/changes.ts";
import { changeCommissionStatus, setFulfilment } from "../../domain/ledger/commission/review.ts";
import type { CommissionStatus } from "../../domain/ledger/commission/commission.ts";
import type { Context } from "../../domain/context.ts";
import { asItIs } from "../../domain/show.ts";
import type { Introduced } from "../../http/operation.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { BATCH, batchAnswer, batchJson, idsBody } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** Changes one commission of a batch. */
type Work = (context: Context, accountId: number, id: number) => Promise<unknown>;

/** The batches under `/api/v2/company/commissions`, by the last part of their path. */
export const COMMISSION_BATCHES: Record<string, V2Operation> = {
  approve: commissionBatch("approve", {
    id: "approveCommissions",
    summary: "Approve commissions",
    description: "Approves commissions, so that the next payout pays them. Paid ones stay as they are.",
    work: setStatus("approved"),
  }),
  deny: commissionBatch("deny", {
    id: "denyCommissions",
    summary: "Deny commissions",
    description: "Denies commissions, so that they are not paid. Paid ones stay as they are.",
    work: setStatus("denied"),
  }),
  mark_fulfilled: commissionBatch("mark_fulfilled", {
    id: "markCommissionsFulfilled",
    summary: "Mark credits and other units as given to the promoters",
    description: "Records that promoters got rewards other than money: credits, points, months, discounts.",
    work: (context, accountId, id) => setFulfilment(context, accountId, { id, isFulfilled: true }),
  }),
  mark_unfulfilled: commissionBatch("mark_unfulfilled", {
    id: "markCommissionsUnfulfilled",
    summary: "Mark credits and other units as not given",
    description: "Records that promoters did not get them after all.",
    work: (context, accountId, id) => setFulfilment(context, accountId, { id, isFulfilled: false }),
  }),
};

/** `DELETE /api/v2/company/commissions/destroy` */
export const destroyCommissionsOperation = commissionBatch("destroy", {
  id: "destroyCommissions",
  summary: "Delete commissions",
  description: "Deletes commissions, with those that take them back. Paid ones stay as they are.",
  work: destroyCommission,
});

function setStatus(status: CommissionStatus): Work {
  return (context, accountId, id) =>
    changeCommissionStatus(context, accountId, { selector: { id, eventId: null }, status, show: asItIs });
}

function commissionBatch(name: string, { work, ...texts }: Introduced & { work: Work }): V2Operation {
  return {
    ...texts,
    description: `${texts.description} ${BATCH}`,
    body: idsBody,
    answer: batchAnswer,
    refusals: ["invalid"],
    async handle({ event, account, context }: V2Request) {
      const given = shapeInput(idsBody, await readJson(event)).ids;
      // Lists are newest first. A commission that takes another one back is usually newer, so it goes after that one.
      const ids = given.toSorted((a, b) => a - b);
      const label = `commission/${name}`;
      return batchJson(
        await runBatch(context, account.id, { label, ids, work: (id) => work(context, account.id, id) }),
      );
    },
  };
}
