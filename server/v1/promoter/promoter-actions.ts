import { z } from "zod";
import { addToCampaign } from "../../domain/promoter-campaign/joining.ts";
import { moveToCampaign } from "../../domain/promoter-campaign/move.ts";
import { deletePromoter } from "../../domain/promoter/deletion.ts";
import { refreshAuthToken } from "../../domain/promoter/update.ts";
import { id } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { promoterSubsetAnswer, promoterAnswer } from "./promoter-json.ts";
import { showPromoter } from "./promoter-parts.ts";
import { readSelection, requireParams, selectorParams } from "./promoter-selection.ts";
import { field, message } from "../../http/fields.ts";

const addParams = selectorParams.extend({ campaign_id: field(id, "Id of the campaign.", 1) });

/** The source is the campaign of the default promoterCampaign unless the request names one. */
const moveParams = selectorParams.extend({
  destination_campaign_id: field(id, "Campaign that the promoter moves to.", 2),
  source_campaign_id: field(
    id.optional(),
    "Campaign that the promoter leaves. Left out: their first one.",
    1,
  ),
});

/** `DELETE /api/v1/promoters/delete` */
export const deletePromoterOperation: V1Operation = {
  id: "v1DeletePromoter",
  summary: "Remove a promoter who has earned nothing",
  description:
    "Removes a promoter who has earned nothing. Promoters with commissions or payouts can't be deleted; archive them.",
  params: selectorParams,
  answer: z.object({
    message: message,
  }),
  refusals: ["missing", "not_found", "refused"],
  handle: remove,
};

/** `PUT` and `POST /api/v1/promoters/refresh_token` */
export const refreshTokenOperation: V1Operation = {
  id: "v1RefreshPromoterToken",
  summary: "Give a promoter a new auth token",
  description: "Gives a promoter a new `auth_token`. The old one no longer logs in.",
  example: { cust_id: "user-4711" },
  params: selectorParams,
  answer: z.object({
    auth_token: field(z.string(), promoterSubsetAnswer.shape.auth_token),
  }),
  refusals: ["missing", "not_found", "refused"],
  handle: refresh,
};

/** `POST /api/v1/promoters/add_to_campaign` */
export const addToCampaignOperation: V1Operation = {
  id: "v1AddPromoterToCampaign",
  summary: "Add a promoter to one more campaign",
  description: "Adds a promoter to one more campaign.",
  example: { cust_id: "user-4711", campaign_id: 2 },
  params: addParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: add,
};

/** `POST /api/v1/promoters/move_to_campaign` */
export const moveToCampaignOperation: V1Operation = {
  id: "v1MovePromoterToCampaign",
  summary: "Move a promoter from one campaign to another",
  description: "Moves a promoter from one campaign to another. Leads and commissions stay where they are.",
  example: { cust_id: "user-4711", destination_campaign_id: 2 },
  params: moveParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: move,
};

async function remove({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  await deletePromoter(context, account.id, selection);
  return { message: "Promoter removed." };
}

async function refresh({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  return { auth_token: (await refreshAuthToken(context, account.id, selection)).authToken };
}

async function add({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["campaign_id"]);
  const { campaign_id: campaignId } = shapeInput(addParams, given);
  return addToCampaign(context, account.id, { selection, campaignId, show: showPromoter });
}

async function move({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["destination_campaign_id"]);
  const params = shapeInput(moveParams, given);
  return moveToCampaign(context, account.id, {
    selection,
    fromCampaignId: params.source_campaign_id ?? null,
    toCampaignId: params.destination_campaign_id,
    movesLeads: false,
    show: showPromoter,
  });
}
