import type { z } from "zod";
import { runBatch } from "../../domain/batch/batch.ts";
import type { Context } from "../../domain/context.ts";
import { deleteLead, loadOwner, updateLead } from "../../domain/lead/changes.ts";
import { approveLead, disableLead, enableLead } from "../../domain/lead/customer.ts";
import { asItIs } from "../../domain/show.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { batchAnswer, batchJson, idsBody } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { moveBody } from "./referral-params.ts";

/** Changes one lead of a batch. */
type Work = (context: Context, accountId: number, id: number) => Promise<unknown>;

const byId = (id: number) => ({ id, uid: null, email: null });

/** `DELETE /api/v2/company/referrals` */
export const deleteReferralsOperation = referralBatch("destroy", {
  summary: "Delete referrals",
  work: (context, accountId, id) => deleteLead(context, accountId, byId(id)),
});

/** `POST /api/v2/company/referrals/approve` */
export const approveReferralsOperation = referralBatch("approve", {
  summary: "Approve referrals that promoters added",
  work: approveLead,
});

/** `POST /api/v2/company/referrals/disable` */
export const disableReferralsOperation = referralBatch("disable", {
  summary: "Disable referrals",
  work: disableLead,
});

/** `POST /api/v2/company/referrals/enable` */
export const enableReferralsOperation = referralBatch("enable", {
  summary: "Enable disabled referrals",
  work: enableLead,
});

/** `POST /api/v2/company/referrals/move_to_promoter` */
export const moveReferralsOperation: V2Operation = {
  summary: "Move referrals to another promoter",
  body: moveBody,
  answer: batchAnswer,
  refusals: ["not_found", "invalid", "refused"],
  handle: move,
};

function referralBatch(name: string, { summary, work }: { summary: string; work: Work }): V2Operation {
  return {
    summary,
    body: idsBody,
    answer: batchAnswer,
    refusals: ["invalid"],
    async handle({ event, account, context }: V2Request) {
      const { ids } = shapeInput(idsBody, await readJson(event));
      return run(context, account.id, { name, ids, work });
    },
  };
}

async function move({ event, account, context }: V2Request) {
  const body = shapeInput(moveBody, await readJson(event));
  const { promoter_campaign_id: promoterCampaignId } = body;
  await loadOwner(context.store, account.id, promoterCampaignId);
  const changes = { promoterCampaignId, leavesCommissions: !(body.move_associated_commissions ?? false) };
  const work: Work = (_, accountId, id) =>
    updateLead(context, accountId, { selector: byId(id), changes, show: asItIs });
  return run(context, account.id, { name: "move_to_promoter", ids: body.ids, work });
}

async function run(
  context: Context,
  accountId: number,
  { name, ids, work }: { name: string; ids: number[]; work: Work },
): Promise<z.output<typeof batchAnswer>> {
  const label = `referral/${name}`;
  return batchJson(
    await runBatch(context, accountId, { label, ids, work: (id) => work(context, accountId, id) }),
  );
}
