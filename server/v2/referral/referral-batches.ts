import { runBatch, type BatchProcess } from "../../domain/batch.ts";
import type { Context } from "../../domain/context.ts";
import { deleteLead, updateLead } from "../../domain/ledger/lead-changes.ts";
import { loadOwner } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { approveLead, disableLead, enableLead } from "../../domain/people/lead/customer.ts";
import type { Introduced } from "../../http/operation.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { Transaction } from "../../storage/store.ts";
import { BATCH, batchAnswer, batchOperation } from "../batch/batch-processes.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { moveBody } from "./referrals.ts";

/** Changes one lead of a batch. */
type Work = (tx: Transaction, context: Context, accountId: number, id: number) => Promise<unknown>;

const byId = (id: number) => ({ id, uid: null, email: null });

export const deleteReferralsOperation = referralBatch("destroy", {
  id: "deleteReferrals",
  summary: "Delete referrals",
  description: "Deletes leads. Their sales and commissions stay, and can be refunded by the sale's event id.",
  work: (tx, context, accountId, id) => deleteLead(tx, context, accountId, byId(id)),
});

export const approveReferralsOperation = referralBatch("approve", {
  id: "approveReferrals",
  summary: "Approve referrals that promoters added",
  description: "Accepts leads that promoters added by hand.",
  work: approveLead,
});

export const disableReferralsOperation = referralBatch("disable", {
  id: "disableReferrals",
  summary: "Disable referrals",
  description: "Denies leads: their later sales earn nothing.",
  work: disableLead,
});

export const enableReferralsOperation = referralBatch("enable", {
  id: "enableReferrals",
  summary: "Enable disabled referrals",
  description: "Enables denied leads again.",
  work: enableLead,
});

export const moveReferralsOperation: V2Operation = {
  id: "moveReferralsToPromoter",
  summary: "Move referrals to another promoter",
  description: `Moves leads to another promoter. ${BATCH}`,
  body: moveBody,
  answer: batchAnswer.schema,
  refusals: ["not_found", "invalid", "refused"],
  handle: move,
};

function referralBatch(name: string, { work, ...texts }: Introduced & { work: Work }): V2Operation {
  return batchOperation(texts, ({ account, context }, ids) => run(context, account.id, { name, ids, work }));
}

async function move({ event, account, context }: V2Request) {
  const body = shapeInput(moveBody, await readJson(event));
  const { promoter_campaign_id } = body;
  await loadOwner(context.store, account.id, promoter_campaign_id);
  const changes = { promoter_campaign_id, leavesCommissions: !(body.move_associated_commissions ?? false) };
  const work: Work = (tx, _, accountId, id) =>
    updateLead(tx, context, accountId, { selector: byId(id), changes });
  return batchAnswer.json(await run(context, account.id, { name: "move_to_promoter", ids: body.ids, work }));
}

function run(
  context: Context,
  accountId: number,
  { name, ids, work }: { name: string; ids: number[]; work: Work },
): Promise<BatchProcess> {
  const label = `referral/${name}`;
  const one = (id: number) => context.store.transact((tx) => work(tx, context, accountId, id));
  return runBatch(context, accountId, { label, ids, work: one });
}
