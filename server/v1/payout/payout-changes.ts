import { z } from "zod";
import { campaigns } from "../../domain/campaign/campaign.ts";
import { payPromoter } from "../../domain/payout-run/by-hand.ts";
import { setPayoutStatus } from "../../domain/payout/status-moves.ts";
import type { Payout } from "../../domain/payout/record.ts";
import type { Selection } from "../../domain/promoter/selection.ts";
import { Failure } from "../../failure.ts";
import { json, type AnswerHeaders } from "../../http/answer.ts";
import { v1Error } from "../../http/errors.ts";
import { id, oneOf, text } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import { newEmbedded } from "../embedded.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { payoutAnswer, payoutJson } from "./payout-json.ts";
import { field } from "../../http/fields.ts";

/** The statuses that V1 can set. */
const status = field(oneOf(["pending", "processing", "completed"]), "State of the record.");

const createParams = z
  .object({
    promoter_email: field(text, "E-mail of the promoter.", "jane@example.com"),
    promoter_id: field(
      text.meta({ documentedAs: { type: "integer", minimum: 1 } }),
      "Id of the promoter.",
      17,
    ),
    campaign_id: field(id, "Id of the campaign.", 1),
    status,
  })
  .partial();

const updateParams = z
  .object({
    id: field(text.meta({ documentedAs: { type: "integer", minimum: 1 } }), "Id of the record.", 17),
    status,
  })
  .partial();

/** `POST /api/v1/payouts/create` @see docs/spec/v1.md "Payouts" */
export const createPayoutOperation: V1Operation = {
  id: "v1CreatePayout",
  summary: "Make a payout of everything that a promoter has not been paid",
  description:
    "Makes a payout of all money that a promoter has earned in a campaign and that no payout contains yet. Name the promoter by `promoter_email` or `promoter_id`.",
  example: { promoter_email: "jane@example.com", status: "completed" },
  params: createParams,
  answer: payoutAnswer,
  refusals: ["missing", "not_found", "refused"],
  handle: create,
};

/** `PUT` and `POST /api/v1/payouts/update` @see docs/spec/v1.md "Payouts" */
export const updatePayoutOperation: V1Operation = {
  id: "v1UpdatePayout",
  summary: "Change the status of a payout",
  description: "Changes the status of a payout, for example to `completed` when you have paid it.",
  example: { id: 88, status: "completed" },
  params: updateParams,
  answer: payoutAnswer,
  refusals: ["missing", "not_found", "refused"],
  shape: updateError,
  handle: update,
};

async function create({ event, account, context }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  return payPromoter(context, account, {
    selection: payeeOf(params),
    campaignId: params.campaign_id ?? null,
    status: params.status ?? "pending",
    show: showPayout,
  });
}

function payeeOf({ promoter_id: byId, promoter_email: email }: z.output<typeof createParams>): Selection {
  if (byId !== undefined) return { by: "id", value: byId };
  if (email !== undefined) return { by: "email", value: email };
  throw new Failure("missing", "You need to pass either promoter_email or promoter_id.");
}

async function update({ event, account, context }: V1Request) {
  const params = shapeInput(updateParams, await readParams(event));
  if (params.id === undefined) throw new Failure("missing", "You need to find the payout by id.");
  // A malformed id is answered like an unknown one.
  const payoutId = id.safeParse(params.id);
  if (!payoutId.success) throw new Failure("not_found", "Payout not found.");
  const change = { id: payoutId.data, to: params.status ?? null, show: showPayout };
  return setPayoutStatus(context, account.id, change);
}

/** The documented text for an unknown payout. */
function updateError(failure: Failure, headers: AnswerHeaders): Response {
  return failure.kind === "not_found"
    ? json({ error: "Payment not found" }, headers, 404)
    : v1Error(failure, headers);
}

async function showPayout(view: View, payout: Payout) {
  const { accountId, promoterId, campaignId } = payout;
  return payoutJson(payout, {
    promoter: await newEmbedded(view, accountId).promoter(promoterId),
    campaign: await view.get(campaigns, accountId, campaignId),
  });
}
