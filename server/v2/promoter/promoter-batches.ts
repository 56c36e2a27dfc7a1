import { z } from "zod";
import { runBatch } from "../../domain/batch.ts";
import { loadCampaign } from "../../domain/program/campaign/campaign.ts";
import type { Context } from "../../domain/context.ts";
import {
  addToCampaign,
  moveToCampaign,
  setPromoterCampaignState,
} from "../../domain/people/promoter-campaign/changes.ts";
import { archivePromoter, restorePromoter } from "../../domain/people/promoter/changes.ts";
import { assignParent, loadParent } from "../../domain/people/promoter/creation.ts";
import { byId } from "../../domain/people/promoter/search.ts";
import { asItIs } from "../../domain/show.ts";
import { flag, id } from "../../input/fields.ts";
import type { Introduced } from "../../http/operation.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import type { PromoterCampaignState } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { BATCH, batchAnswer, batchJson, idsBody } from "../batch/batch-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

const campaignBody = idsBody.extend({ campaign_id: field(id, "Id of the campaign.", 1) });
const addBody = campaignBody.extend({
  drip_emails: field(flag.optional(), "Whether the promoter gets e-mails about this. Default: `true`."),
});
const parentBody = idsBody.extend({
  parent_promoter_id: field(id, "Id of the promoter who recruited this one.", 12),
});
const moveBody = idsBody.extend({
  from_campaign_id: field(id, "Campaign that the promoters leave.", 1),
  to_campaign_id: field(id, "Campaign that the promoters move to.", 2),
  drip_emails: field(flag.optional(), addBody.shape.drip_emails),
  soft_move_referrals: field(
    flag.optional(),
    "Whether their leads move too. Commissions stay. Default: `false`.",
  ),
});

/** A batch operation, and its work on a single promoter. */
interface Action<Body> extends Introduced {
  /** The last part of the path and of the batch's label. */
  name: string;
  body: z.ZodObject & z.ZodType<Body>;
  /** Loads the campaigns and promoters that the batch needs, before it starts. */
  requires?: (context: Context, accountId: number, body: Body) => Promise<unknown>;
  work: (context: Context, accountId: number, each: Body & { promoterId: number }) => Promise<unknown>;
}

function batchOperation<Body extends { ids: number[] }>(action: Action<Body>): V2Operation {
  return {
    id: action.id,
    summary: action.summary,
    description: `${action.description} ${BATCH}`,
    body: action.body,
    answer: batchAnswer,
    refusals: ["not_found", "invalid"],
    handle: async ({ event, account, context }: V2Request) => {
      const body: Body = shapeInput(action.body, await readJson(event));
      await action.requires?.(context, account.id, body);
      const batch = await runBatch(context, account.id, {
        label: `promoter/${action.name}`,
        ids: body.ids,
        work: (promoterId) => action.work(context, account.id, { ...body, promoterId }),
      });
      return batchJson(batch);
    },
  };
}

/** `accept`, `reject` and `block` set the state of a promoter's promoterCampaign in one campaign. */
function stateOperation(
  name: string,
  { state, ...texts }: { state: PromoterCampaignState } & Pick<Introduced, "id" | "description">,
): V2Operation {
  return batchOperation({
    ...texts,
    name,
    summary: `Set the state of promoters in a campaign to ${state}`,
    body: campaignBody,
    requires: ({ store }, accountId, body) => loadCampaign(store, accountId, body.campaign_id),
    work: (context, accountId, { promoterId, campaign_id: campaignId }) =>
      setPromoterCampaignState(context, accountId, { promoterId, campaignId, state }),
  });
}

/** The batches under `/api/v2/company/promoters`, by the last part of their path. */
export const PROMOTER_BATCHES: Record<string, V2Operation> = {
  accept: stateOperation("accept", {
    id: "acceptPromoters",
    description: "Accepts promoters in a campaign, so that they can refer.",
    state: "accepted",
  }),
  reject: stateOperation("reject", {
    id: "rejectPromoters",
    description: "Rejects promoters in a campaign.",
    state: "rejected",
  }),
  block: stateOperation("block", {
    id: "blockPromoters",
    description: "Blocks promoters in a campaign: clicks, leads and commissions stop.",
    state: "blocked",
  }),
  archive: batchOperation({
    id: "archivePromoters",
    name: "archive",
    summary: "Archive promoters",
    description: "Archives promoters: they keep their history but can't refer any more.",
    body: idsBody,
    work: (context, accountId, { promoterId }) => archivePromoter(context, accountId, promoterId),
  }),
  restore: batchOperation({
    id: "restorePromoters",
    name: "restore",
    summary: "Restore archived promoters",
    description: "Restores archived promoters.",
    body: idsBody,
    work: (context, accountId, { promoterId }) => restorePromoter(context, accountId, promoterId),
  }),
  move_to_campaign: batchOperation({
    id: "movePromotersToCampaign",
    name: "move_to_campaign",
    summary: "Move promoters from one campaign to another",
    description: "Moves promoters from one campaign to another.",
    body: moveBody,
    requires: async ({ store }, accountId, body) => {
      await loadCampaign(store, accountId, body.from_campaign_id);
      await loadCampaign(store, accountId, body.to_campaign_id);
    },
    work: (context, accountId, each) =>
      moveToCampaign(context, accountId, {
        selection: byId(each.promoterId),
        fromCampaignId: each.from_campaign_id,
        toCampaignId: each.to_campaign_id,
        movesLeads: each.soft_move_referrals ?? false,
        show: asItIs,
      }),
  }),
  add_to_campaign: batchOperation({
    id: "addPromotersToCampaign",
    name: "add_to_campaign",
    summary: "Add promoters to one more campaign",
    description: "Adds promoters to one more campaign.",
    body: addBody,
    requires: ({ store }, accountId, body) => loadCampaign(store, accountId, body.campaign_id),
    work: (context, accountId, { promoterId, campaign_id: campaignId }) =>
      addToCampaign(context, accountId, { selection: byId(promoterId), campaignId, show: asItIs }),
  }),
  assign_parent: batchOperation({
    id: "assignParentPromoter",
    name: "assign_parent",
    summary: "Set the parent of promoters",
    description:
      "Sets the promoter who recruited the others: their parent, who may earn a share of their sales.",
    body: parentBody,
    requires: ({ store }, accountId, body) => loadParent(store, accountId, body.parent_promoter_id),
    work: (context, accountId, { promoterId, parent_promoter_id: parentPromoterId }) =>
      assignParent(context, accountId, { promoterId, parentPromoterId }),
  }),
};
